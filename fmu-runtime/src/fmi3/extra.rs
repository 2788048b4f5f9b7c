//! What an instance of FMI 3.0 has beside the instance that all versions share: addresses of value references, and what the
//! environment has chosen when it created a co-simulation.

use super::dependencies::Rows;
use super::layout::{Address, Arrays, Type, addresses, layout};
use crate::cosim::Stops;
use crate::describe::{Described, described};
use crate::instance::{Instance, Outcome, Problem};
use crate::model::Model;
use fmu_standard::fmi3::fmi3ValueReference;

/// What the environment's pointer points to. The instance comes first, so that a pointer to this is one to the instance, too.
#[repr(C)]
pub struct Handle<M: Model> {
    /// The instance.
    pub instance: Instance<M>,
    /// What FMI 3.0 adds.
    pub extra: Extra,
}

/// What FMI 3.0 adds to an instance.
pub struct Extra {
    addresses: Box<[Address]>,
    pub(super) arrays: Arrays,
    /// The environment handles events of a co-simulation.
    pub event_mode_used: bool,
    /// A communication step may end early.
    pub early_return_allowed: bool,
    stops: Stops,
    /// The slots of the call at hand, for two lists of value references.
    slots: [Vec<u32>; 2],
    /// What elements depend on, before and after initialization, once it was asked for.
    pub(super) rows: [Option<Rows>; 2],
}

/// The two lists of value references that a call may have.
#[derive(Clone, Copy)]
pub enum List {
    /// The first one, or the only one.
    First = 0,
    /// The second one.
    Second = 1,
}

impl Extra {
    /// For a model, with the flags of `fmi3InstantiateCoSimulation`.
    pub fn new<M: Model>(
        described: &Described,
        arrays: Arrays,
        event_mode_used: bool,
        early_return_allowed: bool,
    ) -> Extra {
        Extra {
            addresses: addresses::<M>(described, arrays),
            arrays,
            event_mode_used,
            early_return_allowed,
            stops: Stops::of(event_mode_used, early_return_allowed),
            slots: [Vec::new(), Vec::new()],
            rows: [None, None],
        }
    }

    /// Where communication steps stop.
    pub fn stops(&self) -> Stops {
        self.stops
    }

    /// The address of a value reference.
    pub fn address(&self, reference: fmi3ValueReference) -> Option<Address> {
        self.addresses.get(reference as usize).copied()
    }

    /// The slots of some variables of one type, element by element. `count` is the number of values that the caller has.
    #[inline]
    pub fn resolve<M: Model>(
        &mut self,
        list: List,
        references: &[fmi3ValueReference],
        wanted: Type,
        (name, count): (&str, usize),
    ) -> Outcome {
        let slots = &mut self.slots[list as usize];
        slots.clear();
        for &reference in references {
            match self.addresses.get(reference as usize) {
                Some(address) if address.kind == wanted => {
                    slots.extend(address.first..address.first + address.length);
                }
                _ => return Err(self.mismatch::<M>(reference, &format!("{wanted:?}"))),
            }
        }
        match slots.len() == count {
            true => Ok(()),
            false => Err(wrong_count(name, count, slots.len())),
        }
    }

    /// The slots that [`Extra::resolve`] has found.
    #[inline]
    pub fn slots(&self, list: List) -> &[u32] {
        &self.slots[list as usize]
    }

    /// Refuses a value reference that no variable has.
    pub fn require<M: Model>(&self, reference: fmi3ValueReference) -> Outcome {
        match self.address(reference) {
            Some(_) => Ok(()),
            None => Err(self.mismatch::<M>(reference, "")),
        }
    }

    /// Refuses variables of a type that this FMU does not have.
    pub fn refuse<M: Model>(&self, references: &[fmi3ValueReference], wanted: &str, count: usize) -> Outcome {
        match references.first() {
            Some(&reference) => Err(self.mismatch::<M>(reference, wanted)),
            None if count > 0 => Err(wrong_count("nValues", count, 0)),
            None => Ok(()),
        }
    }

    #[cold]
    fn mismatch<M: Model>(&self, reference: fmi3ValueReference, wanted: &str) -> Box<Problem> {
        let Some(address) = self.address(reference) else {
            return Problem::error(format!(
                "no variable has the value reference {reference}; there are 0 to {}",
                self.addresses.len() - 1
            ));
        };
        let name = self.name_of::<M>(reference);
        let has = match address.kind {
            Type::Enumeration => "Enumeration, which has the functions of Int64".to_owned(),
            kind => format!("{kind:?}"),
        };
        Problem::error(format!(
            "variable '{name}' (value reference {reference}) is not of type {wanted}: it is of type {has}"
        ))
    }

    /// The name of a variable, for messages: looked up where needed rather than kept.
    #[cold]
    pub fn name_of<M: Model>(&self, reference: fmi3ValueReference) -> String {
        let Ok(described) = described::<M>() else {
            return String::new();
        };
        let items = layout::<M>(&described, self.arrays);
        let item = items.get(reference as usize);
        item.map_or(String::new(), |item| {
            super::description::name_of(&described, item)
        })
    }
}

#[cold]
fn wrong_count(name: &str, count: usize, expected: usize) -> Box<Problem> {
    Problem::error(format!(
        "{name} is {count}, but the variables have {expected} values"
    ))
}
