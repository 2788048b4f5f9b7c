//! The calling side: requests out, answers and questions back.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use fmu_standard::fmi2::{self, fmi2Component, fmi2Status};

use super::link::{End, Gone, Peer, Side};
use super::message::{Message, Reader};
use super::{Host, Process, Started, reply, request};
use crate::Error;
use crate::instance::Callback;
use crate::library::Library;
use crate::log::Environment;
use crate::watch::{LOADING, function, number_of};

/// How the process of an instance ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    /// As the end of a sentence.
    pub how: String,
    /// What it was doing.
    pub function: &'static str,
    /// The time of the instance; NaN before it was first set.
    pub time: f64,
}

/// An instance in another process.
pub(super) struct Remote {
    end: End<Watched>,
    environment: Arc<Environment>,
    ended: Arc<OnceLock<Ended>>,
    out: Message,
    answer: Vec<u8>,
    pub time: f64,
    /// Texts that the caller of the last function may still read.
    pub texts: Vec<CString>,
    pub stabilizer: Option<(Callback, *mut c_void)>,
}

/// The process at the other end.
struct Watched {
    process: Box<dyn Process>,
    how: Option<String>,
}

impl Peer for Watched {
    fn has_gone(&mut self) -> bool {
        if self.how.is_none() {
            self.how = self.process.ended();
        }
        self.how.is_some()
    }
}

/// The instance in another process that belongs to a [`Library`], whose component is the address of it.
pub(crate) struct Isolated {
    remote: *mut Remote,
    ended: Arc<OnceLock<Ended>>,
}

// SAFETY: the instance is used by the one thread that calls it, or by the one that drops the library; the rest may be
// shared between threads.
unsafe impl Send for Isolated {}
// SAFETY: as above.
unsafe impl Sync for Isolated {}

impl Drop for Isolated {
    fn drop(&mut self) {
        // SAFETY: it was made by `Box::into_raw`, and the instance that used it has gone.
        drop(unsafe { Box::from_raw(self.remote) });
    }
}

impl Isolated {
    /// How the process ended, if it has.
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.get()
    }

    /// What stands for the instance in calls.
    pub fn component(&self) -> fmi2Component {
        self.remote.cast()
    }

    /// Starts a process for an instance and loads a library in it. The second value is what the library does not keep
    /// of its promises, as a sentence.
    pub fn start(
        host: &dyn Host,
        instance: &str,
        environment: Arc<Environment>,
        path: &Path,
        model_identifier: &str,
    ) -> Result<(Library, Option<String>), Error> {
        let failed = |reason: String| Error::Isolate {
            instance: instance.into(),
            reason,
        };
        let Started { link, process } = host.start(instance).map_err(|error| failed(error.to_string()))?;
        let ended = Arc::new(OnceLock::new());
        let mut remote = Box::new(Remote {
            end: End::new(link, Side::Client, Watched { process, how: None }),
            environment,
            ended: ended.clone(),
            out: Message::default(),
            answer: Vec::new(),
            time: f64::NAN,
            texts: Vec::new(),
            stabilizer: None,
        });
        let mut loaded = None;
        let status = remote.request(
            request::LOAD,
            |out| {
                out.text(&path.to_string_lossy()).text(model_identifier);
            },
            |answer| {
                let functions: u64 = answer.take()?;
                let more: u8 = answer.take()?;
                loaded = Some((functions, more, answer.text()?));
                Some(())
            },
        );
        if let Some(ended) = ended.get() {
            return Err(ended.to_error(instance));
        }
        let Some((functions, more, said)) = loaded.filter(|_| status == fmi2::fmi2OK) else {
            return Err(Error::Load {
                library: path.into(),
                reason: remote.reason(),
            });
        };
        let isolated = Isolated {
            remote: Box::into_raw(remote),
            ended,
        };
        let library = Library::remote(path, isolated, functions, more);
        Ok((library, Some(said).filter(|said| !said.is_empty())))
    }

    /// Makes the instance; whether that worked.
    pub fn instantiate(
        &self,
        name: &str,
        kind: fmi2::fmi2Type,
        guid: &str,
        resources: &str,
        visible: bool,
        logging: bool,
    ) -> bool {
        // SAFETY: the remote lives as long as `self`, and nothing else uses it before there is an instance.
        let remote = unsafe { &mut *self.remote };
        let status = remote.request(
            const { number_of("fmi2Instantiate") },
            |out| {
                out.text(name).put(kind.0).text(guid).text(resources);
                out.put(u8::from(visible)).put(u8::from(logging));
            },
            |_| Some(()),
        );
        status == fmi2::fmi2OK
    }

    /// Sets inputs, makes a step and, if that is done, reads outputs; the statuses of the three calls, of those that
    /// were made.
    ///
    /// # Safety
    /// The instance that the library belongs to makes no other call meanwhile.
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn advance(
        &self,
        inputs: &[u32],
        u: &[f64],
        time: f64,
        step: f64,
        no_set_state_before: bool,
        outputs: &[u32],
        y: &mut [f64],
    ) -> [Option<fmi2Status>; 3] {
        // SAFETY: the remote lives as long as `self`, and the caller promises that nothing else uses it.
        let remote = unsafe { &mut *self.remote };
        remote.time = time;
        let mut statuses = [NOT_CALLED; 3];
        let status = remote.request(
            request::ADVANCE,
            |out| {
                out.array(inputs).array(u).put(time).put(step);
                out.put(i32::from(no_set_state_before)).array(outputs);
            },
            |answer| {
                answer.array_into(&mut statuses)?;
                match statuses[2] {
                    NOT_CALLED => Some(()),
                    _ => answer.array_into(y),
                }
            },
        );
        if status != fmi2::fmi2OK {
            // Whatever it was doing, the process has ended, and the error says in which function.
            return [None, Some(status), None];
        }
        statuses.map(|status| (status != NOT_CALLED).then_some(fmi2Status(status)))
    }
}

