//! The side that has the FMU: takes requests, calls the FMU, answers.

mod calls;

use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use fmu_standard::fmi2::{self, fmi2Status};

use super::link::{End, Link, Side};
use super::message::{Message, Reader};
use super::{reply, request};
use crate::library::Library;
use crate::log::{Environment, Message as LogMessage, callbacks};
use crate::watch::number_of;

/// Runs an instance for the process at the other end of a link, until that process has no more use for it. How the
/// process of this function notices that the other one has died is up to its caller.
pub fn serve(link: Link) {
    let line = Arc::new(Line {
        end: Mutex::new(End::new(link.clone(), Side::Server, never as fn() -> bool)),
        waiting: Mutex::default(),
    });
    let mut server = Server {
        link,
        line: line.clone(),
        library: None,
        environment: None,
        instance: None,
        numbers: Numbers::default(),
    };
    let (mut request, mut out) = (Vec::new(), Message::default());
    let mut end = line.lock();
    while end.receive(&mut request).is_ok() {
        line.send_waiting(&mut end);
        // While a call is under way the line is free for what the FMU wants to say and to know.
        drop(end);
        let mut reader = Reader(&request);
        out.clear().put(reply::ANSWER).put(fmi2::fmi2Error.0);
        match reader.take() {
            Some(request::CLOSE) => return,
            Some(request::LOAD) => server.load(&mut reader, &mut out),
            Some(function) => {
                let answered = server.call(function, &mut reader, &mut out);
                if answered.is_none() {
                    out.clear().put(reply::ANSWER).put(fmi2::fmi2Error.0);
                }
            }
            None => {}
        }
        end = line.lock();
        line.send_waiting(&mut end);
        if end.send(&out.0).is_err() {
            return;
        }
    }
}

fn never() -> bool {
    false
}

/// The line to the other process.
struct Line {
    /// Locked by the main thread except while the FMU is being called.
    end: Mutex<End<fn() -> bool>>,
    /// Messages of other threads that came while the line was busy.
    waiting: Mutex<Vec<Vec<u8>>>,
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, End<fn() -> bool>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_waiting(&self, end: &mut End<fn() -> bool>) {
        for message in std::mem::take(&mut *self.waiting()) {
            ask(end, &message, &mut Vec::new());
        }
    }

    /// Passes a log message on: at once while a call is under way, otherwise with the next call.
    fn log(&self, message: &LogMessage) {
        let mut out = Message::default();
        let number = fmi2Status::from(message.status);
        out.put(reply::LOG).put(number.0);
        out.text(&message.instance)
            .text(&message.category)
            .text(&message.text);
        match self.end.try_lock() {
            Ok(mut end) => ask(&mut end, &out.0, &mut Vec::new()),
            Err(TryLockError::Poisoned(end)) => ask(&mut end.into_inner(), &out.0, &mut Vec::new()),
            Err(TryLockError::WouldBlock) => self.waiting().push(out.0),
        }
    }
}

/// A question to the other side, and its answer.
fn ask(end: &mut End<fn() -> bool>, question: &[u8], answer: &mut Vec<u8>) {
    answer.clear();
    // Without an answer, it is empty.
    let _ = end.send(question).and_then(|()| end.receive(answer));
}

/// What serves one instance.
struct Server {
    link: Link,
    line: Arc<Line>,
    library: Option<Library>,
    environment: Option<Arc<Environment>>,
    instance: Option<Instance>,
    numbers: Numbers,
}

/// The instance, and what the FMU may keep pointers to.
struct Instance {
    component: fmi2::fmi2Component,
    _callbacks: Box<fmi2::fmi2CallbackFunctions>,
    _name: CString,
}

/// Arrays of arguments; their memory is used again.
#[derive(Default)]
struct Numbers {
    references: Vec<u32>,
    others: Vec<u32>,
    integers: Vec<i32>,
    reals: Vec<f64>,
    results: Vec<f64>,
}

