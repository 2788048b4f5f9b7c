//! How an instance is made.

use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use fmu_standard::description::Interface;
use fmu_standard::fmi2;
use fmu_standard::shared::MOST_EVENT_INDICATORS;

use super::{CoSimulation, Instance, ModelExchange, State};
use crate::library::Library;
use crate::log::{Environment, Listener, Message, callbacks};
use crate::remote::{Host, Isolated};
use crate::watch::{LOADING, Recorder, number_of};
use crate::{Error, Fmu};

/// How an instance is made, apart from its name.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct InstanceOptions {
    visible: bool,
    logging: bool,
    listener: Option<Listener>,
    host: Option<Arc<dyn Host>>,
}

impl InstanceOptions {
    /// Invisible, without debug messages, and without a listener.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the FMU may open windows.
    pub fn visible(mut self, visible: bool) -> Self {
        self.visible = visible;
        self
    }

    /// Whether the FMU logs for debugging; errors and warnings arrive in any case.
    pub fn logging(mut self, logging: bool) -> Self {
        self.logging = logging;
        self
    }

    /// Runs the instance in a process of its own, which this host starts. An FMU that crashes or exits then ends a call
    /// with an error, and FMUs that exist once in a process may have several instances.
    pub fn host(mut self, host: Arc<dyn Host>) -> Self {
        self.host = Some(host);
        self
    }

    /// Receives the messages; called on the thread from which the FMU logs.
    ///
    /// ```no_run
    /// use fmu_importer::{Fmu, InstanceOptions};
    ///
    /// let options = InstanceOptions::new().logging(true).on_message(|message| eprintln!("{message}"));
    /// let ball = Fmu::open("BouncingBall.fmu")?.model_exchange_with("ball", options)?;
    /// # Ok::<(), fmu_importer::Error>(())
    /// ```
    pub fn on_message(mut self, listener: impl FnMut(&Message) + Send + 'static) -> Self {
        self.listener = Some(Arc::new(Mutex::new(listener)));
        self
    }
}

impl Fmu {
    /// Makes an instance for Model Exchange.
    pub fn model_exchange(&self, name: &str) -> Result<ModelExchange, Error> {
        self.model_exchange_with(name, InstanceOptions::default())
    }

    /// Makes an instance for Model Exchange with options.
    pub fn model_exchange_with(&self, name: &str, options: InstanceOptions) -> Result<ModelExchange, Error> {
        let Some(me) = &self.description().model_exchange else {
            return Err(self.no_interface("Model Exchange", "Co-Simulation"));
        };
        let claimed = self.description().number_of_event_indicators.unwrap_or(0);
        if claimed > MOST_EVENT_INDICATORS {
            return Err(Error::Claim {
                fmu: self.name().into(),
                what: "numberOfEventIndicators",
                claimed,
                most: MOST_EVENT_INDICATORS,
            });
        }
        let instance = self.instantiate(name, fmi2::fmi2ModelExchange, &me.interface, options)?;
        Ok(ModelExchange::new(instance))
    }

    /// Makes an instance for Co-Simulation.
    pub fn co_simulation(&self, name: &str) -> Result<CoSimulation, Error> {
        self.co_simulation_with(name, InstanceOptions::default())
    }

    /// Makes an instance for Co-Simulation with options.
    pub fn co_simulation_with(&self, name: &str, options: InstanceOptions) -> Result<CoSimulation, Error> {
        let Some(cs) = &self.description().co_simulation else {
            return Err(self.no_interface("Co-Simulation", "Model Exchange"));
        };
        let instance = self.instantiate(name, fmi2::fmi2CoSimulation, &cs.interface, options)?;
        Ok(CoSimulation::new(instance))
    }

    fn no_interface(&self, interface: &'static str, other: &'static str) -> Error {
        let description = self.description();
        let any = description.model_exchange.is_some() || description.co_simulation.is_some();
        Error::NoInterface {
            fmu: self.name().into(),
            interface,
            other: any.then_some(other),
        }
    }

