//! What is given from outside: a value, points, or a table in a file.

use std::path::Path;

use fmu_results::table::csv;
use toml::Spanned;

use super::super::{External, NamedUnit, Place, SystemError, read_text};
use super::Source;
use super::tables::InputTable;

const SHAPES: &str =
    "an input needs one of `value = 1.0`, `points = [[0.0, 1.0], [2.0, 3.0]]` and `file = \"table.csv\"`";

const NO_TABLE: &str =
    "not a table: a table has names in its first line, and numbers below, with commas between them";

/// The inputs that one `[[inputs]]` means.
pub(super) fn read(
    source: &Source<'_>,
    table: InputTable,
    folder: &Path,
) -> Result<Vec<External>, SystemError> {
    let unit = match &table.unit {
        None => None,
        Some(name) => {
            let known = NamedUnit::known(name.get_ref());
            Some(known.map_err(|error| source.wrong(name, error.to_string()))?)
        }
    };
    let needs_name =
        |place: Place| SystemError::wrong(&place, "an input needs `to = \"component.variable\"`");
    let one = |to: Spanned<String>, points: Vec<(f64, f64)>| External {
        place: source.place_of(&to),
        to: to.into_inner(),
        points,
        unit: unit.clone(),
    };
    if let (Some(column), None) = (&table.column, &table.file) {
        return Err(source.wrong(column, "`column` is that of a `file`, and there is none"));
    }
    let external = match (table.value, table.points, table.file) {
        (Some(value), None, None) => {
            let place = source.place_of(&value);
            let to = table.to.ok_or_else(|| needs_name(place))?;
            vec![one(to, vec![(0.0, value.into_inner())])]
        }
        (None, Some(points), None) => {
            let place = source.place_of(&points);
            if let Some(problem) = wrong_points(points.get_ref()) {
                return Err(source.wrong(&points, problem));
            }
            let to = table.to.ok_or_else(|| needs_name(place))?;
            vec![one(to, points.into_inner())]
        }
        (None, None, Some(file)) => {
            let path = folder.join(file.get_ref());
            let mut columns = read_table(&path).map_err(|error| match error {
                SystemError::Read { path, source: why } => {
                    source.wrong(&file, format!("cannot read {}: {why}", path.display()))
                }
                other => other,
            })?;
            match table.to {
                None => {
                    for column in &mut columns {
                        column.unit.clone_from(&unit);
                    }
                    columns
                }
                Some(to) => {
                    let variable = to.get_ref().rsplit('.').next().unwrap_or_default();
                    let is = |name: &str| match &table.column {
                        Some(column) => name == column.get_ref(),
                        None => name == to.get_ref() || name == variable,
                    };
                    let Some(column) = columns.iter_mut().find(|column| is(&column.to)) else {
                        let wanted = table.column.as_ref().unwrap_or(&to);
                        let names: Vec<&str> = columns.iter().map(|column| column.to.as_str()).collect();
                        let problem = format!(
                            "{} has no column `{}`; there are {}",
                            path.display(),
                            wanted.get_ref(),
                            names.join(", ")
                        );
                        return Err(source.wrong(wanted, problem));
                    };
                    let points = std::mem::take(&mut column.points);
                    vec![one(to, points)]
                }
            }
        }
        (value, points, file) => {
            let written = [
                table.to.map(|to| source.place_of(&to)),
                value.map(|value| source.place_of(&value)),
                points.map(|points| source.place_of(&points)),
                file.map(|file| source.place_of(&file)),
            ];
            let place = written.into_iter().flatten().next().unwrap_or_default();
            return Err(SystemError::wrong(&place, SHAPES));
        }
    };
    Ok(external)
}

fn wrong_points(points: &[(f64, f64)]) -> Option<String> {
    if points.is_empty() {
        return Some("there are no points".to_owned());
    }
    if let Some((time, value)) = points.iter().find(|(t, v)| !(t.is_finite() && v.is_finite())) {
        return Some(format!("[{time}, {value}] is not a point"));
    }
    let back = points.windows(2).find(|pair| pair[0].0 > pair[1].0)?;
    Some(format!("time goes back from {} to {}", back[0].0, back[1].0))
}

/// The columns of a table of comma-separated values: names in the first line, the time in the first column.
pub(in crate::system) fn read_table(path: &Path) -> Result<Vec<External>, SystemError> {
    let text = read_text(path, NO_TABLE)?;
    let wrong = |line: usize, problem: String| {
        let place = Place {
            file: Some(path.to_owned()),
            line,
        };
        SystemError::wrong(&place, problem)
    };
    let rows = csv::read(&text).map_err(|line| wrong(line, "a quoted text has no end".to_owned()))?;
    let Some(((line, header), rows)) = rows.split_first() else {
        return Err(wrong(1, "there are no names".to_owned()));
    };
    if rows.is_empty() {
        return Err(wrong(*line, "there are no values below the names".to_owned()));
    }
    if let Some(problem) = csv::wrong_time_unit(&header[0]) {
        return Err(wrong(*line, problem));
    }
    let mut columns: Vec<External> = header[1..]
        .iter()
        .map(|name| External {
            to: name.trim().to_owned(),
            points: Vec::with_capacity(rows.len()),
            unit: None,
            place: Place {
                file: Some(path.to_owned()),
                line: *line,
            },
        })
        .collect();
    let mut last = f64::NEG_INFINITY;
    for (line, row) in rows {
        if row.len() != header.len() {
            return Err(wrong(*line, csv::wrong_length(row, header.len())));
        }
        let number = |field: &str| {
            field
                .trim()
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
        };
        let Some(time) = number(&row[0]).filter(|time| *time >= last) else {
            return Err(wrong(
                *line,
                format!("`{}` is not a time after {last}", row[0].trim()),
            ));
        };
        last = time;
        for (column, field) in columns.iter_mut().zip(&row[1..]) {
            let Some(value) = number(field) else {
                let (name, field) = (&column.to, field.trim());
                let problem = format!(
                    "column {name}: `{field}` is not a number; only Real inputs are given over time, others are set once \
                     (`--set {name}={field}`, or `set` in a system file)"
                );
                return Err(wrong(*line, problem));
            };
            column.points.push((time, value));
        }
    }
    Ok(columns)
}
