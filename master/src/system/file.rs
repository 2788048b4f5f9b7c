//! System files in TOML.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::{Component, Connection, External, Place, System, SystemError};
use crate::settings::{Algorithm, Control, Correction, Settings};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemFile {
    #[serde(default)]
    simulation: Simulation,
    control: Option<ControlTable>,
    components: toml::Table,
    #[serde(default)]
    connections: Vec<ConnectionTable>,
    #[serde(default)]
    inputs: Vec<InputTable>,
    #[serde(default)]
    record: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Simulation {
    start: Option<f64>,
    stop: Option<f64>,
    step: Option<f64>,
    algorithm: Option<Spanned<String>>,
    extrapolation: Option<Spanned<u32>>,
    differences: Option<bool>,
    correction: Option<Spanned<String>>,
    smoothing: Option<bool>,
    iterations: Option<usize>,
    convergence: Option<f64>,
    insist: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ControlTable {
    tolerance: f64,
    absolute: Option<f64>,
    minimum: Option<f64>,
    maximum: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ComponentTable {
    fmu: String,
    #[serde(default)]
    set: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectionTable {
    from: Spanned<String>,
    to: Spanned<String>,
    #[serde(default = "one")]
    gain: f64,
    #[serde(default)]
    offset: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InputTable {
    to: Spanned<String>,
    value: Option<f64>,
    points: Option<Vec<(f64, f64)>>,
}

fn one() -> f64 {
    1.0
}

/// Reads the text of a system file.
pub(super) fn read(text: &str, path: &Path) -> Result<System, SystemError> {
    let place = |offset: usize| Place {
        file: Some(path.to_owned()),
        line: 1 + text[..offset.min(text.len())].matches('\n').count(),
    };
    let wrong = |offset: usize, problem: String| SystemError::Wrong {
        place: place(offset),
        problem,
    };
    let file: SystemFile = toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        wrong(offset, error.message().to_owned())
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut components = Vec::new();
    for (name, table) in file.components {
        // Tables of tables have no places of their own; the line that names it does.
        let offset = [format!("[components.{name}]"), name.clone()]
            .iter()
            .find_map(|mark| text.find(mark.as_str()))
            .unwrap_or(0);
        if name.contains('.') {
            return Err(wrong(
                offset,
                format!("'{name}' is no name for a component: it has a dot"),
            ));
        }
        let table: ComponentTable = table.try_into().map_err(|error: toml::de::Error| {
            wrong(offset, format!("component {name}: {}", error.message()))
        })?;
        components.push(Component {
            name,
            fmu: folder.join(table.fmu),
            values: table
                .set
                .into_iter()
                .map(|(key, value)| (key, plain(&value)))
                .collect(),
            place: place(offset),
        });
    }
    let connection = |table: ConnectionTable| Connection {
        place: place(table.from.span().start),
        from: table.from.into_inner(),
        to: table.to.into_inner(),
        gain: table.gain,
        offset: table.offset,
    };
    let mut inputs = Vec::new();
    for table in file.inputs {
        let offset = table.to.span().start;
        let points = match (table.value, table.points) {
            (Some(value), None) => vec![(0.0, value)],
            (None, Some(points)) if !points.is_empty() => points,
            _ => {
                return Err(wrong(
                    offset,
                    "an input needs either `value = 1.0` or `points = [[0.0, 1.0], [2.0, 3.0]]`".to_owned(),
                ));
            }
        };
        if points.windows(2).any(|pair| pair[0].0 > pair[1].0) {
            return Err(wrong(offset, "the times of `points` go backwards".to_owned()));
        }
        inputs.push(External {
            place: place(offset),
            to: table.to.into_inner(),
            points,
        });
    }
    let settings = settings(file.simulation, file.control, &wrong)?;
    Ok(System {
        components,
        connections: file.connections.into_iter().map(connection).collect(),
        inputs,
        settings,
        record: file.record,
    })
}

fn settings(
    simulation: Simulation,
    control: Option<ControlTable>,
    wrong: &dyn Fn(usize, String) -> SystemError,
) -> Result<Settings, SystemError> {
    let standard = Settings::default();
    let algorithm = match &simulation.algorithm {
        None => standard.algorithm,
        Some(word) => Algorithm::from_word(word.get_ref()).ok_or_else(|| {
            let known: Vec<&str> = Algorithm::ALL
                .iter()
                .map(|algorithm| algorithm.as_str())
                .collect();
            wrong(
                word.span().start,
                format!(
                    "no algorithm is called '{}'; there are {}",
                    word.get_ref(),
                    known.join(", ")
                ),
            )
        })?,
    };
    let correction = match &simulation.correction {
        None => standard.correction,
        Some(word) => Correction::from_word(word.get_ref()).ok_or_else(|| {
            wrong(
                word.span().start,
                format!(
                    "no correction is called '{}'; there are none, linear, consistent",
                    word.get_ref()
                ),
            )
        })?,
    };
    let extrapolation = match &simulation.extrapolation {
        None => standard.extrapolation,
        Some(order) if *order.get_ref() <= crate::history::MAX_ORDER => *order.get_ref(),
        Some(order) => {
            return Err(wrong(
                order.span().start,
                format!("extrapolation is of order 0, 1 or 2, not {}", order.get_ref()),
            ));
        }
    };
    let start = simulation.start.unwrap_or(standard.start);
    let stop = simulation.stop.unwrap_or(start + 1.0);
    let step = simulation.step.unwrap_or((stop - start) / 100.0);
    if !(stop > start && step > 0.0) {
        return Err(wrong(
            0,
            format!("from {start} to {stop} with steps of {step} is no simulation"),
        ));
    }
    let control = control.map(|table| Control {
        relative: table.tolerance,
        absolute: table.absolute.unwrap_or(table.tolerance),
        minimum: table.minimum.unwrap_or(1e-10 * (stop - start)),
        maximum: table.maximum.unwrap_or(stop - start),
    });
    Ok(Settings {
        start,
        stop,
        step,
        algorithm,
        extrapolation,
        differences: simulation.differences.unwrap_or(standard.differences),
        correction,
        smoothing: simulation.smoothing.unwrap_or(standard.smoothing),
        iterations: simulation.iterations.unwrap_or(standard.iterations),
        convergence: simulation.convergence.unwrap_or(standard.convergence),
        control,
        insist: simulation.insist.unwrap_or(standard.insist),
        ..standard
    })
}

/// A value as the importer reads it.
fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
