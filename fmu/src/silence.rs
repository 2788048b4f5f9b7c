//! Calls of an FMU that failed without a word: many FMUs say why only when logging is on.

use std::error::Error;
use std::fmt;

/// Whether a call failed and the FMU logged nothing about it.
pub(crate) fn is_silent(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(one) = cause {
        #[cfg(feature = "simulate")]
        if let Some(inner) = one.downcast_ref::<fmu_importer::simulate::SimulateError>() {
            use fmu_importer::simulate::SimulateError;
            return matches!(inner, SimulateError::Fmu(error) | SimulateError::At { source: error, .. } if said_nothing(error));
        }
        let boxed = one
            .downcast_ref::<Box<fmu_importer::Error>>()
            .map(|boxed| &**boxed);
        if one.downcast_ref().or(boxed).is_some_and(said_nothing) {
            return true;
        }
        cause = one.source();
    }
    false
}

fn said_nothing(error: &fmu_importer::Error) -> bool {
    use fmu_importer::Error::{Call, Instantiate, InvalidStatus};
    match error {
        Call { messages, .. } | InvalidStatus { messages, .. } | Instantiate { messages, .. } => {
            messages.is_empty()
        }
        _ => false,
    }
}

/// Names the option that makes an FMU talk, under an error of a call that failed in silence.
pub(crate) fn with_log_option(error: Box<dyn Error>) -> Box<dyn Error> {
    Box::new(Hinted(error))
}

#[derive(Debug)]
struct Hinted(Box<dyn Error>);

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  --log shows what the FMU says about it", self.0)
    }
}

impl Error for Hinted {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
