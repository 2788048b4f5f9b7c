//! The library of an FMU: found, loaded, its functions bound.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize};

use fmu_standard::extension::{DESCRIBE, GET_STATES, STABILIZE_INPUTS};
use fmu_standard::fmi2;

use crate::Error;
use crate::instance::{GetStates, StabilizeInputs};
#[cfg(not(windows))]
use crate::python;
use crate::remote::{self, Isolated};
use crate::watch::number_of;

/// A loaded library.
pub struct Library {
    /// The functions of the standard.
    pub functions: Functions,
    /// Beyond the standard, where the library has them.
    pub stabilize_inputs: Option<StabilizeInputs>,
    /// As `stabilize_inputs`.
    pub get_states: Option<GetStates>,
    /// Its file.
    pub path: PathBuf,
    /// An instance said `fmi2Fatal`: no other may be called any more.
    pub fatal: AtomicBool,
    /// Instances that are alive.
    pub instances: AtomicUsize,
    /// The process that has the one instance of this library; `None` if the library is loaded into this process.
    pub(crate) isolated: Option<Isolated>,
    /// The functions are valid as long as this is loaded.
    library: Option<libloading::Library>,
}

macro_rules! functions {
    ($($name:ident: $type:ident,)+) => {
        /// The functions of the standard; `None` where the library has none. Whether that matters is known when one
        /// is called.
        #[allow(non_snake_case)]
        pub struct Functions {
            $(pub $name: Option<fmi2::$type>,)+
        }

        impl Functions {
            fn bind(library: &libloading::Library, prefix: &str) -> Self {
                Self {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        let prefixed = format!("{prefix}{name}");
                        // SAFETY: the standard gives the symbol of this name this type; a library that differs
                        // cannot be distinguished from one that does not.
                        let symbol = unsafe {
                            library.get::<fmi2::$type>(name.as_bytes())
                                .or_else(|_| library.get::<fmi2::$type>(prefixed.as_bytes()))
                        };
                        symbol.ok().map(|symbol| *symbol)
                    },)+
                }
            }

            /// A bit for each function that is there, by its number in [`crate::watch`].
            pub fn present(&self) -> u64 {
                0 $(| u64::from(self.$name.is_some()) << const { number_of(stringify!($name)) })+
            }
        }
    };
}

fmu_standard::fmi2_functions!(functions);

impl Library {
    /// Loads a library. Functions with the model identifier in front of their names (as in source FMUs) are found too.
    pub fn load(path: &Path, model_identifier: &str) -> Result<Self, Error> {
        let library = open(path).map_err(|reason| Error::Load {
            library: path.into(),
            reason,
        })?;
        // SAFETY: both symbols have these types wherever they exist.
        let (stabilize_inputs, get_states) = unsafe {
            (
                library.get::<StabilizeInputs>(STABILIZE_INPUTS.name),
                library.get::<GetStates>(GET_STATES.name),
            )
        };
        Ok(Self {
            stabilize_inputs: stabilize_inputs.ok().map(|symbol| *symbol),
            get_states: get_states.ok().map(|symbol| *symbol),
            functions: Functions::bind(&library, &format!("{model_identifier}_")),
            path: path.into(),
            fatal: AtomicBool::new(false),
            instances: AtomicUsize::new(0),
            isolated: None,
            library: Some(library),
        })
    }

    /// A library that is loaded in another process, with the functions of the standard that have their bits set and those
    /// of `more` that lie beyond the standard.
    pub(crate) fn remote(path: &Path, isolated: Isolated, functions: u64, more: u8) -> Self {
        Self {
            stabilize_inputs: (more & 1 != 0).then_some(remote::STABILIZE),
            get_states: (more & 2 != 0).then_some(remote::STATES),
            functions: remote::table(functions),
            path: path.into(),
            fatal: AtomicBool::new(false),
            instances: AtomicUsize::new(0),
            isolated: Some(isolated),
            library: None,
        }
    }

