//! What can go wrong in a coupled simulation, as sentences that say where and what to do.

use crate::again::Remedy;
use crate::component::ComponentError;

/// Why a coupled simulation cannot begin, or cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A component failed.
    #[error("{component} at t = {time}: {source}")]
    Component {
        /// Its name.
        component: String,
        /// The time of the step.
        time: f64,
        /// In its own words.
        source: ComponentError,
    },
    /// A component refuses derivatives of its inputs, although it can interpolate inputs.
    #[error("{component} at t = {time}, although it declares canInterpolateInputs: {source}")]
    InputDerivatives {
        /// Its name.
        component: String,
        /// The time of the step.
        time: f64,
        /// In its own words.
        source: ComponentError,
        /// What helps a run that starts again.
        remedy: Remedy,
    },
    /// A component does not do what the algorithm needs.
    #[error("{component} {lacks}, which {algorithm} needs: {instead}")]
    Capability {
        /// Its name.
        component: String,
        /// What it lacks, as the end of a sentence.
        lacks: &'static str,
        /// The algorithm that needs it.
        algorithm: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// An algebraic loop was not solved.
    #[error(
        "the algebraic loop {} was not solved at t = {time}: after {iterations} iterations the residual is {residual:e} \
         ({}); its last iterates: {}. {advice}",
        .variables.join(" -> "), .worst, shown(.iterates)
    )]
    Loop {
        /// The variables of the loop.
        variables: Vec<String>,
        /// When.
        time: f64,
        /// How many iterations were tried.
        iterations: usize,
        /// The largest residual, as a multiple of what is tolerated.
        residual: f64,
        /// The variable with the largest residual.
        worst: String,
        /// The values of that variable.
        iterates: Vec<f64>,
        /// What to do.
        advice: &'static str,
    },
    /// Iterations over a step did not end.
    #[error(
        "{algorithm} did not converge in the step from t = {time}: after {iterations} iterations {worst} still changes \
         by {change:e}. {advice}"
    )]
    Step {
        /// The algorithm.
        algorithm: &'static str,
        /// The beginning of the step.
        time: f64,
        /// How many iterations were tried.
        iterations: usize,
        /// The variable that changes most.
        worst: String,
        /// By how much.
        change: f64,
        /// What to do.
        advice: &'static str,
    },
    /// Discrete values that components hand to each other at one time change without end.
    #[error(
        "discrete values do not settle at t = {time}; after {rounds} rounds these still change: {}. Let one of the \
         components sample at times of its own, or remove a connection between them", listed(.values)
    )]
    Alternating {
        /// When.
        time: f64,
        /// How often values were handed over.
        rounds: usize,
        /// The values that changed in the last rounds.
        values: Vec<Alternation>,
    },
    /// The event iteration of components has no end.
    #[error(
        "the event at t = {time} has no end: after {iterations} iterations {} still asks for another one",
        .components.join(", ")
    )]
    EventIteration {
        /// The components.
        components: Vec<String>,
        /// When.
        time: f64,
        /// How often they iterated.
        iterations: usize,
    },
    /// A component returned an output that is not a number or infinite.
    #[error(
        "{variable} is {} at t = {time}{}: the results from there on are worthless; look at what the FMU logs (--log), its \
         parameters and its inputs",
        if *.infinite { "infinite" } else { "not a number (NaN)" },
        if *.inputs_are_finite { ", although the outputs that feed its component are finite" } else { "" }
    )]
    NotANumber {
        /// The variable, with its component.
        variable: String,
        /// When.
        time: f64,
        /// It is infinite.
        infinite: bool,
        /// The component is fed, and all that it is fed with is finite: the value is its own.
        inputs_are_finite: bool,
    },
    /// A value is beyond all bounds.
    #[error("the simulation diverges at t = {time}: {variable} is {value:e}{grows}. {advice}")]
    Diverged {
        /// The variable.
        variable: String,
        /// When.
        time: f64,
        /// Its value.
        value: f64,
        /// How it grows, as a part of the sentence.
        grows: String,
        /// What to do.
        advice: &'static str,
    },
    /// The coupling is unstable however small the step.
    #[error(
        "{algorithm} for this system at t = {time}, however small the step: the loop {} has a spectral radius of \
         {radius:.3}, and must not exceed 1. {instead}", .variables.join(" -> ")
    )]
    Unstable {
        /// The algorithm, and how it steps.
        algorithm: String,
        /// The variables of the loop.
        variables: Vec<String>,
        /// When.
        time: f64,
        /// Of the matrix that carries errors from step to step, for steps of size 0.
        radius: f64,
        /// What to use instead.
        instead: &'static str,
    },
    /// A component discarded a step, and there is no way on.
    #[error(
        "{component} discards the step of {step:e} from t = {time}{}. {advice}",
        .reached.map_or_else(String::new, |reached| format!(" at t = {reached}"))
    )]
    Discarded {
        /// Its name.
        component: String,
        /// The beginning of the step.
        time: f64,
        /// The size of the step.
        step: f64,
        /// How far it came, if it says so.
        reached: Option<f64>,
        /// What to do.
        advice: String,
        /// What helps a run that starts again.
        remedy: Option<Remedy>,
    },
    /// A component cannot be saved, although it says that it can.
    #[error("{component} cannot be saved at t = {time}, although it declares canGetAndSetFMUstate: {source}")]
    Snapshot {
        /// Its name.
        component: String,
        /// When.
        time: f64,
        /// In its own words.
        source: ComponentError,
        /// What helps a run that starts again.
        remedy: Option<Remedy>,
    },
    /// The solver over all components, or their events.
    #[cfg(feature = "aggregate")]
    #[error(transparent)]
    Simulate(#[from] fmu_importer::simulate::SimulateError),
    /// Settings that do not go together.
    #[error("{0}")]
    Settings(String),
    /// The step size that the tolerance asks for is below the minimum.
    #[error(
        "at t = {time} the tolerance asks for a communication step of {step:e}, below the minimum of {minimum:e}; {worst} \
         has the largest error. {advice}"
    )]
    TooSmall {
        /// When.
        time: f64,
        /// The step that would be needed.
        step: f64,
        /// The smallest that is allowed.
        minimum: f64,
        /// The variable with the largest error.
        worst: String,
        /// What to do.
        advice: String,
    },
}

