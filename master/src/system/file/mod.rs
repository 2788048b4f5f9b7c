//! System files in TOML.
//!
//! ```toml
//! record = ["*.x"]                  # default: all outputs
//!
//! [simulation]
//! stop = 2.0
//! step = 0.01
//! algorithm = "gauss-seidel"
//!
//! [control]                         # error control, if wanted
//! tolerance = 1e-4
//!
//! [components.wheel]
//! fmu = "Wheel.fmu"
//! set = { m = 40.0, "tyre.k" = 1e5 }
//!
//! [components.chassis]
//! fmu = "Chassis.fmu"
//! interface = "model-exchange"      # where an FMU has both; default: co-simulation
//! solver = "bdf"                    # around a Model Exchange FMU: bdf (default) or dormand-prince
//! isolated = true                   # in a process of its own; default: false
//!
//! [[connections]]
//! from = "wheel.x"
//! to = "chassis.x_wheel"
//!
//! [[connections]]
//! from = "chassis.f"
//! to = "wheel.f"
//! gain = -1.0
//!
//! [[inputs]]
//! to = "wheel.road"
//! points = [[0.0, 0.0], [0.1, 0.05]]
//!
//! [[loops]]
//! of = ["wheel", "chassis"]
//! algorithm = "newton"
//! ```

mod inputs;
mod settings;
mod tables;

pub(super) use inputs::read_table;

use std::path::Path;

use toml::Spanned;

use super::{Assignment, Component, Connection, LoopAlgorithm, Pattern, Place, Sum, System, SystemError};
use crate::settings::{Advance, Solver};
use tables::SystemFile;

/// A text with its file, for places.
struct Source<'a> {
    text: &'a str,
    path: &'a Path,
    /// Where lines end.
    ends: Vec<usize>,
}

impl<'a> Source<'a> {
    fn new(text: &'a str, path: &'a Path) -> Source<'a> {
        let ends = text.match_indices('\n').map(|(offset, _)| offset).collect();
        Source { text, path, ends }
    }

    fn place(&self, offset: usize) -> Place {
        Place {
            file: Some(self.path.to_owned()),
            line: 1 + self.ends.partition_point(|end| *end < offset),
        }
    }

    fn place_of<T>(&self, item: &Spanned<T>) -> Place {
        self.place(item.span().start)
    }

    fn wrong<T>(&self, item: &Spanned<T>, problem: impl Into<String>) -> SystemError {
        SystemError::wrong(&self.place_of(item), problem)
    }

    /// What the parser objects to.
    fn refused(&self, error: &toml::de::Error) -> SystemError {
        let span = error.span().unwrap_or(0..0);
        let place = self.place(span.start);
        if let Some(key) = self.key_without_value(place.line) {
            return SystemError::wrong(&place, format!("the value of `{key}` is missing"));
        }
        let here = self.text.get(span).unwrap_or_default().trim();
        let problem = match error.message() {
            "duplicate key" => format!("`{here}` is there twice"),
            message => unknown_key(message).unwrap_or_else(|| message.trim().to_owned()),
        };
        SystemError::wrong(&place, problem)
    }

    /// The key of a line that ends after its `=`. The parser, which takes what follows for a text, asks for quotes there.
    fn key_without_value(&self, line: usize) -> Option<&'a str> {
        let line = self.text.lines().nth(line.checked_sub(1)?)?;
        let (key, value) = line.split_once('=')?;
        let key = key.trim();
        let is_key = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
        let value = value.trim();
        let is_missing = value.is_empty() || value.starts_with('#');
        (is_missing && !key.is_empty() && key.chars().all(is_key)).then_some(key)
    }
}

/// The message about an unknown key, with the nearest known one; `None` for any other message.
fn unknown_key(message: &str) -> Option<String> {
    let (key, known) = message.strip_prefix("unknown field `")?.split_once('`')?;
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    let hint = match fmu_importer::nearest(known.iter().copied(), key) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    };
    Some(format!("there is no key `{key}` here; {hint}"))
}

