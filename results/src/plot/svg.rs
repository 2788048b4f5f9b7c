//! Writes the SVG document.

use std::fmt::Write;

use super::axis::Axis;
use super::{Panel, Plot, Series, Values};
use crate::markup::escape;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 86.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 48.0;
const HEIGHT: f64 = 200.0;
/// The height of a panel with two values.
const LOW: f64 = 70.0;
/// The average width of a letter in the legend. Names that are too long for the widest legend lose their beginning, because
/// their ends distinguish the parts of a system.
const LETTER: f64 = 6.7;
const LEGEND: [f64; 2] = [110.0, 300.0];
/// Events closer than this on paper are one line.
const APART: f64 = 2.0;
const GAP: f64 = 22.0;
const COLOURS: [&str; 12] = [
    "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f",
    "#bcbd22", "#393b79", "#637939",
];

/// Writes a line to a `String`, which cannot fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {
        writeln!($out, $($text)*).expect("a string takes everything")
    };
}

pub(super) fn write(plot: &Plot) -> String {
    let empty = Panel::default();
    let drawn: Vec<&Panel> = if plot.panels.is_empty() {
        vec![&empty]
    } else {
        plot.panels.iter().collect()
    };
    let heights: f64 = drawn.iter().map(|panel| height_of(panel)).sum();
    let height = TOP + heights + (drawn.len() - 1) as f64 * GAP + BOTTOM;
    let labels = drawn
        .iter()
        .flat_map(|panel| panel.series.iter().map(|series| label(panel, series)));
    let longest = labels.map(|label| label.chars().count()).max().unwrap_or(0);
    let legend = (LETTER * longest as f64 + 48.0).clamp(LEGEND[0], LEGEND[1]);
    let right = WIDTH - legend;
    let mut out = String::new();
    put!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">"
    );
    put!(out, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
    put!(
        out,
        "<text x=\"{LEFT}\" y=\"26\" font-size=\"16\" font-weight=\"bold\">{}</text>",
        escape(&plot.title)
    );
    let every = plot
        .panels
        .iter()
        .flat_map(|panel| &panel.series)
        .flat_map(|series| &series.points);
    let time = Axis::new(
        every.map(|(time, _)| *time).chain(plot.events.iter().copied()),
        0.0,
        8,
    );
    let mut top = TOP;
    for (at, panel) in drawn.iter().enumerate() {
        let frame = Frame {
            right,
            top,
            bottom: top + height_of(panel),
            is_last: at + 1 == drawn.len(),
        };
        draw_panel(&mut out, panel, &time, &plot.events, &frame);
        top = frame.bottom + GAP;
    }
    if !plot.events.is_empty() {
        let (x, y) = (right + 14.0, height - 18.0);
        put!(
            out,
            "<line x1=\"{x}\" y1=\"{:.0}\" x2=\"{:.0}\" y2=\"{:.0}\" {}/>",
            y - 4.0,
            x + 18.0,
            y - 4.0,
            EVENT
        );
        let count = plot.events.len();
        let noun = if count == 1 { "event" } else { "events" };
        put!(
            out,
            "<text x=\"{:.0}\" y=\"{y}\" fill=\"#555\">{count} {noun}</text>",
            x + 24.0
        );
    }
    out += "</svg>\n";
    out
}

const EVENT: &str = "stroke=\"#d62728\" stroke-opacity=\"0.35\" stroke-width=\"1\" stroke-dasharray=\"3 3\"";

/// The place of a panel.
struct Frame {
    right: f64,
    top: f64,
    bottom: f64,
    is_last: bool,
}

fn height_of(panel: &Panel) -> f64 {
    match panel.values {
        // The legend needs room in low panels too.
        Values::Booleans => LOW.max(16.0 * panel.series.len() as f64 + 6.0),
        _ => HEIGHT,
    }
}

