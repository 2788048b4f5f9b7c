//! Writes the SVG document.

use std::fmt::Write;

use super::bundle::bundled;
use super::layout::{Edge, Layout, layout};
use super::legend::legend;
use super::route::Grid;
use super::{Block, Diagram};
use crate::markup::escape;

const MARGIN: f64 = 30.0;
const TOP: f64 = 62.0;
/// From the upper edge of a block to its first port, and from port to port.
const HEAD: f64 = 52.0;
const PORT: f64 = 20.0;
const FOOT: f64 = 10.0;
/// Room for feed-through between the names of inputs and outputs.
const MIDDLE: f64 = 56.0;
const LEGEND: f64 = 22.0;

/// One colour per algebraic loop, repeated when there are more loops.
pub(super) const LOOPS: [&str; 6] = ["#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"];
/// One colour per group of components that depend on each other.
pub(super) const GROUPS: [&str; 6] = ["#fff4e0", "#e8f1fb", "#eaf6ea", "#f3ecf9", "#fdeaea", "#e6f7f8"];

/// Writes a line to a `String`, which cannot fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {{
        let _ = writeln!($out, $($text)*);
    }};
}

pub(super) fn write(diagram: &Diagram) -> String {
    let mut diagram = diagram.clone();
    diagram.drop_dangling();
    let diagram = &sorted(&bundled(&diagram));
    let sizes: Vec<(f64, f64)> = diagram.blocks.iter().map(size).collect();
    let layout = layout(&sizes, &edges(diagram));
    let grid = Grid::new(&layout, &diagram.lines, MARGIN + outside(diagram), TOP);
    let legend = legend(diagram);
    let width = grid
        .width
        .max(520.0)
        .max(text_width(&diagram.title, 10.0) + 2.0 * MARGIN);
    let height = grid.height + MARGIN + LEGEND * legend.len() as f64;

    let mut out = String::new();
    put!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\">"
    );
    put!(out, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
    put!(
        out,
        "<text x=\"{MARGIN}\" y=\"34\" font-size=\"17\" font-weight=\"bold\">{}</text>",
        escape(&diagram.title)
    );
    for (number, block) in diagram.blocks.iter().enumerate() {
        draw_block(&mut out, block, corner(&grid, &layout, number), sizes[number]);
    }
    draw_lines(&mut out, diagram, &layout, &grid, &sizes);
    for (row, (sample, text)) in legend.iter().enumerate() {
        let y = grid.height + MARGIN / 2.0 + LEGEND * row as f64;
        put!(out, "<g transform=\"translate({MARGIN},{y:.1})\">{sample}");
        put!(
            out,
            "<text x=\"52\" y=\"4\" fill=\"#333\">{}</text></g>",
            escape(text)
        );
    }
    out += "</svg>\n";
    out
}

/// All connections, those of loops above the others. A white rim shows which of two lines that cross is above, except for
/// lines of one output, which are one line that divides.
fn draw_lines(out: &mut String, diagram: &Diagram, layout: &Layout, grid: &Grid, sizes: &[(f64, f64)]) {
    let mut order: Vec<usize> = (0..diagram.lines.len()).collect();
    order.sort_by_key(|&line| (diagram.lines[line].part_of.is_some(), diagram.lines[line].from));
    let together = |a: &usize, b: &usize| {
        let (a, b) = (&diagram.lines[*a], &diagram.lines[*b]);
        (a.part_of, a.from) == (b.part_of, b.from)
    };
    for lines in order.chunk_by(together) {
        let mut above = String::new();
        for &number in lines {
            let line = &diagram.lines[number];
            let (x, y) = corner(grid, layout, line.from.0);
            let from = (x + sizes[line.from.0].0 + 5.0, y + port_height(line.from.1));
            let (x, y) = corner(grid, layout, line.to.0);
            let to = (x - 9.0, y + port_height(line.to.1));
            let (colour, thick) = stroke(line.part_of, line.count);
            let path = grid.path(number, layout, line, from, to);
            put!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"white\" stroke-width=\"{}\"/>",
                thick + 3.0
            );
            put!(
                above,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thick}\"/>"
            );
            arrow(&mut above, to, colour);
        }
        *out += &above;
    }
}

