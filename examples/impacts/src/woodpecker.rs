//! The toy woodpecker (Andersson 2016, section 8.6.2 and appendix A.1): a sleeve that slides down a bar or is blocked
//! by it, and a bird on a spring that hits it. Without friction.

use fmu_runtime::prelude::*;

const MS: f64 = 3.0e-4;
const MB: f64 = 4.5e-3;
const JS: f64 = 5.0e-9;
const JB: f64 = 7.0e-7;
const R0: f64 = 2.5e-3;
const RS: f64 = 3.1e-3;
const HS: f64 = 5.8e-3;
const HB: f64 = 2.0e-2;
const LS: f64 = 1.0e-2;
const LG: f64 = 1.5e-2;
const LB: f64 = 2.01e-2;
const CP: f64 = 5.6e-3;
const G: f64 = 9.81;

/// A woodpecker on a bar: hits it twice in the first 0.16 s and eleven times in the first second.
#[model(stop_time = 1.0, step_size = 0.001)]
#[derive(Debug)]
pub struct Woodpecker {
    /// Height of the sleeve
    #[state(start = 0.0, unit = "m", nominal = 1e-2, output)]
    pub z: f64,
    /// Angle of the sleeve
    #[state(start = -0.10344, unit = "rad", nominal = 0.1, output)]
    pub phi_s: f64,
    /// Angle of the bird
    #[state(start = -0.65, unit = "rad", nominal = 0.1, output)]
    pub phi_b: f64,
    /// Velocity of the sleeve
    #[state(start = 0.0, unit = "m/s", nominal = 0.1)]
    pub zp: f64,
    /// Angular velocity of the sleeve
    #[state(start = 0.0, unit = "rad/s")]
    pub phi_sp: f64,
    /// Angular velocity of the bird
    #[state(start = 0.0, unit = "rad/s", nominal = 10.0)]
    pub phi_bp: f64,
    /// 1: the sleeve is free; 2 and 3: it is blocked at opposite corners
    #[discrete(start = 2, min = 1, max = 3, output)]
    pub state: i32,
    /// Hits on the bar
    #[discrete(start = 0, output)]
    pub hits: i32,
}

#[equations]
impl Woodpecker {
    /// The multiplier of the constraint that blocks the sleeve: 0 where it lets go.
    fn lambda_1(&self) -> f64 {
        // Blocked, z'' = phi_s'' = 0: the bird swings alone.
        let phi_bpp = (CP * (self.phi_s - self.phi_b) - MB * LG * G) / (JB + MB * LG * LG);
        let lambda_2 = -(MS + MB) * G - MB * LG * phi_bpp;
        let torque = CP * (self.phi_b - self.phi_s) - MB * LS * G - MB * LS * LG * phi_bpp - RS * lambda_2;
        if self.state == 3 {
            -torque / HS
        } else {
            torque / HS
        }
    }
}

#[equations]
impl Model for Woodpecker {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let spring = CP * (self.phi_b - self.phi_s);
        let (mut zpp, mut phi_spp) = (0.0, 0.0);
        let mut phi_bpp = (-spring - MB * LG * G) / (JB + MB * LG * LG);
        if self.state == 1 {
            // Equations A.1 with A.2, solved: the free fall takes the weights, the spring turns both bodies.
            let (a11, a12, a13) = (MS + MB, MB * LS, MB * LG);
            let (a22, a23, a33) = (JS + MB * LS * LS, MB * LS * LG, JB + MB * LG * LG);
            let (b1, b2, b3) = (-(MS + MB) * G, spring - MB * LS * G, -spring - MB * LG * G);
            // Eliminate z''.
            let (c22, c23, c33) = (
                a22 - a12 * a12 / a11,
                a23 - a12 * a13 / a11,
                a33 - a13 * a13 / a11,
            );
            let (d2, d3) = (b2 - a12 * b1 / a11, b3 - a13 * b1 / a11);
            let determinant = c22 * c33 - c23 * c23;
            phi_spp = (d2 * c33 - d3 * c23) / determinant;
            phi_bpp = (d3 * c22 - d2 * c23) / determinant;
            zpp = (b1 - a12 * phi_spp - a13 * phi_bpp) / a11;
        }
        Derivatives::<Self> {
            z: self.zp,
            phi_s: self.phi_sp,
            phi_b: self.phi_bp,
            zp: zpp,
            phi_sp: phi_spp,
            phi_bp: phi_bpp,
        }
    }

    /// Equation 8.15.
    fn event_indicators(&self, _t: f64) -> [f64; 4] {
        [
            HS * self.phi_s + (RS - R0),
            HS * self.phi_s - (RS - R0),
            if self.state == 1 { 1.0 } else { self.lambda_1() },
            HB * self.phi_b - (LS + LG - LB - R0),
        ]
    }

    fn event(&mut self, at: Event) {
        if at.initial {
            return;
        }
        let play = RS - R0;
        let free = self.state == 1;
        if free && HS * self.phi_s <= -play && self.phi_bp < 0.0 {
            self.block(2);
        } else if free && HS * self.phi_s >= play && self.phi_bp > 0.0 {
            self.block(3);
        } else if self.state == 3 && HB * self.phi_b >= LS + LG - LB - R0 && self.phi_bp > 0.0 {
            self.phi_bp = -self.phi_bp;
            self.hits += 1;
        } else if !free && self.lambda_1() >= 0.0 && (self.state == 2 || self.phi_bp < 0.0) {
            self.state = 1;
        }
    }
}

impl Woodpecker {
    /// The sleeve jams; the momentum stays (8.16 and 8.17, with the inertia of appendix A.1).
    fn block(&mut self, state: i32) {
        let inertia = JB + MB * LG * LG;
        self.phi_bp += (MB * LG * self.zp + MB * LS * LG * self.phi_sp) / inertia;
        self.zp = 0.0;
        self.phi_sp = 0.0;
        self.state = state;
    }
}