fn draw_panel(out: &mut String, panel: &Panel, time: &Axis, events: &[f64], frame: &Frame) {
    let values = panel
        .series
        .iter()
        .flat_map(|series| &series.points)
        .map(|(_, value)| *value);
    let vertical = match panel.values {
        Values::Numbers => Axis::new(values, 0.05, 5),
        Values::WholeNumbers => Axis::new(values, 0.05, 5).at_whole_numbers(),
        Values::Booleans => Axis::new([0.0, 1.0].into_iter(), 0.15, 2).at_whole_numbers(),
    };
    let Frame {
        right,
        top,
        bottom,
        is_last,
    } = *frame;
    let x = |t: f64| LEFT + time.part(t) * (right - LEFT);
    let y = |v: f64| bottom - vertical.part(v) * (bottom - top);
    for tick in &vertical.ticks {
        let y = y(*tick);
        put!(
            out,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#e4e4e4\"/>"
        );
        let text = match panel.values {
            Values::Booleans if *tick == 0.0 => "false".into(),
            Values::Booleans => "true".into(),
            _ => vertical.text(*tick),
        };
        put!(
            out,
            "<text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    for tick in &time.ticks {
        let x = x(*tick);
        put!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#e4e4e4\"/>"
        );
        if is_last {
            let (y, text) = (bottom + 18.0, time.text(*tick));
            put!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.0}\" text-anchor=\"middle\">{text}</text>"
            );
        }
    }
    let mut before = f64::NEG_INFINITY;
    for event in events {
        let x = x(*event);
        if x < before + APART {
            continue;
        }
        before = x;
        put!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\" {EVENT}/>"
        );
    }
    put!(
        out,
        "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{:.0}\" height=\"{:.0}\" fill=\"none\" stroke=\"#555\"/>",
        right - LEFT,
        bottom - top
    );
    for (at, series) in panel.series.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        // A line that covers an earlier one is dashed, so that both can be seen.
        let covers = panel.series[..at]
            .iter()
            .any(|other| other.points == series.points);
        let dashes = if covers { " stroke-dasharray=\"9 9\"" } else { "" };
        for line in lines(series, x, y) {
            // A single point is drawn as a circle.
            if let Some((x, y)) = line.split_once(',').filter(|_| !line.contains(' ')) {
                put!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>");
                continue;
            }
            put!(
                out,
                "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" \
                 stroke-linejoin=\"round\"{dashes}/>"
            );
        }
        legend(out, panel, at, colour, right, top);
    }
    if let Some(unit) = panel.unit.as_deref() {
        let middle = 0.5 * (top + bottom);
        put!(
            out,
            "<text x=\"20\" y=\"{middle:.0}\" text-anchor=\"middle\" transform=\"rotate(-90 20 {middle:.0})\">{}</text>",
            escape(unit)
        );
    }
    if is_last {
        put!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">time / s</text>",
            0.5 * (LEFT + right),
            bottom + 38.0
        );
    }
}

fn label(panel: &Panel, series: &Series) -> String {
    match &panel.unit {
        Some(unit) => format!("{} / {unit}", series.name),
        None => series.name.clone(),
    }
}

fn legend(out: &mut String, panel: &Panel, at: usize, colour: &str, right: f64, top: f64) {
    let (x, y) = (right + 14.0, top + 14.0 + 16.0 * at as f64);
    put!(
        out,
        "<line x1=\"{x:.0}\" y1=\"{:.0}\" x2=\"{:.0}\" y2=\"{:.0}\" stroke=\"{colour}\" stroke-width=\"2.5\"/>",
        y - 4.0,
        x + 18.0,
        y - 4.0
    );
    let full = label(panel, &panel.series[at]);
    let (length, room) = (full.chars().count(), ((LEGEND[1] - 48.0) / LETTER) as usize);
    let short: String = if length > room {
        std::iter::once('…')
            .chain(full.chars().skip(length - room + 1))
            .collect()
    } else {
        full.clone()
    };
    put!(
        out,
        "<text x=\"{:.0}\" y=\"{y:.0}\"><title>{}</title>{}</text>",
        x + 24.0,
        escape(&full),
        escape(&short)
    );
}

/// The points of a line, one text per stretch without gaps. Of many points on one column of pixels only the
/// first, the lowest, the highest and the last are drawn.
fn lines(series: &Series, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> Vec<String> {
    let mut stretches: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for (time, value) in &series.points {
        if !time.is_finite() || !value.is_finite() {
            stretches.push(Vec::new());
            continue;
        }
        let stretch = stretches.last_mut().expect("there is always one");
        let (x, y) = (x(*time), y(*value));
        if series.held
            && let Some((_, before)) = stretch.last().copied()
        {
            stretch.push((x, before));
        }
        stretch.push((x, y));
    }
    let text = |points: Vec<(f64, f64)>| {
        points.iter().fold(String::new(), |mut text, (x, y)| {
            let space = if text.is_empty() { "" } else { " " };
            write!(text, "{space}{x:.1},{y:.1}").expect("a string takes everything");
            text
        })
    };
    stretches
        .into_iter()
        .filter(|points| !points.is_empty())
        .map(thinned)
        .map(text)
        .collect()
}

fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() < 4 * WIDTH as usize {
        return points;
    }
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (first, last) = (column[0], column[column.len() - 1]);
        kept.push(first);
        kept.extend(column.iter().min_by(by_height));
        kept.extend(column.iter().max_by(by_height));
        kept.push(last);
    }
    kept
}
