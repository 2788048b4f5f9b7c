//! Numbers that a model description cannot contain.

use fmu_runtime::describe::described;
use fmu_runtime::prelude::*;

const NOTHING: f64 = f64::NAN;
const LIMIT: f64 = f64::INFINITY;

#[model(stop_time = LIMIT)]
struct Tank {
    #[state(start = [1.0, NOTHING])]
    h: [f64; 2],
    #[parameter(start = 1.0, min = -LIMIT, max = 2.0)]
    area: f64,
    #[input(start = 0.5, nominal = LIMIT)]
    inflow: f64,
    #[parameter(start = 3.0, min = 0.0)]
    height: f64,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            h: [self.inflow / self.area, -self.h[1] / self.height],
        }
    }
}

#[test]
fn a_number_that_is_not_finite_is_named_with_its_variable() {
    let error = described::<Tank>().unwrap_err().to_string();
    let problems: Vec<&str> = error.split("; ").collect();
    assert_eq!(
        problems,
        [
            "`stop_time` of the model `Tank` is inf: it must be a finite number",
            "`start` of `h[2]` is NaN: it must be a finite number",
            "`min` of `area` is -inf: it must be a finite number",
            "`nominal` of `inflow` is inf: it must be a finite number",
        ]
    );
}