/// A discrete value that changes without end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alternation {
    /// `component.variable` that it comes from.
    pub from: String,
    /// `component.variable` that it goes to.
    pub to: String,
    /// Its last values.
    pub values: Vec<String>,
}

/// The number of changing values that a message lists, and the number of characters of each.
const LISTED: usize = 8;
const CHARACTERS: usize = 24;

fn listed(alternations: &[Alternation]) -> String {
    let clipped = |value: &String| match value.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value.clone(),
    };
    let one = |alternation: &Alternation| {
        let Alternation { from, to, values } = alternation;
        let values: Vec<String> = values.iter().map(clipped).collect();
        format!("{from} -> {to} (..., {})", values.join(", "))
    };
    let mut all: Vec<String> = alternations.iter().take(LISTED).map(one).collect();
    if alternations.len() > LISTED {
        all.push(format!("and {} more", alternations.len() - LISTED));
    }
    all.join("; ")
}

impl Error {
    /// What helps a run that starts again with new instances.
    pub fn remedy(&self) -> Option<&Remedy> {
        match self {
            Error::Discarded { remedy, .. } | Error::Snapshot { remedy, .. } => remedy.as_ref(),
            Error::InputDerivatives { remedy, .. } => Some(remedy),
            _ => None,
        }
    }
}

fn shown(values: &[f64]) -> String {
    let last: Vec<String> = values
        .iter()
        .rev()
        .take(5)
        .rev()
        .map(|value| format!("{value:.6}"))
        .collect();
    last.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_grow_in_a_loop_are_listed_in_a_bounded_sentence() {
        let alternation = |number: usize| Alternation {
            from: format!("a.text_{number}"),
            to: format!("b.text_{number}"),
            values: vec!["Größe ".repeat(100); 4],
        };
        let error = |count: usize| Error::Alternating {
            time: 0.0,
            rounds: 100,
            values: (0..count).map(alternation).collect(),
        };
        let one = error(1).to_string();
        assert!(
            one.len() < 400 && one.contains("Größe Größe Größe Größe ..."),
            "{one}"
        );
        let many = error(1000).to_string();
        assert!(many.len() < 2000 && many.contains("; and 992 more"), "{many}");
    }
}
