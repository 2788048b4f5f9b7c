//! Drawings of results as SVG: one panel for each unit above a common time axis, with a legend, and events as thin
//! vertical lines.
//!
//! ```
//! use importer::plot::{Panel, Plot, Series};
//!
//! let points = (0..100).map(|k| f64::from(k) * 0.1).map(|t| (t, t.sin())).collect();
//! let panel = Panel::new(Some("m")).with(Series::new("x", points));
//! let svg = Plot::new("A wave").event(3.14).with(panel).to_svg();
//! assert!(svg.starts_with("<svg") && svg.contains("x / m"));
//! ```

mod axis;
mod svg;

use crate::{BaseType, table::Results};

/// A drawing.
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
}

/// One line.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    held: bool,
}

impl Plot {
    /// An empty one.
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

    /// Marks a moment.
    pub fn event(mut self, time: f64) -> Self {
        self.events.push(time);
        self
    }

    /// The drawing as a document of its own.
    pub fn to_svg(&self) -> String {
        svg::write(self)
    }
}

impl Panel {
    /// An empty one, for values of a unit.
    pub fn new(unit: Option<&str>) -> Self {
        Self {
            unit: unit.map(Into::into),
            series: Vec::new(),
        }
    }

    /// Adds a line.
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }
}

impl Series {
    /// A line through points (time, value), in the order of time. Values that are no numbers leave a gap.
    pub fn new(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            points,
            held: false,
        }
    }

    /// Keeps each value until the next one, and does not slope between them.
    pub fn held(mut self) -> Self {
        self.held = true;
        self
    }
}

/// More lines than this in one panel tell nothing; the rest is left out.
const LINES: usize = 12;

/// Draws what a simulation recorded: variables of one unit share a panel, discrete ones have panels of their own.
pub fn results(title: &str, results: &Results) -> String {
    let mut panels: Vec<(bool, Panel)> = Vec::new();
    let mut left_out = 0;
    for column in results.columns() {
        let Some(values) = results.numbers(&column.name) else {
            continue;
        };
        let discrete = column.base_type != BaseType::Real;
        let at = panels
            .iter()
            .position(|(kind, panel)| *kind == discrete && panel.unit == column.unit);
        let at = at.unwrap_or_else(|| {
            panels.push((discrete, Panel::new(column.unit.as_deref())));
            panels.len() - 1
        });
        if panels[at].1.series.len() == LINES {
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
        panels[at]
            .1
            .series
            .push(if column.discrete { series.held() } else { series });
    }
    let title = match left_out {
        0 => title.to_string(),
        more => format!("{title} ({more} more lines are not shown)"),
    };
    Plot {
        title,
        panels: panels.into_iter().map(|(_, panel)| panel).collect(),
        events: results.event_times(),
    }
    .to_svg()
}
