//! A heated rod, whole and in segments: the same cells, once in one FMU and once in many.
//!
//! The inputs of a segment are the temperatures of the cells next to its ends; its outputs are those of its own ends, which are states:
//! nothing feeds through, and all segments together are exactly the whole rod.

use fmu_runtime::prelude::*;

/// The change of a cell's temperature: heat flows from both neighbours.
#[differentiable]
fn flow(rate: f64, left: f64, own: f64, right: f64) -> f64 {
    rate * (left - 2.0 * own + right)
}

macro_rules! rod {
    ($(#[$about:meta])* $name:ident, $cells:literal, $left:literal) => {
        $(#[$about])*
        #[model(stop_time = 100.0, step_size = 1.0, solver = "bdf")]
        pub struct $name<const N: usize = $cells> {
            /// Temperatures, from left to right
            #[state(start = 293.15, unit = "K", nominal = 300.0)]
            pub temperature: [f64; N],
            /// Temperature of the cell to the left
            #[input(start = $left, unit = "K")]
            pub left: f64,
            /// Temperature of the cell to the right
            #[input(start = 293.15, unit = "K")]
            pub right: f64,
            /// Temperature of the first cell
            #[output(unit = "K", nominal = 300.0)]
            pub first: f64,
            /// Temperature of the last cell
            #[output(unit = "K", nominal = 300.0)]
            pub last: f64,
            /// Distance of cells
            #[parameter(start = 2.5e-4, unit = "m", min = 1e-9)]
            pub spacing: f64,
            /// Thermal diffusivity; that of copper
            #[parameter(start = 1.1e-4, unit = "m2/s", min = 0.0)]
            pub diffusivity: f64,
            /// Rate at which a cell takes on the temperature of its neighbours
            #[parameter(calculated, unit = "1/s")]
            pub rate: f64,
        }

        #[equations]
        impl<const N: usize> Model for $name<N> {
            fn calculated(&self) -> Calculated<Self> {
                Calculated::<Self> {
                    rate: self.diffusivity / (self.spacing * self.spacing),
                }
            }

            fn derivatives(&self, _t: f64) -> Derivatives<Self> {
                let mut temperature = [0.0; N];
                for (i, derivative) in temperature.iter_mut().enumerate() {
                    let left = if i > 0 { self.temperature[i - 1] } else { self.left };
                    let right = if i + 1 < N { self.temperature[i + 1] } else { self.right };
                    *derivative = flow(self.rate, left, self.temperature[i], right);
                }
                Derivatives::<Self> { temperature }
            }

            fn outputs(&self, _t: f64) -> Outputs<Self> {
                Outputs::<Self> {
                    first: self.temperature[0],
                    last: self.temperature[N - 1],
                }
            }
        }
    };
}

rod!(
    /// A part of a rod between the cells next to it.
    RodSegment,
    100,
    293.15
);
rod!(
    /// A whole rod between two bodies of given temperature, the left one hot.
    WholeRod,
    4000,
    373.15
);

export_fmu!(RodSegment, WholeRod);