/// Ports in the order of what they are connected to: ports of lines that go back come last, since those go below.
fn sorted(diagram: &Diagram) -> Diagram {
    let mut diagram = diagram.clone();
    let sizes: Vec<(f64, f64)> = diagram.blocks.iter().map(size).collect();
    for _ in 0..2 {
        let layout = layout(&sizes, &edges(&diagram));
        let forward = |line: usize| layout.bends[line].is_some();
        for number in 0..diagram.blocks.len() {
            let mut key_in = vec![f64::NEG_INFINITY; diagram.blocks[number].inputs.len()];
            let mut key_out = vec![f64::INFINITY; diagram.blocks[number].outputs.len()];
            for (index, line) in diagram.lines.iter().enumerate() {
                let end = |block: usize, port: usize| layout.top[block] + port_height(port);
                let back = |height: f64| if forward(index) { height } else { 1e6 - height };
                if line.to.0 == number {
                    key_in[line.to.1] = back(end(line.from.0, line.from.1));
                }
                if line.from.0 == number {
                    let key = back(end(line.to.0, line.to.1));
                    key_out[line.from.1] = key.min(key_out[line.from.1]);
                }
            }
            diagram.arrange(number, &ranks(&key_in), &ranks(&key_out));
        }
    }
    diagram
}

/// The place of each key among all, in ascending order.
fn ranks(keys: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
    let mut ranks = vec![0; keys.len()];
    for (rank, &key) in order.iter().enumerate() {
        ranks[key] = rank;
    }
    ranks
}

impl Diagram {
    /// Moves ports to other places.
    fn arrange(&mut self, number: usize, inputs: &[usize], outputs: &[usize]) {
        let block = &mut self.blocks[number];
        let moved = |ports: &[super::Port], ranks: &[usize]| {
            let mut moved = ports.to_vec();
            for (port, &rank) in ports.iter().zip(ranks) {
                moved[rank] = port.clone();
            }
            moved
        };
        block.inputs = moved(&block.inputs, inputs);
        block.outputs = moved(&block.outputs, outputs);
        for (input, output, _) in &mut block.feed_through {
            (*input, *output) = (inputs[*input], outputs[*output]);
        }
        for line in &mut self.lines {
            if line.from.0 == number {
                line.from.1 = outputs[line.from.1];
            }
            if line.to.0 == number {
                line.to.1 = inputs[line.to.1];
            }
        }
    }
}

fn edges(diagram: &Diagram) -> Vec<Edge> {
    let edge = |line: &super::Line| Edge {
        from: line.from.0,
        to: line.to.0,
        from_height: port_height(line.from.1),
        to_height: port_height(line.to.1),
    };
    diagram.lines.iter().map(edge).collect()
}

/// Room for arrows from outside.
fn outside(diagram: &Diagram) -> f64 {
    let mut ports = diagram.blocks.iter().flat_map(|block| &block.inputs);
    if ports.any(|port| port.external) {
        16.0
    } else {
        0.0
    }
}

fn corner(grid: &Grid, layout: &Layout, block: usize) -> (f64, f64) {
    let (column, row) = layout.cells[block];
    (grid.columns[column].0, grid.rows[row].0 + layout.top[block])
}

fn port_height(port: usize) -> f64 {
    HEAD + PORT * port as f64
}

fn size(block: &Block) -> (f64, f64) {
    let widest = |ports: &[super::Port]| {
        let widths = ports.iter().map(|port| text_width(&port.name, 6.3));
        widths.fold(0.0, f64::max)
    };
    let middle = if block.feed_through.is_empty() {
        24.0
    } else {
        MIDDLE
    };
    let ports = widest(&block.inputs) + middle + widest(&block.outputs) + 24.0;
    let heads = text_width(&block.name, 8.0).max(text_width(&block.model, 6.0)) + 24.0;
    let rows = block.inputs.len().max(block.outputs.len()).max(1);
    (
        ports.max(heads).max(96.0),
        HEAD + PORT * (rows - 1) as f64 + FOOT + 4.0,
    )
}

