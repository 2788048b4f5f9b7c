//! A part from another crate: the motor of the `dc-motor` example, which is an FMU of its own, inside another one.
//!
//! A crate with `export_fmu!` is an ordinary library for everybody else. Its model becomes a part like any other, and
//! may be given other start values.

use dc_motor::{DCMotor, Rotor};
use fmu_runtime::prelude::*;

/// A motor with a heavy rotor that is started softly: its voltage rises along a ramp.
#[model(stop_time = 2.0, step_size = 0.01)]
pub struct DrivenMotor {
    /// Voltage at the end of the ramp
    #[parameter(start = 24.0, unit = "V")]
    pub supply: f64,
    /// Duration of the ramp
    #[parameter(start = 0.5, unit = "s", min = 1e-3)]
    pub ramp: f64,
    /// Electrical power that the motor takes
    #[output(unit = "W")]
    pub power: f64,
    /// The motor; its load stays an input of this model
    #[part(connect(voltage), default = heavy_motor())]
    pub motor: DCMotor,
}

fn heavy_motor() -> DCMotor {
    DCMotor {
        rotor: Rotor {
            inertia: 1e-3,
            ..Rotor::default()
        },
        ..DCMotor::default()
    }
}

#[equations]
impl Model for DrivenMotor {
    fn connections(&self, t: f64) -> Connections<Self> {
        Connections::<Self> {
            motor_voltage: self.supply * (t / self.ramp).min(1.0),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            power: self.motor.voltage * self.motor.current,
        }
    }
}

export_fmu!(DrivenMotor);
