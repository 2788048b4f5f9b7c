//! What the command line says in place of the system file.

use std::error::Error;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use fmu_importer::Glob;
use fmu_master::System;
use fmu_master::coupling::{Coupling, Link};
use fmu_master::settings::{Advance, Algorithm, Control, Correction, Interface, Per, Solver};
use fmu_master::system::{Assignment, Pattern, Place};

/// Settings, values and inputs that override those of the file.
#[derive(Debug, Default, Args)]
pub struct Overrides {
    /// Start time.
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub start: Option<f64>,
    /// Stop time.
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// The communication step; with error control, the first step.
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// The algorithm, see below.
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = PossibleValuesParser::new(algorithms()))]
    pub algorithm: Option<String>,
    /// The order of extrapolation of inputs inside a step: 0, 1 or 2.
    #[arg(long, value_name = "ORDER", value_parser = clap::value_parser!(u32).range(0..=2))]
    pub extrapolation: Option<u32>,
    /// Controls the step by the error, with this relative tolerance.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// What the tolerance applies to: `unit-step` (the whole run) or `step` (each step).
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = PossibleValuesParser::new(Per::ALL.map(Per::as_str)))]
    pub per: Option<String>,
    /// The interface of FMUs that have both: co-simulation or model-exchange.
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = PossibleValuesParser::new(Interface::ALL.map(Interface::as_str)))]
    pub interface: Option<String>,
    /// The integrator around each Model Exchange FMU (bdf or dormand-prince) or, for the algorithm aggregate, the solver
    /// over all FMUs (bdf, esdirk34, tr-bdf2, tsit45, euler or rk4).
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Correction of feed-through after a step: none, linear or consistent.
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = ["none", "linear", "consistent"])]
    pub correction: Option<String>,
    /// Smooths inputs: each begins a step where its extrapolation ended.
    #[arg(long, value_name = "BOOL", hide_possible_values = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub smoothing: Option<bool>,
    /// Continues although the coupling is known to be unstable.
    #[arg(long)]
    pub insist: bool,
    /// A start value or a parameter (may be repeated).
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// A table of inputs, linear between its rows: the time, and columns by the names of inputs, as below.
    #[arg(long, value_name = "IN.CSV")]
    pub input: Option<PathBuf>,
    /// Runs components that match, with `*` and `?`, in processes of their own (may be repeated).
    #[arg(long, value_name = "COMPONENT")]
    pub isolate: Vec<String>,
    /// Records variables that match, with `*` and `?` (may be repeated) [default: outputs].
    #[arg(long, value_name = "GLOB")]
    pub record: Vec<String>,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.into())),
        _ => Err("expected COMPONENT.VARIABLE=VALUE".into()),
    }
}

/// More communication steps than this take years.
const STEPS: f64 = 1e12;

/// The words of `--algorithm`.
fn algorithms() -> impl Iterator<Item = &'static str> {
    let steps = Algorithm::ALL.into_iter().map(Algorithm::as_str);
    steps.chain([Advance::AGGREGATE])
}

/// Takes a solver over all FMUs, or one around each of those that step through Model Exchange; a solver that is of the
/// other kind has no effect (see [`Overrides::idle`]).
fn choose_solver(system: &mut System, word: &str) -> Result<(), String> {
    let solver: Solver = word.parse()?;
    if system.advance == Advance::Aggregate {
        system.settings.solver = solver;
    } else if solver.is_of_components() {
        system.settings.solver = solver;
        for component in &mut system.components {
            component.solver = None;
        }
    }
    Ok(())
}

impl Overrides {
    /// What was asked for and has no effect, as sentences. `model_exchange`: an FMU is simulated through this interface.
    pub(super) fn idle(&self, system: &System, coupling: &Coupling, model_exchange: bool) -> Vec<String> {
        let mut idle = Vec::new();
        match &self.solver {
            _ if system.advance == Advance::Aggregate => {}
            Some(solver) if Solver::of_component(solver).is_err() => idle.push(format!(
                "--solver {solver} has no effect: it is for --algorithm aggregate, and this is {}, with which FMUs have \
                 solvers of their own",
                system.settings.algorithm.as_str()
            )),
            Some(solver) if !model_exchange => idle.push(format!(
                "--solver {solver} has no effect: no FMU steps through Model Exchange; add --interface model-exchange"
            )),
            _ => {}
        }
        for (name, _) in &self.set {
            let fed = coupling.inputs.iter().find(|input| input.name == *name);
            let by = match fed.map(|input| input.link) {
                Some(Link::Output { output, .. }) => coupling.outputs[output].name.as_str(),
                Some(Link::Signal(_)) => "a table",
                Some(Link::Fixed(_)) | None => continue,
            };
            idle.push(format!(
                "--set {name} has no effect after the start: the input is fed by {by}"
            ));
        }
        idle
    }

