//! A picture of a coupled system as SVG: FMUs as boxes with ports, connections between them, feed-through inside them, and
//! loops in colours.
//!
//! ```
//! use fmu_master::coupling::{Coupling, Input, Link, Output};
//! use fmu_master::picture::Diagram;
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
//! let svg = Diagram::of("car", &coupling).to_svg();
//! assert!(svg.starts_with("<svg") && svg.contains("algebraic loop"));
//! ```

mod bundle;
mod layout;
mod legend;
mod route;
mod svg;

use crate::coupling::{Coupling, Link};
use crate::graph::strongly_connected;

/// Boxes with ports, and lines between them.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    title: String,
    blocks: Vec<Block>,
    lines: Vec<Line>,
    /// How many algebraic loops there are.
    loops: usize,
}

/// A component.
#[derive(Clone, Debug, Default)]
struct Block {
    name: String,
    /// What it is an instance of.
    model: String,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    /// Input, output, and the algebraic loop that it is part of.
    feed_through: Vec<(usize, usize, Option<usize>)>,
    /// The group of components that need each other.
    group: Option<usize>,
}

#[derive(Clone, Debug, Default)]
struct Port {
    name: String,
    /// Fed from outside.
    external: bool,
}

/// A connection: block and port at both ends.
#[derive(Clone, Copy, Debug)]
struct Line {
    from: (usize, usize),
    to: (usize, usize),
    /// The algebraic loop that it is part of.
    part_of: Option<usize>,
    /// How many connections it stands for.
    count: usize,
}

/// Outputs that nothing is connected to are shown up to this many a block.
const IDLE: usize = 4;

impl Diagram {
    /// The picture of a coupling.
    pub fn of(title: &str, coupling: &Coupling) -> Diagram {
        let structure = coupling.structure();
        let (loop_of, loops) = algebraic_loops(&structure.dependencies());
        let mut fed = vec![false; coupling.outputs.len()];
        for source in structure.sources.iter().flatten() {
            fed[*source] = true;
        }
        let mut diagram = Diagram {
            title: title.to_owned(),
            loops,
            ..Diagram::default()
        };
        // The port of each output that is shown.
        let mut ports = vec![None; coupling.outputs.len()];
        for (number, name) in coupling.components.iter().enumerate() {
            let (inputs, outputs) = (coupling.inputs_of(number), coupling.outputs_of(number));
            let idle = outputs.clone().filter(|&output| !fed[output]).count();
            let plain = |full: &str| {
                let rest = full.strip_prefix(name.as_str())?.strip_prefix('.')?;
                Some(rest.to_owned())
            };
            let mut block = Block {
                name: name.clone(),
                ..Block::default()
            };
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
                block.outputs.push(Port {
                    name: plain(full).unwrap_or_else(|| full.clone()),
                    external: false,
                });
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
            diagram.lines.push(Line {
                from: (structure.outputs[source], port),
                to,
                part_of: loop_of[source].filter(|_| goes_on),
                count: 1,
            });
        }
        diagram.find_groups();
        diagram
    }

    /// Says what a component is an instance of.
    pub fn describe(&mut self, component: usize, model: &str) {
        if let Some(block) = self.blocks.get_mut(component) {
            block.model = model.to_owned();
        }
    }

    /// Adds a connection of variables that take no part in the coupling, by component and name.
    pub fn connect(&mut self, from: (usize, &str), to: (usize, &str)) {
        if from.0.max(to.0) >= self.blocks.len() {
            return;
        }
        let line = Line {
            from: (from.0, port(&mut self.blocks[from.0].outputs, from.1)),
            to: (to.0, port(&mut self.blocks[to.0].inputs, to.1)),
            part_of: None,
            count: 1,
        };
        self.lines.push(line);
        self.find_groups();
    }

    /// The picture as a document of its own.
    pub fn to_svg(&self) -> String {
        svg::write(self)
    }

    fn find_groups(&mut self) {
        let mut needs = vec![Vec::new(); self.blocks.len()];
        for line in &self.lines {
            needs[line.to.0].push(line.from.0);
        }
        let mut number = 0;
        for members in strongly_connected(&needs) {
            let group = (members.len() > 1).then_some(number);
            number += usize::from(group.is_some());
            for member in members {
                self.blocks[member].group = group;
            }
        }
    }
}

/// The position of a port by its name, added if it is not there.
fn port(ports: &mut Vec<Port>, name: &str) -> usize {
    let found = ports.iter().position(|port| port.name == name);
    found.unwrap_or_else(|| {
        ports.push(Port {
            name: name.to_owned(),
            external: false,
        });
        ports.len() - 1
    })
}

/// The algebraic loop that each output is in, and how many there are.
fn algebraic_loops(dependencies: &[Vec<usize>]) -> (Vec<Option<usize>>, usize) {
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
    (loop_of, count)
}
