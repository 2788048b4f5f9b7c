//! Log messages of instances: from the C callback to a closure.

use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use fmu_standard::description::ModelDescription;
use fmu_standard::fmi2;

use crate::{BaseType, Variables};

/// How a call went, or how serious a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Status {
    /// `fmi2OK`.
    Ok,
    /// `fmi2Warning`.
    Warning,
    /// `fmi2Discard`.
    Discard,
    /// `fmi2Error`; also every number that the standard does not know.
    Error,
    /// `fmi2Fatal`.
    Fatal,
    /// `fmi2Pending`.
    Pending,
}

impl From<fmi2::fmi2Status> for Status {
    fn from(status: fmi2::fmi2Status) -> Self {
        match status {
            fmi2::fmi2OK => Self::Ok,
            fmi2::fmi2Warning => Self::Warning,
            fmi2::fmi2Discard => Self::Discard,
            fmi2::fmi2Fatal => Self::Fatal,
            fmi2::fmi2Pending => Self::Pending,
            _ => Self::Error,
        }
    }
}

impl From<Status> for fmi2::fmi2Status {
    fn from(status: Status) -> Self {
        match status {
            Status::Ok => fmi2::fmi2OK,
            Status::Warning => fmi2::fmi2Warning,
            Status::Discard => fmi2::fmi2Discard,
            Status::Error => fmi2::fmi2Error,
            Status::Fatal => fmi2::fmi2Fatal,
            Status::Pending => fmi2::fmi2Pending,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "fmi2OK",
            Self::Warning => "fmi2Warning",
            Self::Discard => "fmi2Discard",
            Self::Error => "fmi2Error",
            Self::Fatal => "fmi2Fatal",
            Self::Pending => "fmi2Pending",
        })
    }
}

/// A message that an FMU logged, formatted, with names in the place of value references.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The instance as the FMU names it.
    pub instance: String,
    /// How serious it is.
    pub status: Status,
    /// One of the categories of the description, where the FMU keeps to the standard.
    pub category: String,
    /// What it says.
    pub text: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} [{}] {}: {}",
            self.instance, self.category, self.status, self.text
        )
    }
}

/// What takes the messages.
/// Shared, since a simulation that begins again makes another instance with the same listener.
pub type Listener = Arc<Mutex<dyn FnMut(&Message) + Send>>;

/// The environment of one instance, as far as its messages go.
pub struct Environment {
    number: usize,
    instance: String,
    /// None where value references are left for another process to replace.
    names: Option<Arc<Names>>,
    listener: Option<Listener>,
    /// The last messages, for the error that a call may become.
    recent: Mutex<Vec<Message>>,
    /// Whether `recent` has something.
    heard: AtomicBool,
}

/// What `#r12#` in a message needs.
pub struct Names {
    pub description: Arc<ModelDescription>,
    pub variables: Arc<Variables>,
}

/// Messages that are kept for an error.
const RECENT: usize = 8;

/// The environments by the number that stands in for their address: an FMU that calls back with a pointer of its
/// own invention is then mistaken, not deadly.
static ENVIRONMENTS: LazyLock<Mutex<HashMap<usize, Arc<Environment>>>> = LazyLock::new(Mutex::default);
static STRAYS: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicUsize = AtomicUsize::new(0x1000);

