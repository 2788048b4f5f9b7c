// `use` brings in the struct and what its equations need; a path does too.
mod plant {
    use fmu_runtime::prelude::*;

    #[model]
    pub struct Decay {
        #[state(start = 2.0)]
        pub x: f64,
        #[output]
        pub y: f64,
    }
}

mod equations {
    use super::plant::Decay;
    use fmu_runtime::prelude::*;

    #[equations]
    impl Model for Decay {
        fn derivatives(&self, _t: f64) -> Derivatives<Self> {
            Derivatives::<Self> { x: -self.x }
        }

        fn outputs(&self, _t: f64) -> Outputs<Self> {
            Outputs::<Self> { y: self.square() }
        }
    }
}

mod helpers {
    use fmu_runtime::prelude::*;

    #[equations]
    impl super::plant::Decay {
        pub fn square(&self) -> f64 {
            self.x * self.x
        }
    }
}

fn main() {
    assert_eq!(plant::Decay::default().outputs(0.0).y, 4.0);
}
