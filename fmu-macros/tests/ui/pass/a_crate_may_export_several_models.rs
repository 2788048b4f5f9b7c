// They stand in one list; which of them a library has is said when it is built.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

#[model]
struct Row<const N: usize> {
    #[state(start = [1.0; N])]
    x: [f64; N],
}

#[equations]
impl<const N: usize> Model for Row<N> {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.x }
    }
}

export_fmu!(Ball, Row<3>,);

fn main() {}
