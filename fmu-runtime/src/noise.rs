//! Seeded noise whose state travels with snapshots.

use crate::stored::{Damaged, Reader, Stored, Writer};

/// A source of random numbers that a model keeps in an `#[internal]` field and draws from at events and samples.
///
/// The same seed gives the same numbers, on every machine. The state is part of every snapshot of the model, in memory and as
/// bytes: a simulation that goes on from a snapshot draws the same numbers again. Draw in `fn event` and in sampled functions only;
/// equations are evaluated as often as an integrator likes.
///
/// ```
/// use fmu_runtime::native::{Native, Options};
/// use fmu_runtime::prelude::*;
///
/// /// A sensor with noise of 0.1 V
/// #[model]
/// struct Sensor {
///     /// Voltage
///     #[input(start = 2.0, unit = "V")]
///     u: f64,
///     /// Measured voltage
///     #[discrete(start = 0.0, unit = "V", output)]
///     measured: f64,
///     #[internal(default = Noise::new(42))]
///     noise: Noise,
/// }
///
/// #[equations]
/// impl Model for Sensor {
///     #[sampled(period = 0.01)]
///     fn measure(&mut self) {
///         self.measured = self.u + 0.1 * self.noise.normal();
///     }
/// }
///
/// # fn main() -> Result<(), ModelError> {
/// let run = || -> Result<f64, ModelError> {
///     let mut sensor = Native::new(Sensor::default());
///     sensor.initialize(0.0)?;
///     sensor.simulate(1.0, Options::default())?;
///     Ok(sensor.measured)
/// };
/// assert_eq!(run()?, run()?);
/// assert!((run()? - 2.0).abs() < 0.5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    state: u64,
    /// The second number of the last pair of normal ones.
    spare: Option<f64>,
}

impl Noise {
    /// A source that begins with `seed`. Different seeds give independent numbers.
    pub fn new(seed: u64) -> Noise {
        Noise {
            state: seed,
            spare: None,
        }
    }

    /// 64 random bits: SplitMix64 (Steele, Lea and Flood, 2014).
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number between 0 (included) and 1 (excluded), all equally likely.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number of the normal distribution with mean 0 and standard deviation 1: the polar method (Marsaglia and Bray, 1964).
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                let factor = (-2.0 * s.ln() / s).sqrt();
                self.spare = Some(y * factor);
                return x * factor;
            }
        }
    }
}

/// Seed 0.
impl Default for Noise {
    fn default() -> Noise {
        Noise::new(0)
    }
}

impl Stored for Noise {
    fn store(&self, out: &mut Writer<'_>) {
        self.state.store(out);
        self.spare.store(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Noise, Damaged> {
        Ok(Noise {
            state: u64::load(from)?,
            spare: Stored::load(from)?,
        })
    }
}
