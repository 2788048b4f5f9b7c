//! Drawings of results as SVG: one panel per unit above a common time axis, with a legend, and events as thin
//! vertical lines.
//!
//! ```
//! use fmu_results::plot::{Panel, Plot, Series};
//!
//! let points = (0..100).map(|k| f64::from(k) * 0.1).map(|t| (t, t.sin())).collect();
//! let panel = Panel::new(Some("m")).with(Series::new("x", points));
//! let svg = Plot::new("A wave").event(3.14).with(panel).to_svg();
//! assert!(svg.starts_with("<svg") && svg.contains("x / m"));
//! ```

mod axis;
mod svg;

use crate::table::{CellType, Results};

/// A drawing with panels above a common time axis.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    title: String,
    panels: Vec<Panel>,
    events: Vec<f64>,
}

/// Lines over one vertical axis.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    unit: Option<String>,
    series: Vec<Series>,
    values: Values,
}

/// The kind of values in a panel, which determines its ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Values {
    #[default]
    Numbers,
    WholeNumbers,
    Booleans,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    held: bool,
}

impl Plot {
    /// A drawing without panels.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Adds a panel below the others.
    pub fn with(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// Marks an event by a vertical line.
    pub fn event(mut self, time: f64) -> Self {
        self.events.push(time);
        self
    }

    /// The drawing as an SVG document.
    pub fn to_svg(&self) -> String {
        svg::write(self)
    }
}

impl Panel {
    /// A panel without lines, for values of a unit.
    pub fn new(unit: Option<&str>) -> Self {
        Self {
            unit: unit.map(Into::into),
            ..Self::default()
        }
    }

    /// For values that are whole numbers.
    pub fn whole_numbers(mut self) -> Self {
        self.values = Values::WholeNumbers;
        self
    }

    /// For values that are 0 (false) or 1 (true); such a panel is lower than others.
    pub fn booleans(mut self) -> Self {
        self.values = Values::Booleans;
        self
    }

    /// Adds a line.
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }
}

impl Series {
    /// A line through points (time, value), in the order of time. Values that are not finite leave a gap.
    pub fn new(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            points,
            held: false,
        }
    }

    /// Draws steps: each value holds until the next one.
    pub fn held(mut self) -> Self {
        self.held = true;
        self
    }
}

/// A panel shows at most this many lines; more would be unreadable.
const LINES: usize = 12;

/// Draws the results of a simulation: variables of one unit share a panel, integers and Booleans have panels of their own.
pub fn results(title: &str, results: &Results) -> String {
    let mut panels: Vec<Panel> = Vec::new();
    let mut left_out = 0;
    for column in results.columns() {
        let Some(values) = results.numbers(&column.name) else {
            continue;
        };
        let panel = Panel::new(column.unit.as_deref());
        let panel = match column.cell_type {
            CellType::Real | CellType::String => panel,
            CellType::Integer => panel.whole_numbers(),
            CellType::Boolean => panel.booleans(),
        };
        let same = |other: &Panel| other.values == panel.values && other.unit == panel.unit;
        let at = panels.iter().position(same).unwrap_or_else(|| {
            panels.push(panel);
            panels.len() - 1
        });
        if panels[at].series.len() == LINES {
            left_out += 1;
            continue;
        }
        let points = results
            .times()
            .iter()
            .copied()
            .zip(values.iter().copied())
            .collect();
        let series = Series::new(&column.name, points);
        let series = if column.discrete { series.held() } else { series };
        panels[at].series.push(series);
    }
    let title = match left_out {
        0 => title.to_string(),
        more => format!("{title} ({more} more lines are not shown)"),
    };
    Plot {
        title,
        panels,
        events: results.event_times(),
    }
    .to_svg()
}
