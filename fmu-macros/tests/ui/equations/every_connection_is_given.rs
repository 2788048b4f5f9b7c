// The value of `motor_u` was forgotten.
use fmu_runtime::prelude::*;

#[model]
struct Motor {
    #[input(start = 0.0)]
    u: f64,
    #[state(start = 0.0)]
    w: f64,
}

#[equations]
impl Model for Motor {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { w: self.u - self.w }
    }
}

#[model]
struct Car {
    #[part(connect(u))]
    motor: Motor,
}

#[equations]
impl Model for Car {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {} //~
    }
}

fn main() {}
