// `max` goes beyond that of the declared type.
use fmu_runtime::prelude::*;

#[model(types(Fraction(min = 0.0, max = 1.0)))]
struct Ball {
    #[parameter(start = 0.5, declared_type = Fraction, max = 2.0)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
