//! Heat in a rod: an array of states, with its length as a parameter of the type.
//!
//! `temperature: [f64; N]` becomes the variables `temperature[1]` to `temperature[N]`. The equations may loop, index
//! and sum as any Rust code; the FMU nevertheless knows that each derivative depends on three temperatures only.
//!
//! Neighbours exchange heat in milliseconds, the rod takes minutes: such a model is stiff. `solver = "bdf"`, and the
//! feature `bdf` in `Cargo.toml`, give its co-simulation the implicit integrator.

use fmu_runtime::prelude::*;

/// A rod between two bodies of given temperature: the heat equation at N points inside the rod.
#[model(stop_time = 1000.0, step_size = 10.0, solver = "bdf")]
pub struct HeatRod<const N: usize = 1000> {
    /// Temperatures, from left to right
    #[state(start = 293.15, unit = "K", display_unit = "degC", nominal = 300.0)]
    pub temperature: [f64; N],
    /// Temperature at the left end
    #[input(start = 373.15, unit = "K", display_unit = "degC")]
    pub left: f64,
    /// Temperature at the right end
    #[input(start = 293.15, unit = "K", display_unit = "degC")]
    pub right: f64,
    /// Length of the rod
    #[parameter(start = 1.0, unit = "m", min = 1e-3)]
    pub length: f64,
    /// Thermal diffusivity; that of copper
    #[parameter(start = 1.1e-4, unit = "m2/s", min = 0.0)]
    pub diffusivity: f64,
    /// Rate at which a point takes on the temperature of its neighbours
    #[parameter(calculated, unit = "1/s")]
    pub rate: f64,
    /// Mean temperature of the points
    #[output(unit = "K", display_unit = "degC")]
    pub mean: f64,
}

#[equations]
impl<const N: usize> Model for HeatRod<N> {
    fn calculated(&self) -> Calculated<Self> {
        let spacing = self.length / (N + 1) as f64;
        Calculated::<Self> {
            rate: self.diffusivity / (spacing * spacing),
        }
    }

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let mut temperature = [0.0; N];
        for (i, derivative) in temperature.iter_mut().enumerate() {
            // Borrowed: over dual numbers with many lanes, a copy is more than a number.
            let left = if i > 0 {
                &self.temperature[i - 1]
            } else {
                &self.left
            };
            let right = if i + 1 < N {
                &self.temperature[i + 1]
            } else {
                &self.right
            };
            *derivative = self.rate * (left - 2.0 * self.temperature[i] + right);
        }
        Derivatives::<Self> { temperature }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            mean: self.temperature.iter().sum::<f64>() / N as f64,
        }
    }
}

export_fmu!(HeatRod<1000>);
