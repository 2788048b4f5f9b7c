//! Both pendula, the spring and the walls in one model: what no coupling can be wrong about.

use fmu_runtime::prelude::*;

/// Two pendula, the spring between them, moved pivots, and walls that bobs bounce off.
#[model(stop_time = 5.0, step_size = 0.01, tolerance = 1e-12)]
pub struct CoupledPendula {
    /// Angles from hanging down
    #[state(start = [std::f64::consts::FRAC_PI_2, -std::f64::consts::FRAC_PI_2], unit = "rad", output)]
    pub phi: [f64; 2],
    /// Angular velocities
    #[state(start = 0.0, unit = "rad/s")]
    pub omega: [f64; 2],
    /// Both pivots move by so much times the sine of the time
    #[parameter(start = 1.0, unit = "m")]
    pub amplitude: f64,
    /// Stiffness of the spring
    #[parameter(start = 1.0, unit = "N/m")]
    pub k: f64,
    /// Gravity
    #[parameter(start = 9.81, unit = "m/s2")]
    pub g: f64,
    /// Whether there are walls: the left bob stays right of 0 from its pivot, the right bob left of 0.3 from its
    #[parameter(start = false)]
    pub walls: bool,
    /// How often bobs have hit their walls
    #[discrete(start = 0, output)]
    pub impacts: i32,
}

#[equations]
impl Model for CoupledPendula {
    fn derivatives(&self, t: f64) -> Derivatives<Self> {
        // The pivots move alike, so the distance of the bobs does not feel it; both feel the inertia.
        let inertia = self.amplitude * t.sin();
        let [sin1, sin2] = self.phi.map(|phi| phi.sin());
        let [cos1, cos2] = self.phi.map(|phi| phi.cos());
        // From the left bob to the right one.
        let (across, up) = (4.0 + sin2 - sin1, cos1 - cos2);
        let (fx, fy) = (self.k * across, self.k * up);
        Derivatives::<Self> {
            phi: self.omega,
            omega: [
                (fy - self.g) * sin1 + (fx + inertia) * cos1,
                (-fy - self.g) * sin2 + (-fx + inertia) * cos2,
            ],
        }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 2] {
        match self.walls {
            true => [self.phi[0].sin(), 0.3 - self.phi[1].sin()],
            false => [1.0, 1.0],
        }
    }

    fn event(&mut self, _at: Event) {
        if !self.walls {
            return;
        }
        if self.phi[0].sin() <= 0.0 && self.omega[0] * self.phi[0].cos() < 0.0 {
            self.omega[0] = -self.omega[0];
            self.impacts += 1;
        }
        if self.phi[1].sin() >= 0.3 && self.omega[1] * self.phi[1].cos() > 0.0 {
            self.omega[1] = -self.omega[1];
            self.impacts += 1;
        }
    }
}
