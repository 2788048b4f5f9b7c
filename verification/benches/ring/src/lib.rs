//! Members of a long ring for `cargo xtask bench coupling`: twenty first-order stages, each with its own time constant,
//! and one whose output follows its inputs at once; and the member of a mesh with many connections.

use fmu_runtime::prelude::*;

/// A stage: four inputs, four outputs, one state.
macro_rules! stage {
    ($name:ident, $rate:literal) => {
        /// A stage of a ring, der(x) = 1 - rate x + the mean of its inputs
        #[model(stop_time = 10.0, step_size = 0.01, solver = "rk4", max_step = 0.01)]
        pub struct $name {
            /// What other stages send
            #[input(start = 0.0)]
            pub u: [f64; 4],
            /// What it holds
            #[state(start = 0.0)]
            pub x: f64,
            /// How fast it forgets
            #[parameter(start = $rate, unit = "1/s")]
            pub rate: f64,
            /// What it sends
            #[output]
            pub y: [f64; 4],
        }

        #[equations]
        impl Model for $name {
            fn derivatives(&self, _t: f64) -> Derivatives<Self> {
                let mean = 0.25 * (self.u[0] + self.u[1] + self.u[2] + self.u[3]);
                Derivatives::<Self> {
                    x: 1.0 - self.rate * self.x + mean,
                }
            }

            fn outputs(&self, _t: f64) -> Outputs<Self> {
                Outputs::<Self> {
                    y: [self.x, -self.x, 0.5 * self.x, -0.5 * self.x],
                }
            }
        }
    };
}

stage!(Stage01, 2.05);
stage!(Stage02, 2.1);
stage!(Stage03, 2.15);
stage!(Stage04, 2.2);
stage!(Stage05, 2.25);
stage!(Stage06, 2.3);
stage!(Stage07, 2.35);
stage!(Stage08, 2.4);
stage!(Stage09, 2.45);
stage!(Stage10, 2.5);
stage!(Stage11, 2.55);
stage!(Stage12, 2.6);
stage!(Stage13, 2.65);
stage!(Stage14, 2.7);
stage!(Stage15, 2.75);
stage!(Stage16, 2.8);
stage!(Stage17, 2.85);
stage!(Stage18, 2.9);
stage!(Stage19, 2.95);
stage!(Stage20, 3.0);

/// A stage whose output follows its inputs at once: a loop of such stages is an algebraic loop
#[model(stop_time = 10.0, step_size = 0.01, solver = "rk4", max_step = 0.01)]
pub struct Through {
    /// What other stages send
    #[input(start = 0.0)]
    pub u: [f64; 2],
    /// What it holds
    #[state(start = 0.0)]
    pub x: f64,
    /// How fast it forgets
    #[parameter(start = 2.0, unit = "1/s")]
    pub rate: f64,
    /// What it sends
    #[output]
    pub y: f64,
}

#[equations]
impl Model for Through {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: 1.0 - self.rate * self.x + 0.5 * (self.u[0] + self.u[1]),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.x + 0.9 * self.u[0] - 2.7 * self.u[1],
        }
    }
}

/// A member of a mesh with many connections
#[model(stop_time = 10.0, step_size = 0.01, solver = "rk4", max_step = 0.01)]
pub struct Member {
    /// What other members send
    #[input(start = 0.0)]
    pub u: [f64; 40],
    /// What it holds
    #[state(start = 1.0)]
    pub x: f64,
    /// How fast it forgets
    #[parameter(start = 2.0, unit = "1/s")]
    pub rate: f64,
    /// What it sends
    #[output]
    pub y: [f64; 40],
}

#[equations]
impl Model for Member {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let sum: f64 = self.u.iter().copied().sum();
        Derivatives::<Self> {
            x: 1.0 - self.rate * self.x + 0.05 * sum.sin(),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: std::array::from_fn(|line| self.x * (1.0 + 0.01 * line as f64)),
        }
    }
}

export_fmu!(
    Stage01, Stage02, Stage03, Stage04, Stage05, Stage06, Stage07, Stage08, Stage09, Stage10, Stage11,
    Stage12, Stage13, Stage14, Stage15, Stage16, Stage17, Stage18, Stage19, Stage20, Through, Member
);
