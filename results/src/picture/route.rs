//! How lines go: forward as curves, everything else around the blocks, in lanes below the rows.

use std::collections::HashMap;

use super::Line;
use super::layout::Layout;

/// A row or a column of the drawing: where it begins, and how long it is.
pub(super) type Stretch = (f64, f64);

/// Where columns and rows are, with room for lines between them.
pub(super) struct Grid {
    pub columns: Vec<Stretch>,
    pub rows: Vec<Stretch>,
    pub width: f64,
    pub height: f64,
    /// Lines around blocks.
    detours: HashMap<usize, Detour>,
}

/// The places of a line around blocks, counted from the blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Detour {
    /// Behind the column of the source.
    behind: usize,
    /// Before the column of the target.
    before: usize,
    /// Below the row.
    below: usize,
}

/// Between lines that run side by side.
const SIDE: f64 = 8.0;
/// From a block to the first line beside it.
const CLEAR: f64 = 18.0;
/// Between columns without lines around blocks.
const SPACE: f64 = 70.0;
const ROUND: f64 = 6.0;

impl Grid {
    pub fn new(layout: &Layout, lines: &[Line], margin: f64, top: f64) -> Grid {
        let mut behind: Vec<HashMap<(usize, usize), usize>> = vec![HashMap::new(); layout.columns.len()];
        let mut below: Vec<HashMap<(usize, usize), usize>> = vec![HashMap::new(); layout.rows.len()];
        let mut before = vec![0; layout.columns.len()];
        let mut around: Vec<usize> = (0..lines.len())
            .filter(|&line| layout.bends[line].is_none())
            .collect();
        // Short ones next to the blocks, so that fewer lines cross.
        let span = |line: &Line| layout.cells[line.from.0].0.abs_diff(layout.cells[line.to.0].0);
        around.sort_by_key(|&line| (span(&lines[line]), line));
        let mut detours = HashMap::new();
        for number in around {
            let line = &lines[number];
            let (from, to) = (layout.cells[line.from.0], layout.cells[line.to.0]);
            // Lines of one output share their way as long as they can.
            let next = |used: &mut HashMap<(usize, usize), usize>| {
                let free = used.len();
                *used.entry(line.from).or_insert(free)
            };
            detours.insert(
                number,
                Detour {
                    behind: next(&mut behind[from.0]),
                    below: next(&mut below[from.1.min(to.1)]),
                    before: before[to.0],
                },
            );
            before[to.0] += 1;
        }
        let room = |count: usize| CLEAR + SIDE * count as f64;
        let (mut x, mut columns) = (
            margin + if before[0] > 0 { room(before[0]) } else { 0.0 },
            Vec::new(),
        );
        for (column, width) in layout.columns.iter().enumerate() {
            columns.push((x, *width));
            let next = before.get(column + 1).copied().unwrap_or(0);
            let lines = room(behind[column].len()) + if next > 0 { room(next) } else { 0.0 };
            x += width
                + if column + 1 < layout.columns.len() {
                    SPACE.max(lines)
                } else {
                    lines
                };
        }
        let (mut y, mut rows) = (top, Vec::new());
        for (row, height) in layout.rows.iter().enumerate() {
            rows.push((y, *height));
            y += height + room(below[row].len()) + CLEAR;
        }
        Grid {
            columns,
            rows,
            width: x + margin,
            height: y,
            detours,
        }
    }

    /// The path of a line from one point to another, as SVG writes it.
    pub fn path(
        &self,
        number: usize,
        layout: &Layout,
        line: &Line,
        from: (f64, f64),
        to: (f64, f64),
    ) -> String {
        let (column, row) = layout.cells[line.from.0];
        if let Some(bends) = &layout.bends[number] {
            let mut path = format!("M{:.1} {:.1}", from.0, from.1);
            let mut last = from;
            for (passed, height) in bends.iter().enumerate() {
                let (x, width) = self.columns[column + 1 + passed];
                let y = self.rows[row].0 + height;
                path += &curve(last, (x, y));
                path += &format!(" L{:.1} {y:.1}", x + width);
                last = (x + width, y);
            }
            return path + &curve(last, to);
        }
        let detour = self.detours.get(&number).copied().unwrap_or_default();
        let (target, target_row) = layout.cells[line.to.0];
        let offset = |place: usize| CLEAR + SIDE * place as f64;
        let right = self.columns[column].0 + self.columns[column].1 + offset(detour.behind);
        let left = self.columns[target].0 - offset(detour.before);
        let (y, height) = self.rows[row.min(target_row)];
        let lane = y + height + offset(detour.below);
        rounded(&[
            from,
            (right, from.1),
            (right, lane),
            (left, lane),
            (left, to.1),
            to,
        ])
    }
}

fn curve(from: (f64, f64), to: (f64, f64)) -> String {
    let half = 0.5 * (to.0 - from.0);
    format!(
        " C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        from.0 + half,
        from.1,
        to.0 - half,
        to.1,
        to.0,
        to.1
    )
}

/// A line through corners, which are rounded.
fn rounded(points: &[(f64, f64)]) -> String {
    let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
    for corner in points.windows(3) {
        let toward = |other: (f64, f64)| {
            let (dx, dy) = (other.0 - corner[1].0, other.1 - corner[1].1);
            let length = dx.hypot(dy).max(1e-9);
            let part = ROUND.min(length / 2.0) / length;
            (corner[1].0 + part * dx, corner[1].1 + part * dy)
        };
        let (before, after) = (toward(corner[0]), toward(corner[2]));
        path += &format!(
            " L{:.1} {:.1} Q{:.1} {:.1} {:.1} {:.1}",
            before.0, before.1, corner[1].0, corner[1].1, after.0, after.1
        );
    }
    let last = points[points.len() - 1];
    path + &format!(" L{:.1} {:.1}", last.0, last.1)
}
