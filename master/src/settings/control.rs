//! Error control.

use super::setters;

/// Error control by step doubling.
///
/// ```
/// use fmu_master::settings::Control;
///
/// let control = Control::new(1e-5, 10.0).maximum(0.5);
/// assert_eq!((control.relative, control.absolute), (1e-5, 1e-5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Control {
    /// Relative tolerance.
    pub relative: f64,
    /// Absolute tolerance, as a part of the nominal value.
    pub absolute: f64,
    /// Smallest step.
    pub minimum: f64,
    /// Largest step.
    pub maximum: f64,
    /// What the tolerance applies to: the error of the whole run, or that of a step.
    pub per: Per,
    /// How the errors of many variables become one number.
    pub norm: Norm,
}

setters!(Control {
    relative: f64,
    absolute: f64,
    minimum: f64,
    maximum: f64,
    per: Per,
    norm: Norm,
});

impl Control {
    /// The defaults for a relative tolerance and a run of this duration.
    pub fn new(tolerance: f64, duration: f64) -> Control {
        Control {
            relative: tolerance,
            absolute: tolerance,
            minimum: 1e-10 * duration,
            maximum: duration,
            per: Per::default(),
            norm: Norm::default(),
        }
    }
}

/// What the tolerance of error control applies to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// A step may add as much of the tolerated error as its part of the run: the errors of all steps together stay within
    /// the tolerance, and the error at the end falls in proportion to it.
    #[default]
    UnitStep,
    /// Each step may add the whole tolerated error (Andersson 2016, section 9.3.2).
    Step,
}

impl Per {
    /// All of them.
    pub const ALL: [Per; 2] = [Per::UnitStep, Per::Step];

    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Per::UnitStep => "unit-step",
            Per::Step => "step",
        }
    }

    /// What a word of a system file means.
    pub fn from_word(word: &str) -> Option<Per> {
        Per::ALL.into_iter().find(|per| per.as_str() == word)
    }
}

/// How the errors of many variables become one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// The largest one.
    #[default]
    Maximum,
    /// The root of the mean square over the outputs that feed inputs, estimated with the order that was asked for: so the
    /// step counts of Andersson 2016 are found. It hides one large error among many small ones.
    RootMeanSquare,
}

impl Norm {
    /// All of them.
    pub const ALL: [Norm; 2] = [Norm::Maximum, Norm::RootMeanSquare];

    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Norm::Maximum => "maximum",
            Norm::RootMeanSquare => "root-mean-square",
        }
    }

    /// What a word of a system file means.
    pub fn from_word(word: &str) -> Option<Norm> {
        Norm::ALL.into_iter().find(|norm| norm.as_str() == word)
    }
}
