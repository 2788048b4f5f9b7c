//! What all instances of a library share.

use super::Vocabulary;
use super::variables::Variables;
use crate::ModelError;
use crate::cosim::Facts;
use crate::model::Model;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The version of the bytes of a snapshot: changes with its content and order.
const LAYOUT: u32 = 3;

/// One for each exported model, in a `static`. After the last instance is freed it holds no memory, so that a library
/// can be loaded and unloaded any number of times.
pub struct Library {
    /// A fingerprint of what the library was built from, by packaging: sources, versions, features.
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

    /// Whether `guid` is that of the model, which `own` computes.
    pub(crate) fn answers_to(
        &self,
        guid: &[u8],
        own: impl FnOnce() -> Result<String, ModelError>,
    ) -> Result<bool, ModelError> {
        if self.guid.get().is_none() {
            let text = own()?;
            let mut own = Guid {
                text: [0; 64],
                length: text.len().min(64),
            };
            own.text[..own.length].copy_from_slice(&text.as_bytes()[..own.length]);
            self.guid.get_or_init(|| own);
        }
        Ok(self.guid() == guid)
    }

    /// The model's GUID, once [`Library::answers_to`] has been called.
    pub(super) fn guid(&self) -> &[u8] {
        self.guid.get().map_or(&[], |own| &own.text[..own.length])
    }

    /// The mark of the build: snapshots as bytes can be read by libraries with the same mark only, on any platform. It
    /// covers what packaging knows, and what this crate knows of the bytes.
    pub(crate) fn mark<M: Model>(&self) -> String {
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

    /// The tables of the variables.
    pub(super) fn variables<M: Model>(&self, vocabulary: &Vocabulary) -> Result<Arc<Variables>, ModelError> {
        let mut shared = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        match &*shared {
            Some(variables) => Ok(variables.clone()),
            None => Ok(shared.insert(Arc::new(Variables::of::<M>(vocabulary)?)).clone()),
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
