// A model owns its values.
use fmu_runtime::prelude::*;

#[model]
struct Ball<'a> { //~
    #[state(start = 1.0)]
    x: f64,
    #[internal]
    label: &'a str,
}

#[equations]
impl<'a> Model for Ball<'a> {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
