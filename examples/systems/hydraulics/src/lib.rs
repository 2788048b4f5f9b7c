//! A system that co-simulation finds hard: two hydraulic lines in a row, which exchange energy nearly without loss.
//!
//! There is no feed-through, so no algebraic loop warns of it; but inputs that are held over a communication step feed
//! energy into an oscillation that is damped by a tenth of a percent, and the steps would have to be a hundredth of a
//! period. With `algorithm = "stabilized"` they may be an eighth: then the integrator of each line follows a linear model
//! of the other one while it steps, which an FMU needs nothing for that it does not have.
//!
//! After Viel 2014, section 2: equations 1 to 4 in the effort `e = q / C` and the flow `f = p / I`, both by the impedance
//! of a line. With 1 / (omega0 tau) = 0.02 the explicit scheme has the limit that is printed, a hundredth of the Nyquist
//! period; the printed omega0 tau = 0.5 does not give it. `stiffening` and `turbulence` make it the nonlinear system of
//! figure 2: a fluid that is the stiffer the higher its pressure, and a head loss that grows with the flow.

use fmu_runtime::prelude::*;

/// A pipe with inertia and head loss, and a volume with a leak behind it.
#[model(stop_time = 0.1, step_size = 5e-5, tolerance = 1e-5, solver_statistics)]
pub struct Line {
    /// Pressure before the pipe, by the impedance of the line
    #[input(start = 0.0)]
    pub effort_before: f64,
    /// Flow out of the volume
    #[input(start = 0.0)]
    pub flow_behind: f64,
    /// Pressure in the volume, by the impedance of the line
    #[state(start = 0.0, output)]
    pub effort: f64,
    /// Flow through the pipe
    #[state(start = 0.0, output)]
    pub flow: f64,
    /// Frequency of a line by itself: pi / (omega0 phi1) = 425 us, with phi1 the golden ratio
    #[parameter(start = 4568.5, unit = "rad/s", min = 1.0)]
    pub omega0: f64,
    /// Damping by the head loss of the pipe
    #[parameter(start = 0.001, min = 0.0)]
    pub zeta: f64,
    /// Loss through the leak: 1 / (omega0 tau)
    #[parameter(start = 0.02, min = 0.0)]
    pub leak: f64,
    /// How much stiffer the fluid is at an effort of 1
    #[parameter(start = 0.0, min = 0.0)]
    pub stiffening: f64,
    /// How much larger the head loss is at a flow of 1
    #[parameter(start = 0.0, min = 0.0)]
    pub turbulence: f64,
}

#[equations]
impl Model for Line {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let stiffness = 1.0 + self.stiffening * self.effort;
        let loss = 2.0 * self.zeta * (1.0 + self.turbulence * self.flow.abs());
        Derivatives::<Self> {
            effort: self.omega0 * ((self.flow - self.flow_behind) * stiffness - self.leak * self.effort),
            flow: self.omega0 * (self.effort_before - self.effort - loss * self.flow),
        }
    }
}

/// Both lines in one model, for comparison: the effort of the first drives the second, whose flow leaves the first.
#[model(stop_time = 0.1, step_size = 5e-5, tolerance = 1e-5, solver_statistics)]
pub struct TwoLines {
    /// Pressure before the first line
    #[input(start = 0.0)]
    pub effort_before: f64,
    /// Flow out of the second line
    #[input(start = 0.0)]
    pub flow_behind: f64,
    /// First line
    #[part(connect(effort_before, flow_behind))]
    pub left: Line,
    /// Second line
    #[part(connect(effort_before, flow_behind))]
    pub right: Line,
}

#[equations]
impl Model for TwoLines {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            left_effort_before: self.effort_before,
            left_flow_behind: self.right.flow,
            right_effort_before: self.left.effort,
            right_flow_behind: self.flow_behind,
        }
    }
}

export_fmu!(Line, TwoLines);