    fn instantiate(
        &self,
        name: &str,
        kind: fmi2::fmi2Type,
        interface: &Interface,
        options: InstanceOptions,
    ) -> Result<Instance, Error> {
        let text = |text: &str| CString::new(text).map_err(|_| Error::ZeroByte(text.into()));
        let environment = Environment::new(name, self.names(), options.listener.clone());
        let made = Made {
            fmu: self,
            name,
            c_name: text(name)?,
            kind,
            interface,
            resources: file_uri(&self.resources()?),
            callbacks: Box::new(callbacks(&environment)),
            environment: &environment,
            recorder: Recorder::new(name),
            options: &options,
        };
        let component = match &options.host {
            Some(host) => made.elsewhere(&**host),
            None => made.here(),
        };
        let Made {
            c_name,
            callbacks,
            recorder,
            ..
        } = made;
        let (library, component) = component.inspect_err(|_| environment.close())?;
        Ok(Instance {
            component,
            kind,
            state: State::Instantiated,
            name: name.into(),
            library,
            environment,
            recorder,
            outstanding: Arc::default(),
            scratch: Default::default(),
            start_values: Vec::new(),
            lost_values: Vec::new(),
            warned: 0,
            first_warning: None,
            span: (f64::NEG_INFINITY, f64::INFINITY),
            fmu: self.clone(),
            _callbacks: callbacks,
            _c_name: c_name,
        })
    }
}

/// An instance that is being made.
struct Made<'a> {
    fmu: &'a Fmu,
    name: &'a str,
    c_name: CString,
    kind: fmi2::fmi2Type,
    interface: &'a Interface,
    /// The folder of the resources, as a URI.
    resources: String,
    callbacks: Box<fmi2::fmi2CallbackFunctions>,
    environment: &'a Arc<Environment>,
    recorder: Recorder,
    options: &'a InstanceOptions,
}

impl Made<'_> {
    /// In this process.
    fn here(&self) -> Result<(Arc<Library>, fmi2::fmi2Component), Error> {
        let library = self.fmu.library(&self.interface.model_identifier)?;
        let text = |text: &str| CString::new(text).map_err(|_| Error::ZeroByte(text.into()));
        let (guid, resources) = (text(&self.fmu.description().guid)?, text(&self.resources)?);
        let make = library
            .functions
            .fmi2Instantiate
            .ok_or_else(|| library.missing("fmi2Instantiate"))?;
        let others = library.instances.fetch_add(1, Ordering::Relaxed);
        if others > 0 && self.interface.can_be_instantiated_only_once_per_process {
            library.instances.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::OnlyOnce {
                fmu: self.fmu.name().into(),
            });
        }
        self.recorder.enter(const { number_of("fmi2Instantiate") });
        // SAFETY: all texts end with a zero byte, and name and callbacks live as long as the instance.
        let component = unsafe {
            make(
                self.c_name.as_ptr(),
                self.kind,
                guid.as_ptr(),
                resources.as_ptr(),
                &*self.callbacks,
                self.options.visible.into(),
                self.options.logging.into(),
            )
        };
        self.recorder.leave();
        if component.is_null() {
            library.instances.fetch_sub(1, Ordering::Relaxed);
            return Err(self.none());
        }
        Ok((library, component))
    }

    /// In a process of its own.
    fn elsewhere(&self, host: &dyn Host) -> Result<(Arc<Library>, fmi2::fmi2Component), Error> {
        let identifier = &self.interface.model_identifier;
        let path = self.fmu.library_path(identifier)?;
        self.recorder.enter(const { number_of(LOADING) });
        let started = Isolated::start(host, self.name, self.environment.clone(), &path, identifier);
        self.recorder.leave();
        let (library, strangeness) = started?;
        self.fmu.warn(strangeness);
        let Some(isolated) = &library.isolated else {
            return Err(self.none());
        };
        let guid = &self.fmu.description().guid;
        let (visible, logging) = (self.options.visible, self.options.logging);
        self.recorder.enter(const { number_of("fmi2Instantiate") });
        let made = isolated.instantiate(self.name, self.kind, guid, &self.resources, visible, logging);
        self.recorder.leave();
        if let Some(ended) = isolated.ended() {
            return Err(ended.to_error(self.name));
        }
        if !made {
            return Err(self.none());
        }
        library.instances.fetch_add(1, Ordering::Relaxed);
        let component = isolated.component();
        Ok((Arc::new(library), component))
    }

    fn none(&self) -> Error {
        Error::Instantiate {
            fmu: self.fmu.name().into(),
            messages: self.environment.take(),
        }
    }
}

/// A path as the standard wants it: `file:///...`, with what is special in a URI escaped.
pub fn file_uri(path: &Path) -> String {
    let path = path.to_string_lossy();
    // What Windows answers for an absolute path may begin so; a URI cannot.
    let path = path.strip_prefix(r"\\?\").unwrap_or(&path);
    let mut uri = String::from("file://");
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte.into())
            }
            b':' if cfg!(windows) => uri.push(':'),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(all(test, unix))]
mod tests {
    use super::file_uri;

    #[test]
    fn a_folder_becomes_a_uri() {
        assert_eq!(file_uri("/tmp/a b/ä#1".as_ref()), "file:///tmp/a%20b/%C3%A4%231");
    }
}
