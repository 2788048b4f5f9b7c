//! How an instance is made.

use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use fmi::description::Interface;
use fmi::fmi2;

use super::{CoSimulation, Instance, ModelExchange, State};
use crate::log::{Environment, Listener, Message, callbacks};
use crate::watch::{Recorder, number_of};
use crate::{Error, Fmu};

/// Memory for event indicators is asked for before the FMU is; more than this is a mistake in the description.
const MOST_INDICATORS: u64 = 10_000_000;

/// How an instance is made, apart from its name.
#[derive(Clone, Default)]
pub struct InstanceOptions {
    visible: bool,
    logging: bool,
    listener: Option<Listener>,
}

impl InstanceOptions {
    /// Invisible, without debug messages, and nobody listens.
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

    /// Who hears the messages; called on whatever thread the FMU logs from.
    ///
    /// ```no_run
    /// use importer::{Fmu, InstanceOptions};
    ///
    /// let options = InstanceOptions::new().logging(true).on_message(|message| eprintln!("{message}"));
    /// let ball = Fmu::open("BouncingBall.fmu")?.model_exchange_with("ball", options)?;
    /// # Ok::<(), importer::Error>(())
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
        if claimed > MOST_INDICATORS {
            return Err(Error::Claim {
                fmu: self.name().into(),
                what: "numberOfEventIndicators",
                claimed,
                most: MOST_INDICATORS,
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
        let library = self.library(&interface.model_identifier)?;
        let text = |text: &str| CString::new(text).map_err(|_| Error::ZeroByte(text.into()));
        let (c_name, guid) = (text(name)?, text(&self.description().guid)?);
        let resources = text(&file_uri(&self.resources()?))?;
        let make = library
            .functions
            .fmi2Instantiate
            .ok_or_else(|| library.missing("fmi2Instantiate"))?;
        let others = library.instances.fetch_add(1, Ordering::Relaxed);
        if others > 0 && interface.can_be_instantiated_only_once_per_process {
            library.instances.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::OnlyOnce {
                fmu: self.name().into(),
            });
        }
        let environment = Environment::new(name, self.names(), options.listener);
        let callbacks = Box::new(callbacks(&environment));
        let recorder = Recorder::new(name);
        recorder.enter(const { number_of("fmi2Instantiate") });
        // SAFETY: all texts end with a zero byte, and name and callbacks live as long as the instance.
        let component = unsafe {
            make(
                c_name.as_ptr(),
                kind,
                guid.as_ptr(),
                resources.as_ptr(),
                &*callbacks,
                options.visible.into(),
                options.logging.into(),
            )
        };
        recorder.leave();
        if component.is_null() {
            library.instances.fetch_sub(1, Ordering::Relaxed);
            environment.close();
            return Err(Error::Instantiate {
                fmu: self.name().into(),
                messages: environment.take(),
            });
        }
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
            fmu: self.clone(),
            _callbacks: callbacks,
            _c_name: c_name,
        })
    }
}

/// A path as the standard wants it: `file:///...`, with what is special in a URI escaped.
pub(crate) fn file_uri(path: &Path) -> String {
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
