//! What the macros expand to. **This module is not part of the public interface**: its items change or disappear in any
//! release, without a new major version. Only code that `fmu-macros` of the same version generates may use it.

pub mod bounds;
pub mod edges;
pub mod hidden;
pub mod integer;
mod keep;
pub mod lift;
pub mod parts;
mod result;
pub mod start;

pub use crate::describe::values::enumeration_type;
pub use crate::{Event, ModelError, Next, cosim, describe, model, scalar};
pub use fmu_macros::equations_of;
pub use fmu_standard as standard;
pub use result::IntoResult;

pub use crate::{
    __bdf_solver as bdf_solver, __entry_points as entry_points, __fmi2_entry_points as fmi2_entry_points,
    __fmi3_entry_points as fmi3_entry_points,
};

/// Internal fields as bytes.
pub mod stored {
    pub use super::keep::{ByBytes, ByNothing, Keep};
    pub use crate::stored::{Damaged, Reader, Stored, Writer};
}

/// What the C functions of every version call.
pub mod instance {
    pub use crate::instance::{Experiment, Instance, Library, boundary};
}

/// What the C functions of FMI 2.0 call.
pub mod fmi2 {
    pub mod boundary {
        pub use crate::fmi2::boundary::*;
    }
    pub mod calls {
        pub use crate::fmi2::calls::*;
    }
    pub mod function {
        pub use crate::fmi2::function::*;
    }
}

/// What the C functions of FMI 3.0 call.
pub mod fmi3 {
    pub mod boundary {
        pub use crate::fmi3::boundary::*;
    }
    pub mod calls {
        pub use crate::fmi3::calls::*;
    }
    pub mod function {
        pub use crate::fmi3::function::*;
    }
    pub use crate::fmi3::Handle;
}