/// How many messages came with an invalid environment pointer.
pub fn strays() -> usize {
    STRAYS.load(Ordering::Relaxed)
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Environment {
    /// The environment of an instance, under a number of its own.
    pub fn new(instance: &str, names: Arc<Names>, listener: Option<Listener>) -> Arc<Self> {
        Self::open(instance, Some(names), listener)
    }

    /// For messages that another process makes readable.
    pub fn raw(instance: &str, listener: Listener) -> Arc<Self> {
        Self::open(instance, None, Some(listener))
    }

    /// The name of the instance.
    pub fn instance(&self) -> &str {
        &self.instance
    }

    fn open(instance: &str, names: Option<Arc<Names>>, listener: Option<Listener>) -> Arc<Self> {
        let environment = Arc::new(Self {
            // Steps of 16: some FMUs expect a pointer to be aligned.
            number: NEXT.fetch_add(16, Ordering::Relaxed),
            instance: instance.into(),
            names,
            listener,
            recent: Mutex::default(),
            heard: AtomicBool::new(false),
        });
        lock(&ENVIRONMENTS).insert(environment.number, environment.clone());
        environment
    }

    /// What the FMU gets as `componentEnvironment`; it is never followed.
    pub fn pointer(&self) -> *mut c_void {
        std::ptr::without_provenance_mut(self.number)
    }

    /// No message arrives after this.
    pub fn close(&self) {
        lock(&ENVIRONMENTS).remove(&self.number);
    }

    /// Whether there are messages that [`Environment::take`] would return.
    #[inline]
    pub fn heard(&self) -> bool {
        self.heard.load(Ordering::Relaxed)
    }

    /// The last messages, at least warnings if there are any.
    pub fn take(&self) -> Vec<Message> {
        self.heard.store(false, Ordering::Relaxed);
        let mut messages = std::mem::take(&mut *lock(&self.recent));
        if messages.iter().any(|message| message.status > Status::Ok) {
            messages.retain(|message| message.status > Status::Ok);
        }
        messages
    }

    /// Receives a message.
    pub fn hear(&self, status: Status, instance: String, category: String, text: &str) {
        let text = match &self.names {
            Some(names) => names.expand(text),
            None => text.into(),
        };
        let message = Message {
            instance,
            status,
            category,
            text,
        };
        let mut recent = lock(&self.recent);
        if recent.len() == RECENT {
            recent.remove(0);
        }
        recent.push(message.clone());
        drop(recent);
        self.heard.store(true, Ordering::Relaxed);
        if let Some(listener) = &self.listener {
            (*lock(listener))(&message);
        }
    }
}

impl Names {
    /// Replaces `#r12#` by the variable's name and `##` by `#`; whatever else follows a `#` stays as it is.
    fn expand(&self, text: &str) -> String {
        let mut expanded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('#') {
            expanded += &rest[..at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('#') {
                expanded.push('#');
                rest = after;
            } else if let Some((name, after)) = self.reference(rest) {
                expanded += name;
                rest = after;
            } else {
                expanded.push('#');
            }
        }
        expanded + rest
    }

    /// The name that `r12#...` stands for, and what follows.
    fn reference<'t>(&self, text: &'t str) -> Option<(&str, &'t str)> {
        let base_type = match text.bytes().next()? {
            b'r' => BaseType::Real,
            b'i' => BaseType::Integer,
            b'b' => BaseType::Boolean,
            b's' => BaseType::String,
            _ => return None,
        };
        let (number, after) = text[1..].split_once('#')?;
        let position = self
            .variables
            .position_of_reference(base_type, number.parse().ok()?)?;
        Some((&self.description.model_variables[position].name, after))
    }
}

/// Called by the C shim with a formatted message.
///
/// # Safety
/// Each pointer has the bytes that the length after it says, or the length is 0.
#[unsafe(no_mangle)]
unsafe extern "C" fn fmu_importer_log(
    environment: *mut c_void,
    instance: *const c_char,
    instance_length: usize,
    status: fmi2::fmi2Status,
    category: *const c_char,
    category_length: usize,
    text: *const c_char,
    length: usize,
) {
    let string = |pointer: *const c_char, length: usize| {
        if length == 0 {
            return String::new();
        }
        // SAFETY: the shim copied this many bytes there.
        let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
        String::from_utf8_lossy(bytes).into_owned()
    };
    let instance = string(instance, instance_length);
    let (category, text) = (string(category, category_length), string(text, length));
    // A listener that panics must not unwind into the FMU.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let environments = lock(&ENVIRONMENTS);
        let by_name = || {
            environments
                .values()
                .find(|environment| environment.instance == instance)
        };
        let found = environments.get(&environment.addr());
        if found.is_none() {
            STRAYS.fetch_add(1, Ordering::Relaxed);
        }
        let found = found.or_else(by_name).cloned();
        drop(environments);
        if let Some(environment) = found {
            environment.hear(status.into(), instance, category, &text);
        }
    }));
}

unsafe extern "C" {
    /// The variadic callback, defined in C.
    fn fmu_importer_logger(
        environment: *mut c_void,
        instance: *const c_char,
        status: fmi2::fmi2Status,
        category: *const c_char,
        message: *const c_char,
        ...
    );
    fn fmu_importer_allocate(count: usize, size: usize) -> *mut c_void;
    fn fmu_importer_free(memory: *mut c_void);
}

/// The callbacks of an instance with this environment.
pub fn callbacks(environment: &Environment) -> fmi2::fmi2CallbackFunctions {
    fmi2::fmi2CallbackFunctions {
        logger: Some(fmu_importer_logger),
        allocateMemory: Some(fmu_importer_allocate),
        freeMemory: Some(fmu_importer_free),
        stepFinished: None,
        componentEnvironment: environment.pointer(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_in_messages_become_names() {
        let xml = r#"<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g"><ModelVariables>
            <ScalarVariable name="speed" valueReference="12"><Real/></ScalarVariable>
            <ScalarVariable name="gear" valueReference="12" variability="discrete"><Integer/></ScalarVariable>
            </ModelVariables><ModelStructure/></fmiModelDescription>"#;
        let description = Arc::new(fmu_standard::xml::read(xml).expect("a description"));
        let variables = Arc::new(Variables::new(&description));
        let names = Names {
            description,
            variables,
        };
        for (written, read) in [
            ("#r12# and #i12#", "speed and gear"),
            ("no. ##1", "no. #1"),
            ("####", "##"),
            ("#r13# stays, #b12#, #r#, #r12", "#r13# stays, #b12#, #r#, #r12"),
            ("#", "#"),
            ("ä#r12#ö", "äspeedö"),
            ("#r99999999999#", "#r99999999999#"),
        ] {
            assert_eq!(names.expand(written), read);
        }
    }
}
