//! A quarter of a car: several models in one crate, each an FMU of its own.
//!
//! `export_fmu!` lists the models, and so does `Cargo.toml`: `[package.metadata.fmu] models = [...]`. What a coupling
//! needs to be exact is already there: the wheel's outputs are states, so the two bodies feed nothing through.
//!
//! After Andersson 2016, equations 9.11 and 9.12, with one sign put right: spring and damper between the bodies push
//! the wheel with the opposite of what they push the chassis with. (As printed the system has eigenvalues in the right
//! half plane, and the figures beside it show a car that comes to rest.)

mod chassis;
mod wheel;

pub use chassis::Chassis;
pub use wheel::Wheel;

use fmu_runtime::prelude::*;

/// Wheel and chassis in one model, for comparison: what no coupling can be wrong about.
#[model(stop_time = 1.0, step_size = 0.001)]
pub struct QuarterCar {
    /// Wheel on the road
    #[part(connect(x_chassis, v_chassis))]
    pub wheel: Wheel,
    /// Body above it
    #[part(connect(x_wheel, v_wheel))]
    pub chassis: Chassis,
}

#[equations]
impl Model for QuarterCar {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            wheel_x_chassis: self.chassis.x,
            wheel_v_chassis: self.chassis.v,
            chassis_x_wheel: self.wheel.x,
            chassis_v_wheel: self.wheel.v,
        }
    }
}

export_fmu!(Wheel, Chassis, QuarterCar);