impl Server {
    fn load(&mut self, reader: &mut Reader, out: &mut Message) {
        let (Some(path), Some(identifier)) = (reader.text(), reader.text()) else {
            return;
        };
        self.link.set_running(const { number_of(crate::watch::LOADING) });
        let loaded = Library::load(path.as_ref(), &identifier);
        let library = match loaded {
            Ok(library) => library,
            Err(error) => {
                let reason = match error {
                    crate::Error::Load { reason, .. } => reason,
                    error => error.to_string(),
                };
                self.link.set_running(0);
                out.text(&reason);
                return;
            }
        };
        let strangeness = library.strangeness().unwrap_or_default();
        self.link.set_running(0);
        out.clear().put(reply::ANSWER).put(fmi2::fmi2OK.0);
        out.put(library.functions.present());
        let more = u8::from(library.stabilize_inputs.is_some()) | u8::from(library.get_states.is_some()) << 1;
        out.put(more).text(&strangeness);
        self.library = Some(library);
    }

    fn instantiate(&mut self, reader: &mut Reader) -> Option<fmi2Status> {
        let make = self.library.as_ref()?.functions.fmi2Instantiate?;
        let (name, kind) = (reader.text()?, fmi2::fmi2Type(reader.take()?));
        let (guid, resources) = (reader.text()?, reader.text()?);
        let (visible, logging): (u8, u8) = (reader.take()?, reader.take()?);
        let line = self.line.clone();
        let listener = move |message: &LogMessage| line.log(message);
        let environment = Environment::raw(&name, Arc::new(Mutex::new(listener)));
        let callbacks = Box::new(callbacks(&environment));
        let text = |text: String| CString::new(text).ok();
        let (name, guid, resources) = (text(name)?, text(guid)?, text(resources)?);
        self.link.set_running(const { number_of("fmi2Instantiate") });
        // SAFETY: all texts end with a zero byte, and name and callbacks live as long as the instance.
        let component = unsafe {
            make(
                name.as_ptr(),
                kind,
                guid.as_ptr(),
                resources.as_ptr(),
                &*callbacks,
                visible.into(),
                logging.into(),
            )
        };
        self.link.set_running(0);
        self.environment = Some(environment);
        if component.is_null() {
            return Some(fmi2::fmi2Error);
        }
        self.instance = Some(Instance {
            component,
            _callbacks: callbacks,
            _name: name,
        });
        Some(fmi2::fmi2OK)
    }
}

/// What an FMU asks during a step whose inputs are stabilized: passed on to the other process.
unsafe extern "C" fn derivatives(
    context: *mut c_void,
    time: f64,
    u: *const f64,
    nu: usize,
    x: *const f64,
    dx: *const f64,
    nx: usize,
    du: *mut f64,
) -> fmi2Status {
    let slice = |pointer: *const f64, n: usize| match n {
        0 => &[][..],
        // SAFETY: the FMU promises arrays of these lengths.
        _ => unsafe { std::slice::from_raw_parts(pointer, n) },
    };
    let du = match nu {
        0 => &mut [][..],
        // SAFETY: as above, and nothing else refers to the array.
        _ => unsafe { std::slice::from_raw_parts_mut(du, nu) },
    };
    // SAFETY: the context is the line of the server, which lives as long as the instance.
    let line = unsafe { &*context.cast::<Line>() };
    let (mut question, mut answer) = (Message::default(), Vec::new());
    question.put(reply::DERIVATIVES).put(time);
    question
        .array(slice(u, nu))
        .array(slice(x, nx))
        .array(slice(dx, nx));
    ask(&mut line.lock(), &question.0, &mut answer);
    let mut reader = Reader(&answer);
    let status = reader.take().map_or(fmi2::fmi2Error, fmi2Status);
    if status == fmi2::fmi2OK && reader.array_into(du).is_none() {
        return fmi2::fmi2Error;
    }
    status
}

/// A text in an answer; `Some(None)` is one that could not be read.
pub(super) fn take_text(reader: &mut Reader) -> Option<Option<CString>> {
    let readable: u8 = reader.take()?;
    let text = CString::new(reader.blob()?).ok()?;
    Some((readable != 0).then_some(text))
}

/// The counterpart of [`take_text`].
fn put_text(out: &mut Message, pointer: fmi2::fmi2String) {
    let mut text = String::new();
    let readable = crate::text::read(pointer, &mut text, &mut Vec::new()).is_ok();
    out.put(u8::from(readable)).text(&text);
}
