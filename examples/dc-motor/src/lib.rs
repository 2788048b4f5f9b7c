//! A motor made of two parts, each a model of its own, with units.
//!
//! A `#[part]` brings its variables along under its name: `armature.current`, `rotor.speed`. It is evaluated without
//! being asked. Inputs that the model around it drives stand in `connect(...)`, and `fn connections` gives them; other
//! inputs of a part stay inputs of the FMU. Units are checked when the model is compiled.

mod armature;
mod rotor;

pub use armature::Armature;
pub use rotor::Rotor;

use fmu_runtime::prelude::*;

/// A direct-current motor with permanent magnets.
#[model(stop_time = 1.0, step_size = 0.01)]
pub struct DCMotor {
    /// Voltage at the terminals
    #[input(start = 24.0, unit = "V")]
    pub voltage: f64,
    /// Torque of the machine that the motor drives, against the rotation
    #[input(start = 0.0, unit = "N.m")]
    pub load: f64,
    /// Torque per current, and voltage per speed: they are the same number
    #[parameter(start = 0.05, unit = "N.m/A", min = 0.0)]
    pub constant: f64,
    /// Speed of rotation
    #[output(unit = "rad/s", display_unit = "rpm")]
    pub speed: f64,
    /// Current through the armature
    #[output(unit = "A")]
    pub current: f64,
    /// Torque on the rotor, before load and friction
    #[output(unit = "N.m")]
    pub torque: f64,
    /// Electrical side
    #[part(connect(voltage, back_voltage))]
    pub armature: Armature,
    /// Mechanical side
    #[part(connect(torque))]
    pub rotor: Rotor,
}

#[equations]
impl Model for DCMotor {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            armature_voltage: self.voltage,
            armature_back_voltage: self.constant * self.rotor.speed,
            rotor_torque: self.air_gap_torque() - self.load,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            speed: self.rotor.speed,
            current: self.armature.current,
            torque: self.air_gap_torque(),
        }
    }
}

// Methods that several equations call; tests may, too.
#[equations]
impl DCMotor {
    fn air_gap_torque(&self) -> f64 {
        self.constant * self.armature.current
    }
}

export_fmu!(DCMotor);