fn text_width(text: &str, letter: f64) -> f64 {
    letter * text.chars().count() as f64
}

pub(super) fn stroke(part_of: Option<usize>, count: usize) -> (&'static str, f64) {
    match part_of {
        Some(number) => (LOOPS[number % LOOPS.len()], 2.2),
        None if count > 1 => ("#5b6b7b", 3.5),
        None => ("#5b6b7b", 1.3),
    }
}

fn draw_block(out: &mut String, block: &Block, (x, y): (f64, f64), (width, height): (f64, f64)) {
    let fill = block
        .group
        .map_or("#f7f8fa", |group| GROUPS[group % GROUPS.len()]);
    put!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\" fill=\"{fill}\" \
         stroke=\"#3a4652\" stroke-width=\"1.2\"/>"
    );
    let middle = x + width / 2.0;
    put!(
        out,
        "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"13\" font-weight=\"bold\">{}</text>",
        y + 18.0,
        escape(&block.name)
    );
    if !block.model.is_empty() {
        put!(
            out,
            "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\" fill=\"#667\">{}</text>",
            y + 31.0,
            escape(&block.model)
        );
    }
    let names = |ports: &[super::Port]| {
        let widths = ports.iter().map(|port| text_width(&port.name, 6.3));
        widths.fold(0.0, f64::max)
    };
    let (left, right) = (
        x + 14.0 + names(&block.inputs),
        x + width - 14.0 - names(&block.outputs),
    );
    let half = 0.5 * (right - left);
    for &(input, output, part_of) in &block.feed_through {
        let (y1, y2) = (y + port_height(input), y + port_height(output));
        let (colour, thick) = match part_of {
            Some(_) => stroke(part_of, 1),
            None => ("#9aa5b1", 1.0),
        };
        put!(
            out,
            "<path d=\"M{left:.1} {y1:.1} C{:.1} {y1:.1} {:.1} {y2:.1} {right:.1} {y2:.1}\" fill=\"none\" \
             stroke=\"{colour}\" stroke-width=\"{thick}\" stroke-dasharray=\"4 3\"/>",
            left + half,
            right - half
        );
    }
    for (number, port) in block.inputs.iter().enumerate() {
        let y = y + port_height(number);
        put!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" fill=\"#3a4652\"/>",
            x - 4.0,
            y - 4.0
        );
        put!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\">{}</text>",
            x + 9.0,
            y + 4.0,
            escape(&port.name)
        );
        if port.external {
            let begin = x - 22.0;
            put!(
                out,
                "<circle cx=\"{begin:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"white\" stroke=\"#5b6b7b\" stroke-width=\"1.3\"/>\
                 <path d=\"M{:.1} {y:.1} H{:.1}\" stroke=\"#5b6b7b\" stroke-width=\"1.3\"/>",
                begin + 3.5,
                x - 9.0
            );
            arrow(out, (x - 9.0, y), "#5b6b7b");
        }
    }
    for (number, port) in block.outputs.iter().enumerate() {
        let y = y + port_height(number);
        put!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" fill=\"white\" stroke=\"#3a4652\" stroke-width=\"1.2\"/>",
            x + width - 4.0,
            y - 4.0
        );
        put!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"11\">{}</text>",
            x + width - 9.0,
            y + 4.0,
            escape(&port.name)
        );
    }
}

/// The tip of a line that ends at an input.
fn arrow(out: &mut String, (x, y): (f64, f64), colour: &str) {
    put!(
        out,
        "<path d=\"M{:.1} {y:.1} l-8 -4 v8 z\" fill=\"{colour}\"/>",
        x + 6.0
    );
}
