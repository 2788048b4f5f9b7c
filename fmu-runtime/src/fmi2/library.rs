//! What all instances of a library share.

use super::description::{full_description, model_description};
use super::stack;
use super::variables::Variables;
use crate::ModelError;
use crate::cosim::Facts;
use crate::model::Model;
use fmu_standard::description::{ModelDescription, VendorAnnotation};
use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The version of the bytes of a snapshot: changes with whatever is written, and in which order.
const LAYOUT: u32 = 3;

/// What any host's thread has to spare for a call.
const SMALL_STACK: usize = 256 << 10;

/// One for each exported model, in a `static`. After the last instance is freed it holds no memory, so that a library
/// can be loaded and unloaded any number of times.
pub struct Library {
    /// What packaging says that the library was built from: sources, versions, features.
    sources: Option<&'static str>,
    guid: OnceLock<Guid>,
    variables: Mutex<Option<Arc<Variables>>>,
    /// What co-simulations know of the model.
    facts: Mutex<Option<Facts>>,
    /// The handle of the next snapshot. Handles are never used twice, so one of another instance, or one that was
    /// freed, is recognized.
    next_snapshot: AtomicUsize,
}

/// The GUID in place, without memory of its own.
struct Guid {
    text: [u8; 64],
    length: usize,
}

impl Library {
    /// Nothing is made yet. `sources` is a fingerprint of what the library was built from, where packaging has built it.
    pub const fn new(sources: Option<&'static str>) -> Library {
        Library {
            sources,
            guid: OnceLock::new(),
            variables: Mutex::new(None),
            facts: Mutex::new(None),
            next_snapshot: AtomicUsize::new(1),
        }
    }

    /// Whether `guid` is the model's.
    pub(super) fn answers_to<M: Model>(&self, guid: &[u8]) -> Result<bool, ModelError> {
        if self.guid.get().is_none() {
            let text = model_description::<M>()?.guid;
            let mut own = Guid {
                text: [0; 64],
                length: text.len().min(64),
            };
            own.text[..own.length].copy_from_slice(&text.as_bytes()[..own.length]);
            self.guid.get_or_init(|| own);
        }
        Ok(self.guid() == guid)
    }

    /// The model's GUID, once somebody has asked whether it is.
    pub(super) fn guid(&self) -> &[u8] {
        self.guid.get().map_or(&[], |own| &own.text[..own.length])
    }

    /// The mark of the build: snapshots as bytes can be read by libraries with the same mark only, on any platform. It
    /// covers what packaging knows, and what this crate knows of the bytes.
    pub(super) fn mark<M: Model>(&self) -> String {
        let about = M::about();
        let text = format!(
            "{} {} {LAYOUT} {:?} {}",
            self.sources.unwrap_or("unpackaged"),
            env!("CARGO_PKG_VERSION"),
            about.solver,
            cfg!(feature = "bdf"),
        );
        fmu_standard::fingerprint(text.as_bytes())
    }

    /// The model description with the mark of the build, and notes for the person who packages.
    pub(super) fn describe<M: Model>(
        &'static self,
        resources: &Path,
    ) -> Result<(ModelDescription, Vec<String>), ModelError> {
        let (mut description, mut notes) = full_description::<M>(resources)?;
        notes.extend(self.say_stack::<M>(&description.guid, resources));
        description.vendor_annotations.push(VendorAnnotation {
            tool: fmu_standard::extension::BUILD_TOOL.to_owned(),
            xml: format!("<Build mark=\"{}\"/>", self.mark::<M>()),
        });
        Ok((description, notes))
    }

    /// A note if the calls of the model need more stack than some hosts have.
    fn say_stack<M: Model>(&'static self, guid: &str, resources: &Path) -> Option<String> {
        let guid = CString::new(guid).ok()?;
        // A plain path is a location, too.
        let location = resources.canonicalize().unwrap_or_default();
        let location = CString::new(location.into_os_string().into_encoded_bytes()).ok()?;
        let own = match stack::is_needed::<M>() {
            true => format!(
                "the FMU runs them on a stack of its own of {} MiB",
                stack::size::<M>() >> 20
            ),
            false => "threads of some hosts have no more".to_owned(),
        };
        match stack::measured::<M>(self, &guid, &location) {
            Some(bytes) if bytes <= SMALL_STACK => None,
            Some(bytes) => Some(format!(
                "calls of this model need {} KiB of stack (measured): {own}",
                bytes.div_ceil(1024)
            )),
            None => stack::is_needed::<M>().then(|| {
                format!(
                    "this model is large ({} KiB in memory), and its calls may need more than 256 KiB of stack: {own}",
                    size_of::<M>() >> 10
                )
            }),
        }
    }

    /// The tables of the variables.
    pub(super) fn variables<M: Model>(&self) -> Result<Arc<Variables>, ModelError> {
        let mut shared = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        match &*shared {
            Some(variables) => Ok(variables.clone()),
            None => Ok(shared.insert(Arc::new(Variables::of::<M>()?)).clone()),
        }
    }

    /// What a co-simulation must know of the model; `resources` is the folder with what `fn instantiate` reads.
    pub(super) fn facts<M: Model>(&self, resources: &Path) -> Result<Facts, ModelError> {
        let mut shared = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        match &*shared {
            Some(facts) => Ok(facts.clone()),
            None => Ok(shared.insert(Facts::for_solver::<M>(resources)?).clone()),
        }
    }

    /// An instance is gone: the tables go with the last one.
    pub(super) fn tidy(&self) {
        let mut shared = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        if shared
            .as_ref()
            .is_some_and(|variables| Arc::strong_count(variables) == 1)
        {
            *shared = None;
            *self.facts.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    pub(super) fn new_snapshot(&self) -> usize {
        self.next_snapshot.fetch_add(1, Ordering::Relaxed)
    }
}
