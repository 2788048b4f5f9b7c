//! Snapshots of an instance: `fmi2FMUstate`, freed by themselves.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fmu_standard::fmi2;

use super::{Instance, State, call};
use crate::Error;

/// The complete state of an instance at one time. It can be restored any number of times, into the same instance.
///
/// Freed when it is dropped, or with the instance, whichever comes first.
#[derive(Debug)]
pub struct Snapshot {
    number: u64,
    state: State,
    outstanding: Arc<Outstanding>,
}

/// A snapshot as bytes, for another process or another day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerializedSnapshot {
    /// What the FMU wrote.
    pub bytes: Vec<u8>,
    /// Where the instance stood.
    pub state: State,
}

/// The FMU's side of the snapshots of one instance. A snapshot may be dropped on another thread while the instance is
/// being called, so dropping only leaves a note; the instance frees.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    list: Mutex<List>,
}

#[derive(Debug, Default)]
struct List {
    next: u64,
    alive: BTreeMap<u64, Pointer>,
    dropped: Vec<Pointer>,
}

#[derive(Clone, Copy, Debug)]
struct Pointer(fmi2::fmi2FMUstate);

// SAFETY: the pointer means something to the FMU alone, and goes back to it through the instance.
unsafe impl Send for Pointer {}

impl Outstanding {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let mut list = self.outstanding.list();
        if let Some(pointer) = list.alive.remove(&self.number) {
            list.dropped.push(pointer);
        }
    }
}

impl Snapshot {
    /// Where the instance stood.
    pub fn state(&self) -> State {
        self.state
    }
}

impl Instance {
    /// Takes a snapshot.
    pub fn snapshot(&mut self) -> Result<Snapshot, Error> {
        self.can_snapshot("fmi2GetFMUstate")?;
        self.free_dropped();
        let mut pointer = std::ptr::null_mut();
        call!(self, fmi2GetFMUstate, &mut pointer)?;
        Ok(self.keep(pointer, self.state))
    }

    /// Takes a snapshot in the place of an earlier one, whose memory the FMU may use again.
    pub fn snapshot_into(&mut self, snapshot: &mut Snapshot) -> Result<(), Error> {
        self.can_snapshot("fmi2GetFMUstate")?;
        let mut pointer = self.pointer_of(snapshot)?;
        let result = call!(self, fmi2GetFMUstate, &mut pointer);
        let mut list = self.outstanding.list();
        if let Some(entry) = list.alive.get_mut(&snapshot.number) {
            *entry = Pointer(pointer);
        }
        drop(list);
        result?;
        snapshot.state = self.state;
        Ok(())
    }

    /// Goes back to a snapshot.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        self.can_snapshot("fmi2SetFMUstate")?;
        let pointer = self.pointer_of(snapshot)?;
        call!(self, fmi2SetFMUstate, pointer)?;
        self.state = snapshot.state;
        Ok(())
    }

    /// A snapshot as bytes.
    pub fn serialize(&mut self, snapshot: &Snapshot) -> Result<SerializedSnapshot, Error> {
        self.can_serialize("fmi2SerializeFMUstate")?;
        let pointer = self.pointer_of(snapshot)?;
        let mut size = 0;
        call!(self, fmi2SerializedFMUstateSize, pointer, &mut size)?;
        let mut bytes: Vec<u8> = Vec::new();
        if bytes.try_reserve_exact(size).is_err() {
            return Err(Error::Nonsense {
                instance: self.name.clone(),
                function: "fmi2SerializedFMUstateSize",
                answer: format!("{size} bytes, more than this machine has"),
            });
        }
        bytes.resize(size, 0);
        call!(
            self,
            fmi2SerializeFMUstate,
            pointer,
            bytes.as_mut_ptr().cast(),
            size
        )?;
        Ok(SerializedSnapshot {
            bytes,
            state: snapshot.state,
        })
    }

    /// A snapshot from bytes that an instance of the same FMU wrote.
    pub fn deserialize(&mut self, serialized: &SerializedSnapshot) -> Result<Snapshot, Error> {
        self.can_serialize("fmi2DeSerializeFMUstate")?;
        self.free_dropped();
        let mut pointer = std::ptr::null_mut();
        let bytes = &serialized.bytes;
        call!(
            self,
            fmi2DeSerializeFMUstate,
            bytes.as_ptr().cast(),
            bytes.len(),
            &mut pointer
        )?;
        Ok(self.keep(pointer, serialized.state))
    }

    fn can_snapshot(&self, function: &'static str) -> Result<(), Error> {
        if self.interface().can_get_and_set_fmu_state {
            return Ok(());
        }
        Err(self.no_capability(function, "canGetAndSetFMUstate"))
    }

    fn can_serialize(&self, function: &'static str) -> Result<(), Error> {
        if self.interface().can_serialize_fmu_state {
            return Ok(());
        }
        Err(self.no_capability(function, "canSerializeFMUstate"))
    }

    fn keep(&mut self, pointer: fmi2::fmi2FMUstate, state: State) -> Snapshot {
        let mut list = self.outstanding.list();
        let number = list.next;
        list.next += 1;
        list.alive.insert(number, Pointer(pointer));
        Snapshot {
            number,
            state,
            outstanding: self.outstanding.clone(),
        }
    }

    fn pointer_of(&self, snapshot: &Snapshot) -> Result<fmi2::fmi2FMUstate, Error> {
        let own = Arc::ptr_eq(&self.outstanding, &snapshot.outstanding);
        let list = self.outstanding.list();
        let found = list.alive.get(&snapshot.number).filter(|_| own);
        found
            .map(|pointer| pointer.0)
            .ok_or_else(|| Error::ForeignSnapshot {
                instance: self.name.clone(),
            })
    }

    fn free_dropped(&mut self) {
        let dropped = std::mem::take(&mut self.outstanding.list().dropped);
        self.free(dropped);
    }

    pub(super) fn free_snapshots(&mut self) {
        let mut list = self.outstanding.list();
        let mut all = std::mem::take(&mut list.dropped);
        all.extend(std::mem::take(&mut list.alive).into_values());
        drop(list);
        self.free(all);
    }

    fn free(&mut self, pointers: Vec<Pointer>) {
        if self.state == State::Fatal || self.library.fatal.load(std::sync::atomic::Ordering::Relaxed) {
            return;
        }
        let Some(free) = self.library.functions.fmi2FreeFMUstate else {
            return;
        };
        for Pointer(mut pointer) in pointers {
            if !pointer.is_null() {
                self.recorder
                    .enter(const { crate::watch::number_of("fmi2FreeFMUstate") });
                // SAFETY: the snapshot came from this instance, and nothing else refers to it.
                unsafe { free(self.component, &mut pointer) };
                self.recorder.leave();
            }
        }
    }
}
