//! What settings and components must have for a master to step them, checked once.

use crate::component::{Capabilities, Component, Stepping};
use crate::coupling::Coupling;
use crate::error::Error;
use crate::settings::{Algorithm, Correction, Settings};

/// The warning about inputs that change linearly and are held.
pub(super) const HELD: &str = "inputs from outside that change between their points are held over each step: extrapolation = 1 follows \
                    them";

/// All components as ones that step.
pub(super) fn steppers(
    coupling: &Coupling,
    components: Vec<Box<dyn Component>>,
) -> Result<Vec<Box<dyn Stepping>>, Error> {
    if coupling.components.len() != components.len() {
        return Err(Error::Settings(format!(
            "the coupling names {} components, and there are {}",
            coupling.components.len(),
            components.len()
        )));
    }
    let names = coupling.components.iter();
    let stepping = names.zip(components).map(|(name, component)| {
        component.into_stepping().ok_or_else(|| {
            Error::Settings(format!(
                "{name} makes no communication steps: it can be aggregated only"
            ))
        })
    });
    stepping.collect()
}

/// The warning about a last step that is shorter than a component accepts.
pub(super) fn last_step(component: &str, settings: &Settings) -> Option<String> {
    let (span, step) = (settings.stop - settings.start, settings.step);
    let steps = span / step;
    let last = span - (steps - 1e-9).floor() * step;
    (step - last > 1e-9 * step.min(span)).then(|| {
        format!(
            "{component} takes steps of one size only (canHandleVariableCommunicationStepSize is false), but the last one of \
             this run is {last} instead of {step}: take a step that divides {span}"
        )
    })
}

/// Whether components can do what the algorithm asks of them, as sentences.
pub(super) fn check_capabilities(
    coupling: &Coupling,
    can: &[Capabilities],
    settings: &Settings,
    loops: &[(Vec<usize>, Algorithm)],
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    if settings.smoothing && settings.extrapolation == 0 {
        return Err(Error::Settings(
            "smoothing needs inputs that are extrapolated: take extrapolation = 1".to_owned(),
        ));
    }
    if let Some(control) = settings.control.filter(|control| control.relative >= 1.0) {
        return Err(Error::Settings(format!(
            "the tolerance {} is relative to the values: from 1 on, errors may be as large as these; choose less, such as 1e-4",
            control.relative
        )));
    }
    let all = can;
    for (number, (component, can)) in coupling.components.iter().zip(can).enumerate() {
        let lacks = |lacks, algorithm, instead| Error::Capability {
            component: component.clone(),
            lacks,
            algorithm,
            instead,
        };
        let own = loops.iter().find(|(components, _)| components.contains(&number));
        let repeats = [Some(settings.algorithm), own.map(|(_, algorithm)| *algorithm)];
        let repeats = repeats
            .into_iter()
            .flatten()
            .find(|algorithm| algorithm.repeats());
        let who = match repeats {
            Some(algorithm) => Some(algorithm.as_str()),
            None => settings.control.is_some().then_some("error control"),
        };
        if let (Some(who), false) = (who, can.snapshots) {
            return Err(lacks(
                "cannot go back to an earlier time (canGetAndSetFMUstate)",
                who,
                "take jacobi or gauss-seidel with a fixed step",
            ));
        }
        if settings.control.is_some() && !can.variable_step {
            return Err(lacks(
                "takes steps of one size only (canHandleVariableCommunicationStepSize)",
                "error control",
                "take a fixed step",
            ));
        }
        match settings.correction {
            Correction::Linear if !can.directional_derivatives => {
                return Err(lacks(
                    "does not provide its feed-through (providesDirectionalDerivative)",
                    "linear correction",
                    closes_loops(all, Correction::Linear),
                ));
            }
            Correction::Consistent if !can.outputs_follow_inputs => {
                return Err(lacks(
                    "does not provide outputs for new inputs without a step",
                    "the consistent correction",
                    closes_loops(all, Correction::Consistent),
                ));
            }
            _ => {}
        }
        if settings.extrapolation > can.input_derivatives && !coupling.inputs_of(number).is_empty() {
            warnings.push(format!(
                "{component} does not follow derivatives of its inputs of order {} (canInterpolateInputs): its inputs \
                 are extrapolated with order {}",
                settings.extrapolation, can.input_derivatives
            ));
        }
    }
    Ok(())
}

/// What closes algebraic loops of these components instead of a correction that they do not allow.
fn closes_loops(can: &[Capabilities], instead_of: Correction) -> &'static str {
    if can.iter().all(|can| can.snapshots) {
        return "take iterated-gauss-seidel or newton";
    }
    if instead_of != Correction::Consistent && can.iter().all(|can| can.outputs_follow_inputs) {
        return "take correction = \"consistent\"";
    }
    if instead_of != Correction::Linear && can.iter().all(|can| can.directional_derivatives) {
        return "take correction = \"linear\"";
    }
    "leave the correction out and take gauss-seidel with a small step: nothing else that closes an algebraic loop is possible \
     with these components"
}