    pub(super) fn apply(&self, system: &mut System) -> Result<(), Box<dyn Error>> {
        let command_line = Place {
            file: Some("the command line".into()),
            line: 0,
        };
        let settings = &mut system.settings;
        let span = settings.stop - settings.start;
        settings.start = self.start.unwrap_or(settings.start);
        settings.stop = self.stop.unwrap_or(settings.stop);
        for (number, name) in [
            (Some(settings.start), "start"),
            (Some(settings.stop), "stop"),
            (self.step, "step"),
            (self.tolerance, "tolerance"),
        ] {
            if let Some(number) = number.filter(|number| !number.is_finite()) {
                return Err(format!("--{name} must be a finite number, and is {number}").into());
            }
        }
        if settings.stop <= settings.start {
            let (start, stop) = (settings.start, settings.stop);
            return Err(format!("the simulation stops at {stop}, and starts at {start}").into());
        }
        for (number, name) in [(self.step, "step"), (self.tolerance, "tolerance")] {
            if let Some(number) = number.filter(|number| *number <= 0.0) {
                return Err(format!("--{name} must be positive, and is {number}").into());
            }
        }
        if self.step.is_some() {
            system.step_from = None;
        }
        settings.step = self.step.unwrap_or(settings.step);
        let steps = (settings.stop - settings.start) / settings.step;
        if steps > STEPS {
            let (start, stop, step) = (settings.start, settings.stop, settings.step);
            return Err(format!(
                "steps of {step:e} from {start} to {stop} are {steps:.0e} steps, more than {STEPS:e}: take a larger one"
            )
            .into());
        }
        let longer = (settings.stop - settings.start) / span;
        if let Some(control) = &mut settings.control {
            control.maximum *= longer.max(1.0);
        }
        if let Some(word) = &self.algorithm {
            system.advance = match word == Advance::AGGREGATE {
                true => Advance::Aggregate,
                false => Advance::Stepping,
            };
            settings.algorithm = Algorithm::from_word(word).unwrap_or(settings.algorithm);
        }
        if let Some(interface) = self.interface.as_deref().and_then(Interface::from_word) {
            settings.interface = interface;
            for component in &mut system.components {
                component.interface = None;
            }
        }
        if let Some(word) = &self.solver {
            choose_solver(system, word)?;
        }
        let settings = &mut system.settings;
        settings.extrapolation = self.extrapolation.unwrap_or(settings.extrapolation);
        if let Some(tolerance) = self.tolerance {
            let span = settings.stop - settings.start;
            let control = settings.control.get_or_insert(Control::new(tolerance, span));
            (control.relative, control.absolute) = (tolerance, tolerance);
        }
        if let Some(per) = self.per.as_deref().and_then(Per::from_word) {
            match &mut settings.control {
                Some(control) => control.per = per,
                None => return Err("--per needs error control: add --tolerance".into()),
            }
        }
        if let Some(word) = &self.correction {
            settings.correction = Correction::from_word(word).unwrap_or(settings.correction);
        }
        settings.smoothing = self.smoothing.unwrap_or(settings.smoothing);
        settings.insist |= self.insist;
        for (name, value) in &self.set {
            let assignment = Assignment::new(name, value.as_str(), command_line.clone());
            system.values.push(assignment);
        }
        for pattern in &self.isolate {
            let glob = Glob::new(pattern);
            let mut found = false;
            for component in system.components.iter_mut().filter(|one| glob.matches(&one.name)) {
                (component.isolated, found) = (true, true);
            }
            if !found {
                let names: Vec<&str> = system.components.iter().map(|one| one.name.as_str()).collect();
                let names = names.join(", ");
                return Err(
                    format!("--isolate {pattern}: no component is called so; there are {names}").into(),
                );
            }
        }
        if let Some(path) = &self.input {
            system.read_inputs(path)?;
        }
        if !self.record.is_empty() {
            let pattern = |text: &String| Pattern {
                text: text.clone(),
                place: command_line.clone(),
            };
            system.record = self.record.iter().map(pattern).collect();
        }
        Ok(())
    }
}
