//! Diagrams of coupled systems as SVG: components as boxes with ports, connections between them, feed-through inside them,
//! and algebraic loops in colours.
//!
//! ```
//! use fmu_results::picture::{Block, Diagram, Line, Port};
//!
//! let block = |name: &str| Block {
//!     inputs: vec![Port::new("u")],
//!     outputs: vec![Port::new("y")],
//!     ..Block::new(name)
//! };
//! let mut diagram = Diagram::new("car");
//! diagram.blocks = vec![block("wheel"), block("chassis")];
//! diagram.lines = vec![Line::new((0, 0), (1, 0)), Line::new((1, 0), (0, 0))];
//! let svg = diagram.to_svg();
//! assert!(svg.starts_with("<svg") && svg.contains("chassis"));
//! ```

mod bundle;
mod layout;
mod legend;
mod route;
mod svg;

/// Boxes with ports, and lines between them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Diagram {
    /// The headline.
    pub title: String,
    /// The components.
    pub blocks: Vec<Block>,
    /// The connections. Lines to blocks or ports that do not exist are not drawn.
    pub lines: Vec<Line>,
}

/// A component.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its name.
    pub name: String,
    /// The model that it is an instance of; may be empty.
    pub model: String,
    /// Ports on the left.
    pub inputs: Vec<Port>,
    /// Ports on the right.
    pub outputs: Vec<Port>,
    /// Outputs that depend on an input at the same time: input, output, and the algebraic loop that it is part of.
    pub feed_through: Vec<(usize, usize, Option<usize>)>,
    /// The group of components that depend on each other, if it belongs to one. Each group has a colour.
    pub group: Option<usize>,
}

/// An input or an output of a [`Block`].
#[derive(Clone, Debug, Default)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Whether its value comes from outside the system.
    pub external: bool,
}

/// A connection from an output to an input.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Block and output where it begins.
    pub from: (usize, usize),
    /// Block and input where it ends.
    pub to: (usize, usize),
    /// The algebraic loop that it is part of; loops are numbered from 0.
    pub part_of: Option<usize>,
    /// How many connections it represents.
    pub count: usize,
}

impl Diagram {
    /// A diagram without blocks.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            ..Self::default()
        }
    }

    /// Sets the model that a block is an instance of.
    pub fn describe(&mut self, block: usize, model: &str) {
        if let Some(block) = self.blocks.get_mut(block) {
            block.model = model.to_owned();
        }
    }

    /// Adds a connection by block and name of the port at both ends; ports that do not exist yet are added.
    pub fn connect(&mut self, from: (usize, &str), to: (usize, &str)) {
        if from.0.max(to.0) >= self.blocks.len() {
            return;
        }
        let output = port(&mut self.blocks[from.0].outputs, from.1);
        let input = port(&mut self.blocks[to.0].inputs, to.1);
        self.lines.push(Line::new((from.0, output), (to.0, input)));
    }

    /// The diagram as an SVG document.
    pub fn to_svg(&self) -> String {
        svg::write(self)
    }

    /// How many algebraic loops there are.
    fn loops(&self) -> usize {
        let numbers = self.lines.iter().filter_map(|line| line.part_of);
        numbers.max().map_or(0, |last| last + 1)
    }

    /// Removes lines and feed-through whose ends do not exist.
    fn drop_dangling(&mut self) {
        for block in &mut self.blocks {
            let (inputs, outputs) = (block.inputs.len(), block.outputs.len());
            block
                .feed_through
                .retain(|(input, output, _)| *input < inputs && *output < outputs);
        }
        let ports: Vec<(usize, usize)> = self
            .blocks
            .iter()
            .map(|block| (block.inputs.len(), block.outputs.len()))
            .collect();
        self.lines.retain(|line| {
            let has_output = ports
                .get(line.from.0)
                .is_some_and(|(_, outputs)| line.from.1 < *outputs);
            let has_input = ports
                .get(line.to.0)
                .is_some_and(|(inputs, _)| line.to.1 < *inputs);
            has_output && has_input
        });
    }
}

impl Block {
    /// A block without ports.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }
}

impl Port {
    /// A port whose value comes from a connection.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            external: false,
        }
    }
}

impl Line {
    /// A single connection that is not part of an algebraic loop.
    pub fn new(from: (usize, usize), to: (usize, usize)) -> Self {
        Self {
            from,
            to,
            part_of: None,
            count: 1,
        }
    }
}

/// The position of a port by its name; the port is added if it does not exist.
fn port(ports: &mut Vec<Port>, name: &str) -> usize {
    let found = ports.iter().position(|port| port.name == name);
    found.unwrap_or_else(|| {
        ports.push(Port::new(name));
        ports.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::{Block, Diagram, Line, Port};

    #[test]
    fn lines_to_ports_that_do_not_exist_are_not_drawn() {
        let mut diagram = Diagram::new("broken");
        diagram.blocks = vec![Block {
            inputs: vec![Port::new("u")],
            outputs: vec![Port::new("y")],
            feed_through: vec![(0, 1, None), (1, 0, Some(3))],
            ..Block::new("only")
        }];
        diagram.lines = vec![
            Line::new((0, 1), (0, 0)),
            Line::new((0, 0), (0, 1)),
            Line::new((1, 0), (0, 0)),
            Line::new((0, 0), (7, 0)),
        ];
        let svg = diagram.to_svg();
        assert!(
            svg.ends_with("</svg>\n") && !svg.contains("connection, from"),
            "{svg}"
        );
    }
}
