//! How to simulate, as a system file says it.

use toml::Spanned;

use super::super::SystemError;
use super::Source;
use super::tables::{ControlTable, Simulation};
use crate::settings::{
    Advance, Algorithm, Control, Correction, Interface, Norm, Parallel, Per, Quadratic, Settings,
};
use crate::stabilize::Rule;

pub(super) fn read(
    source: &Source<'_>,
    simulation: Simulation,
    control: Option<ControlTable>,
) -> Result<(Settings, Advance), SystemError> {
    let standard = Settings::default();
    let (advance, algorithm) = match &simulation.algorithm {
        None => (Advance::Stepping, standard.algorithm),
        Some(word) if word.get_ref() == Advance::AGGREGATE => (Advance::Aggregate, standard.algorithm),
        Some(word) => (Advance::Stepping, algorithm(source, word)?),
    };
    let correction = match &simulation.correction {
        None => standard.correction,
        Some(word) => Correction::from_word(word.get_ref()).ok_or_else(|| {
            let problem = format!(
                "no correction is called '{}'; there are none, linear, consistent",
                word.get_ref()
            );
            source.wrong(word, problem)
        })?,
    };
    let rule = match &simulation.rule {
        None => standard.rule,
        Some(word) => Rule::from_word(word.get_ref()).ok_or_else(|| {
            let problem = format!(
                "no rule is called '{}'; there are trapezoidal, backward-euler",
                word.get_ref()
            );
            source.wrong(word, problem)
        })?,
    };
    let extrapolation = match &simulation.extrapolation {
        None => standard.extrapolation,
        Some(order) if *order.get_ref() <= crate::history::MAX_ORDER => *order.get_ref(),
        Some(order) => {
            let problem = format!("extrapolation is of order 0, 1 or 2, not {}", order.get_ref());
            return Err(source.wrong(order, problem));
        }
    };
    let quadratic = match &simulation.quadratic {
        None => standard.quadratic,
        Some(word) => Quadratic::from_word(word.get_ref()).ok_or_else(|| {
            let known = Quadratic::ALL.map(Quadratic::as_str).join(" or ");
            source.wrong(word, format!("`quadratic` is {known}, not '{}'", word.get_ref()))
        })?,
    };
    let parallel = match &simulation.parallel {
        None => standard.parallel,
        Some(word) => match word.get_ref().as_str() {
            "always" => Parallel::Always,
            "never" => Parallel::Never,
            "when-it-pays" => Parallel::WhenItPays,
            other => {
                let problem = format!("`parallel` is always, never or when-it-pays, not '{other}'");
                return Err(source.wrong(word, problem));
            }
        },
    };
    let iterations = match &simulation.iterations {
        None => standard.iterations,
        Some(most) if *most.get_ref() > 0 => *most.get_ref(),
        Some(most) => return Err(source.wrong(most, "at least one iteration is needed")),
    };
    let finite = |number: &Option<Spanned<f64>>, name: &str| match number {
        Some(number) if !number.get_ref().is_finite() => {
            Err(source.wrong(number, format!("`{name}` is {}", number.get_ref())))
        }
        _ => Ok(number.as_ref().map(|number| *number.get_ref())),
    };
    let positive = |number: &Option<Spanned<f64>>, name: &str| match number {
        Some(number) if !(*number.get_ref() > 0.0 && number.get_ref().is_finite()) => {
            let problem = format!("`{name}` must be positive, and is {}", number.get_ref());
            Err(source.wrong(number, problem))
        }
        _ => Ok(number.as_ref().map(|number| *number.get_ref())),
    };
    let start = finite(&simulation.start, "start")?.unwrap_or(standard.start);
    let stop = finite(&simulation.stop, "stop")?.unwrap_or(start + 1.0);
    if let (true, Some(written)) = (stop <= start, &simulation.stop) {
        let problem = format!("the simulation stops at {stop}, and starts at {start}");
        return Err(source.wrong(written, problem));
    }
    let step = positive(&simulation.step, "step")?.unwrap_or((stop - start) / 100.0);
    let control = match control {
        None => None,
        Some(table) => {
            let relative = positive(&Some(table.tolerance), "tolerance")?.unwrap_or_default();
            let standard = Control::new(relative, stop - start);
            let control = Control {
                absolute: positive(&table.absolute, "absolute")?.unwrap_or(standard.absolute),
                minimum: positive(&table.minimum, "minimum")?.unwrap_or(standard.minimum),
                maximum: positive(&table.maximum, "maximum")?.unwrap_or(standard.maximum),
                per: match &table.per {
                    None => standard.per,
                    Some(word) => Per::from_word(word.get_ref()).ok_or_else(|| {
                        let known = Per::ALL.map(Per::as_str).join(" or ");
                        let problem = format!("`per` is {known}, not '{}'", word.get_ref());
                        source.wrong(word, problem)
                    })?,
                },
                norm: match &table.norm {
                    None => standard.norm,
                    Some(word) => Norm::from_word(word.get_ref()).ok_or_else(|| {
                        let known = Norm::ALL.map(Norm::as_str).join(" or ");
                        let problem = format!("`norm` is {known}, not '{}'", word.get_ref());
                        source.wrong(word, problem)
                    })?,
                },
                relative,
            };
            if let (true, Some(written)) = (control.minimum > control.maximum, &table.minimum) {
                let problem = format!(
                    "the smallest step, {}, is above the largest, {}",
                    control.minimum, control.maximum
                );
                return Err(source.wrong(written, problem));
            }
            Some(control)
        }
    };
    let solver = match &simulation.solver {
        None => standard.solver,
        Some(word) => {
            let solver = word.get_ref().parse();
            solver.map_err(|problem: String| source.wrong(word, problem))?
        }
    };
    let settings = Settings {
        start,
        stop,
        step,
        algorithm,
        interface: match &simulation.interface {
            None => standard.interface,
            Some(word) => interface(source, word)?,
        },
        extrapolation,
        quadratic,
        differences: simulation.differences.unwrap_or(standard.differences),
        correction,
        smoothing: simulation.smoothing.unwrap_or(standard.smoothing),
        rule,
        iterations,
        convergence: positive(&simulation.convergence, "convergence")?.unwrap_or(standard.convergence),
        tolerance: positive(&simulation.tolerance, "tolerance")?,
        parallel,
        solver,
        control,
        insist: simulation.insist.unwrap_or(standard.insist),
        ..standard
    };
    Ok((settings, advance))
}

pub(super) fn interface(source: &Source<'_>, word: &Spanned<String>) -> Result<Interface, SystemError> {
    Interface::from_word(word.get_ref()).ok_or_else(|| {
        let known = Interface::ALL.map(Interface::as_str).join(" or ");
        let problem = format!("`interface` is {known}, not '{}'", word.get_ref());
        source.wrong(word, problem)
    })
}

pub(super) fn algorithm(source: &Source<'_>, word: &Spanned<String>) -> Result<Algorithm, SystemError> {
    Algorithm::from_word(word.get_ref()).ok_or_else(|| {
        let known = Algorithm::ALL.map(Algorithm::as_str).join(", ");
        let problem = format!(
            "no algorithm is called '{}'; there are {known}, {}",
            word.get_ref(),
            Advance::AGGREGATE
        );
        source.wrong(word, problem)
    })
}
