// The mistake is in the model; what is exported is not the problem.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = "high")] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

export_fmu!(Ball);

fn main() {
    let ball = Ball::default();
    assert_eq!(ball.derivatives(0.0).x, -1.0);
}