    /// What the library does not keep of the promises that every call rests on, as a sentence.
    pub fn strangeness(&self) -> Option<String> {
        let text = |function: Option<fmi2::fmi2GetVersionTYPE>| {
            // SAFETY: the function takes nothing and returns a text that lives as long as the library.
            let text = unsafe { function?() };
            // SAFETY: as above; null is not a text.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
        };
        if let Some(version) = text(self.functions.fmi2GetVersion)
            && version != fmi2::fmi2Version
        {
            return Some(format!(
                "the library says that it is of FMI {version:?}, not \"2.0\""
            ));
        }
        if let Some(platform) = text(self.functions.fmi2GetTypesPlatform)
            && platform != fmi2::fmi2TypesPlatform
        {
            return Some(format!(
                "the library has the types platform {platform:?}, not \"default\""
            ));
        }
        None
    }

    /// The description that the library hands out itself, where it has the function for it that libraries of this
    /// workspace have.
    pub fn own_description(&self, resources: &Path) -> Option<Vec<u8>> {
        type Sink = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, usize);
        type Describe = unsafe extern "C" fn(*const c_char, Sink, *mut c_void) -> c_int;
        unsafe extern "C" fn sink(context: *mut c_void, kind: c_int, text: *const c_char, length: usize) {
            // Other kinds are notes for the person who packages.
            if kind == 0 && !text.is_null() {
                // SAFETY: the context is the vector below, and the text has this length.
                unsafe {
                    let to = &mut *context.cast::<Vec<u8>>();
                    to.extend_from_slice(std::slice::from_raw_parts(text.cast::<u8>(), length));
                }
            }
        }
        // SAFETY: the symbol has this type wherever it exists.
        let describe = *unsafe { self.library.as_ref()?.get::<Describe>(DESCRIBE) }.ok()?;
        let resources = CString::new(resources.to_str()?).ok()?;
        let call = || {
            let mut text = Vec::<u8>::new();
            // SAFETY: the sink and its context live as long as the call.
            let status = unsafe { describe(resources.as_ptr(), sink, (&raw mut text).cast()) };
            (status == 0).then_some(text)
        };
        // Describing follows all equations of the model, which takes room.
        const STACK: usize = 512 << 20;
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, call)
                .ok()?;
            thread.join().ok().flatten()
        })
    }

    /// The error of a function that the library does not have.
    pub fn missing(&self, function: &'static str) -> Error {
        Error::MissingFunction {
            library: self.path.clone(),
            function,
        }
    }
}

/// What a library cannot resolve, asked for before it is loaded: all symbols at once, where `load` leaves those
/// that are never called.
pub fn unresolved(path: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // SAFETY: as for `load`, which follows.
        let error = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.err()?;
        Some(reason(&error))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// What the operating system says is in the cause.
fn reason(error: &libloading::Error) -> String {
    use std::error::Error as _;
    match error.source() {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

#[cfg(not(windows))]
fn open(path: &Path) -> Result<libloading::Library, String> {
    // SAFETY: loading runs the library's initializers: a caller that creates an instance trusts the FMU.
    let load = || unsafe { libloading::Library::new(path) }.map_err(|error| reason(&error));
    match load() {
        Err(reason) if python::is_missing(&reason, path) => match python::load() {
            true => load(),
            false => Err(format!(
                "{reason}: it expects Python in its process, and there is no shared library of Python 3 here; install \
                 one, or name it in LD_PRELOAD"
            )),
        },
        loaded => loaded,
    }
}

#[cfg(windows)]
fn open(path: &Path) -> Result<libloading::Library, String> {
    use libloading::os::windows;
    // The folder of the library first: FMUs bring their other libraries along.
    let flags = windows::LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | windows::LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
    // SAFETY: loading runs the library's initializers: a caller that creates an instance trusts the FMU.
    let loaded = unsafe { windows::Library::load_with_flags(path, flags) };
    loaded.map(Into::into).map_err(|error| reason(&error))
}
