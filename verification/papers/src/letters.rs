//! The letters of Petridis and Clauss, with a definition: theirs between d and w is 'estimated subjectively'.

use fmu_master::Error;
use fmu_master::system::RunError;

use crate::bench::{Result, Run};

/// How a coupled simulation went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Letter {
    /// Correct: never farther from the reference than 1 % of its range.
    Y,
    /// Small differences: never farther than half of its range.
    D,
    /// Completely wrong.
    W,
    /// It failed: the master says so in place of a result.
    E,
}

impl Letter {
    /// As the table has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Letter::Y => "Y",
            Letter::D => "d",
            Letter::W => "w",
            Letter::E => "e",
        }
    }

    /// The letter of a run whose variables have a reference.
    pub fn of(run: &Run, names: &[&str], reference: &[Vec<f64>]) -> Result<(Letter, f64)> {
        let deviation = run.deviation(names, reference)?;
        let letter = match deviation {
            // Numbers beyond all bounds are a result, if one insists on having it.
            _ if matches!(
                run.error,
                Some(RunError::Master(
                    Error::Diverged { .. } | Error::NotANumber { .. }
                ))
            ) =>
            {
                Letter::W
            }
            _ if run.error.is_some() => Letter::E,
            deviation if deviation <= 0.01 => Letter::Y,
            deviation if deviation <= 0.5 => Letter::D,
            _ => Letter::W,
        };
        Ok((letter, deviation))
    }
}