/// Reads the text of a system file.
pub(super) fn read(text: &str, path: &Path) -> Result<System, SystemError> {
    let source = Source::new(text, path);
    let file: SystemFile = toml::from_str(text).map_err(|error| source.refused(&error))?;
    let folder = path.parent().unwrap_or(Path::new(""));

    let mut tables: Vec<_> = file.components.into_iter().collect();
    tables.sort_by_key(|(name, _)| name.span().start);
    let mut components = Vec::new();
    for (name, table) in tables {
        if name.get_ref().contains('.') {
            let problem = format!("'{}' is not a name for a component: it has a dot", name.get_ref());
            return Err(source.wrong(&name, problem));
        }
        let mut values = Vec::new();
        for (variable, value) in table.set {
            let place = source.place_of(&value);
            flatten(variable.get_ref(), value.get_ref(), &place, &mut values);
        }
        values.sort_by_key(|value| value.place.line);
        let interface = table.interface.as_ref();
        let solver = table
            .solver
            .as_ref()
            .map(|word| Solver::of_component(word.get_ref()).map_err(|problem| source.wrong(word, problem)));
        components.push(Component {
            interface: interface
                .map(|word| settings::interface(&source, word))
                .transpose()?,
            solver: solver.transpose()?,
            isolated: table.isolated,
            place: source.place_of(&table.fmu),
            fmu: folder.join(table.fmu.into_inner()),
            name: name.into_inner(),
            values,
        });
    }
    let (mut connections, mut sums) = (Vec::new(), Vec::new());
    for table in file.connections {
        connect(&source, table, &mut connections, &mut sums)?;
    }
    let (mut inputs, mut tables) = (Vec::new(), Vec::new());
    for table in file.inputs {
        tables.extend(table.file.as_ref().map(|file| folder.join(file.get_ref())));
        inputs.extend(inputs::read(&source, table, folder)?);
    }
    let mut loops = Vec::new();
    for table in file.loops {
        if table.algorithm.get_ref() == Advance::AGGREGATE {
            let problem = "a loop steps by itself; aggregate is an algorithm for a whole system";
            return Err(source.wrong(&table.algorithm, problem));
        }
        loops.push(LoopAlgorithm {
            place: source.place_of(&table.of),
            algorithm: settings::algorithm(&source, &table.algorithm)?,
            components: table.of.into_inner(),
        });
    }
    let pattern = |pattern: Spanned<String>| Pattern {
        place: source.place_of(&pattern),
        text: pattern.into_inner(),
    };
    let (settings, advance) = settings::read(&source, file.simulation, file.control)?;
    if components.is_empty() {
        let problem = "the system has no components; add `[components.NAME]` with `fmu = \"FILE.fmu\"`";
        return Err(SystemError::wrong(&source.place(0), problem));
    }
    Ok(System {
        name: file.name.unwrap_or_default(),
        components,
        connections,
        sums,
        inputs,
        tables,
        loops,
        advance,
        settings,
        record: file.record.into_iter().map(pattern).collect(),
        ..System::default()
    })
}

/// A connection from one output, or from a sum of several.
fn connect(
    source: &Source<'_>,
    table: tables::ConnectionTable,
    connections: &mut Vec<Connection>,
    sums: &mut Vec<Sum>,
) -> Result<(), SystemError> {
    match (table.from, table.sum) {
        (Some(from), None) => connections.push(Connection {
            place: source.place_of(&from),
            from: from.into_inner(),
            to: table.to.into_inner(),
            gain: table.gain,
            offset: table.offset,
            convert: table.convert,
            map: None,
        }),
        (None, Some(terms)) if !terms.is_empty() => sums.push(Sum {
            place: source.place_of(&table.to),
            terms: terms
                .into_iter()
                .map(|term| (term.from, table.gain * term.gain))
                .collect(),
            to: table.to.into_inner(),
            offset: table.offset,
            convert: table.convert,
        }),
        _ => {
            let problem =
                "a connection needs either `from = \"a.y\"` or `sum = [{ from = \"a.y\", gain = 2.0 }]`";
            return Err(source.wrong(&table.to, problem));
        }
    }
    Ok(())
}

/// A value of the file becomes those of variables: tables are structured names, arrays are counted from 1.
fn flatten(variable: &str, value: &toml::Value, place: &Place, to: &mut Vec<Assignment>) {
    let text = match value {
        toml::Value::Table(table) => return flatten_table(variable, table, place, to),
        toml::Value::Array(array) => return flatten_array(variable, "", array, place, to),
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    to.push(Assignment::new(variable, text, place.clone()));
}

fn flatten_table(variable: &str, table: &toml::Table, place: &Place, to: &mut Vec<Assignment>) {
    for (name, value) in table {
        flatten(&format!("{variable}.{name}"), value, place, to);
    }
}

fn flatten_array(
    variable: &str,
    index: &str,
    array: &[toml::Value],
    place: &Place,
    to: &mut Vec<Assignment>,
) {
    for (number, value) in (1..).zip(array) {
        let index = match index {
            "" => number.to_string(),
            outer => format!("{outer},{number}"),
        };
        match value {
            toml::Value::Array(inner) => flatten_array(variable, &index, inner, place, to),
            other => flatten(&format!("{variable}[{index}]"), other, place, to),
        }
    }
}
