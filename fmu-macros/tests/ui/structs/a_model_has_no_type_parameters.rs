// FMI variables have concrete types. Lengths may be parameters: `const N: usize`.
use fmu_runtime::prelude::*;

#[model]
struct Ball<T> { //~
    #[state(start = 1.0)]
    x: f64,
    #[internal]
    cache: T,
}

#[equations]
impl<T> Model for Ball<T> {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
