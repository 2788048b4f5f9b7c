//! The diagram of a coupled system: which boxes, ports and lines [`fmu_results::picture`] draws for a coupling.
//!
//! ```
//! use fmu_master::coupling::{Coupling, Input, Link, Output};
//! use fmu_master::picture;
//!
//! let mut coupling = Coupling::default();
//! for (name, other) in [("wheel", 1), ("chassis", 0)] {
//!     let input = Input {
//!         name: format!("{name}.u"),
//!         link: Link::Output { output: other, gain: 1.0, offset: 0.0 },
//!     };
//!     let output = Output { name: format!("{name}.y"), nominal: 1.0, feed_through: vec![0] };
//!     coupling.add(name, vec![input], vec![output]);
//! }
//! let svg = picture::of("car", &coupling).to_svg();
//! assert!(svg.starts_with("<svg") && svg.contains("algebraic loop"));
//! ```

pub use fmu_results::picture::{Block, Diagram, Line, Port};

use crate::coupling::{Coupling, Link};
use crate::graph::strongly_connected;

/// Unconnected outputs of a block are shown if there are at most this many.
const IDLE: usize = 4;

/// The diagram of a coupling.
pub fn of(title: &str, coupling: &Coupling) -> Diagram {
    let structure = coupling.structure();
    let loop_of = algebraic_loops(&structure.dependencies());
    let mut fed = vec![false; coupling.outputs.len()];
    for source in structure.sources.iter().flatten() {
        fed[*source] = true;
    }
    let mut diagram = Diagram::new(title);
    // The port of each output that is shown.
    let mut ports = vec![None; coupling.outputs.len()];
    for (number, name) in coupling.components.iter().enumerate() {
        let (inputs, outputs) = (coupling.inputs_of(number), coupling.outputs_of(number));
        let idle = outputs.clone().filter(|&output| !fed[output]).count();
        let plain = |full: &str| {
            let rest = full.strip_prefix(name.as_str())?.strip_prefix('.')?;
            Some(rest.to_owned())
        };
        let mut block = Block::new(name);
        for input in inputs.clone() {
            let input = &coupling.inputs[input];
            block.inputs.push(Port {
                name: plain(&input.name).unwrap_or_else(|| input.name.clone()),
                external: !matches!(input.link, Link::Output { .. }),
            });
        }
        for output in outputs.filter(|&output| fed[output] || idle <= IDLE) {
            let full = &coupling.outputs[output].name;
            ports[output] = Some(block.outputs.len());
            for &input in &structure.feed_through[output] {
                let source = structure.sources[input].map(|source| loop_of[source]);
                let part_of = loop_of[output].filter(|_| source == Some(loop_of[output]));
                let port = block.outputs.len();
                block.feed_through.push((input - inputs.start, port, part_of));
            }
            block
                .outputs
                .push(Port::new(&plain(full).unwrap_or_else(|| full.clone())));
        }
        diagram.blocks.push(block);
    }
    for (input, source) in structure.sources.iter().enumerate() {
        let Some((source, port)) = source.and_then(|source| Some((source, ports[source]?))) else {
            continue;
        };
        let block = structure.inputs[input];
        let to = (block, input - coupling.inputs_of(block).start);
        let mut through = diagram.blocks[block].feed_through.iter();
        let goes_on = through.any(|(input, _, part_of)| *input == to.1 && part_of.is_some());
        let mut line = Line::new((structure.outputs[source], port), to);
        line.part_of = loop_of[source].filter(|_| goes_on);
        diagram.lines.push(line);
    }
    find_groups(&mut diagram);
    diagram
}

/// Finds the groups of components that depend on each other; to be called again after connections were added.
pub(crate) fn find_groups(diagram: &mut Diagram) {
    let mut needs = vec![Vec::new(); diagram.blocks.len()];
    for line in &diagram.lines {
        needs[line.to.0].push(line.from.0);
    }
    let mut number = 0;
    for members in strongly_connected(&needs) {
        let group = (members.len() > 1).then_some(number);
        number += usize::from(group.is_some());
        for member in members {
            diagram.blocks[member].group = group;
        }
    }
}

/// The algebraic loop that each output is in.
fn algebraic_loops(dependencies: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut loop_of = vec![None; dependencies.len()];
    let mut count = 0;
    for members in strongly_connected(dependencies) {
        let first = members[0];
        if members.len() > 1 || dependencies[first].contains(&first) {
            for member in members {
                loop_of[member] = Some(count);
            }
            count += 1;
        }
    }
    loop_of
}
