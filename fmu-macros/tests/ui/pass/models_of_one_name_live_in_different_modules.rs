// Also one inside the other, and inside a function.
use fmu_runtime::prelude::*;

#[model]
struct Decay {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Decay {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

mod fast {
    use fmu_runtime::prelude::*;

    #[model]
    pub struct Decay {
        #[state(start = 10.0)]
        pub x: f64,
    }

    #[equations]
    impl Model for Decay {
        fn derivatives(&self, _t: f64) -> Derivatives<Self> {
            Derivatives::<Self> { x: -self.x }
        }
    }
}

fn main() {
    #[model]
    struct Growth {
        #[state(start = 100.0)]
        x: f64,
    }

    #[equations]
    impl Model for Growth {
        fn derivatives(&self, _t: f64) -> Derivatives<Self> {
            Derivatives::<Self> { x: self.x }
        }
    }

    assert_eq!(Decay::default().derivatives(0.0).x, -1.0);
    assert_eq!(fast::Decay::default().derivatives(0.0).x, -10.0);
    assert_eq!(Growth::default().derivatives(0.0).x, 100.0);
}
