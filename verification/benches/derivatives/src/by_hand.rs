//! The equations of the examples in plain structs, with the results put where a solver has them.

/// As the VanDerPol example has it.
pub struct VanDerPol {
    /// Displacement
    pub x0: f64,
    /// Velocity
    pub x1: f64,
    /// Damping
    pub mu: f64,
    /// Acceleration from outside
    pub u: f64,
}

/// One value per state.
pub struct VanDerPolDerivatives {
    /// Of the displacement
    pub x0: f64,
    /// Of the velocity
    pub x1: f64,
}

impl VanDerPol {
    /// The equations.
    pub fn derivatives(&self, _t: f64) -> VanDerPolDerivatives {
        VanDerPolDerivatives {
            x0: self.x1,
            x1: self.mu * ((1.0 - self.x0 * self.x0) * self.x1) - self.x0 + self.u,
        }
    }
}

/// As the HeatRod example has it.
pub struct HeatRod<const N: usize> {
    /// Temperatures
    pub temperature: [f64; N],
    /// At the left end
    pub left: f64,
    /// At the right end
    pub right: f64,
    /// Rate of exchange
    pub rate: f64,
}

/// One value per state.
pub struct HeatRodDerivatives<const N: usize> {
    /// Of the temperatures
    pub temperature: [f64; N],
}

impl<const N: usize> HeatRod<N> {
    /// The equations.
    pub fn derivatives(&self, _t: f64) -> HeatRodDerivatives<N> {
        let mut temperature = [0.0; N];
        for (i, derivative) in temperature.iter_mut().enumerate() {
            let left = if i > 0 { self.temperature[i - 1] } else { self.left };
            let right = if i + 1 < N {
                self.temperature[i + 1]
            } else {
                self.right
            };
            *derivative = self.rate * (left - 2.0 * self.temperature[i] + right);
        }
        HeatRodDerivatives { temperature }
    }
}