/// In the place of a status of a function that was not called.
pub(super) const NOT_CALLED: i32 = -1;

impl Ended {
    /// As an error of a call.
    pub fn to_error(&self, instance: &str) -> Error {
        Error::ProcessEnded {
            instance: instance.into(),
            function: self.function,
            time: Some(self.time).filter(|time| !time.is_nan()),
            how: self.how.clone(),
        }
    }
}

impl Remote {
    /// Asks for a function of the standard or something beside it. `take` reads the answer of a call that went well.
    pub fn request(
        &mut self,
        function: u32,
        put: impl FnOnce(&mut Message),
        take: impl FnOnce(&mut Reader) -> Option<()>,
    ) -> fmi2Status {
        if self.ended.get().is_some() {
            return fmi2::fmi2Fatal;
        }
        self.out.clear().put(function);
        put(&mut self.out);
        if self.exchange().is_err() {
            return self.over(function, None);
        }
        let mut reader = Reader(&self.answer);
        let _kind: Option<u8> = reader.take();
        let Some(status) = reader.take().map(fmi2Status) else {
            return self.over(function, Some(DAMAGED));
        };
        let went_well = status == fmi2::fmi2OK || status == fmi2::fmi2Warning;
        if went_well && take(&mut reader).is_none() {
            return self.over(function, Some(DAMAGED));
        }
        status
    }

    /// Sends the request, answers questions that come back, and waits for the answer.
    fn exchange(&mut self) -> Result<(), Gone> {
        self.end.send(&self.out.0)?;
        loop {
            self.end.receive(&mut self.answer)?;
            let mut reader = Reader(&self.answer);
            self.out.clear();
            match reader.take() {
                Some(reply::LOG) => {
                    let mut hear = || {
                        let status = fmi2Status(reader.take()?);
                        let (instance, category) = (reader.text()?, reader.text()?);
                        let text = reader.text()?;
                        self.environment.hear(status.into(), instance, category, &text);
                        Some(())
                    };
                    let _ = hear();
                }
                Some(reply::DERIVATIVES) => {
                    let status = derivatives(self.stabilizer, &mut reader, &mut self.out);
                    if status.is_none() {
                        self.out.clear().put(fmi2::fmi2Error.0);
                    }
                }
                _ => return Ok(()),
            }
            self.end.send(&self.out.0)?;
        }
    }

    /// The process has ended, or can no longer be understood.
    #[cold]
    fn over(&mut self, asked: u32, how: Option<&str>) -> fmi2Status {
        let how = how.map(str::to_owned).or_else(|| self.end.peer.how.clone());
        let running = function(self.end.link.running());
        let _ = self.ended.set(Ended {
            how: how.unwrap_or_else(|| "ended".into()),
            function: running.or(function(asked)).unwrap_or(LOADING),
            time: self.time,
        });
        fmi2::fmi2Fatal
    }

    /// The reason that came instead of an answer.
    fn reason(&self) -> String {
        let mut reader = Reader(&self.answer);
        let _: (Option<u8>, Option<i32>) = (reader.take(), reader.take());
        reader.text().unwrap_or_else(|| DAMAGED.into())
    }

    /// The instance was freed, which cannot fail; so an error goes to the host.
    pub fn report_loss(&mut self) {
        if let Some(ended) = self.ended.get() {
            let error = ended.to_error(self.environment.instance());
            self.end.peer.process.lost(&error);
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // Asks the process to end; the host that started it makes sure that it does.
        if self.ended.get().is_none() {
            self.out.clear().put(request::CLOSE);
            let _ = self.end.send(&self.out.0);
        }
    }
}

/// A part of a sentence.
const DAMAGED: &str = "sent a damaged answer: the FMU has written over memory that is not its own";

/// Calls the function that drives stabilized inputs.
fn derivatives(
    stabilizer: Option<(Callback, *mut c_void)>,
    question: &mut Reader,
    out: &mut Message,
) -> Option<()> {
    let (callback, context) = stabilizer?;
    let time: f64 = question.take()?;
    let (mut u, mut x, mut dx) = (Vec::new(), Vec::new(), Vec::new());
    question.array(&mut u)?;
    question.array(&mut x)?;
    question.array(&mut dx)?;
    (x.len() == dx.len()).then_some(())?;
    let mut du = vec![0.0; u.len()];
    // SAFETY: callback and context came together from an instance that is being called and keeps both alive; the arrays
    // have the lengths beside them.
    let status = unsafe {
        callback(
            context,
            time,
            u.as_ptr(),
            u.len(),
            x.as_ptr(),
            dx.as_ptr(),
            x.len(),
            du.as_mut_ptr(),
        )
    };
    out.put(status.0).array(&du);
    Some(())
}
