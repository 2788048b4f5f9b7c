//! The decision tree that explains the runs of one unknown.

use super::arena::Operand;
use super::diagram::{Diagram, Diagrams, NOTHING};
use super::session::Answers;

/// Confirmations that a leaf needs to be sure of.
const HITS: u32 = 6;

/// A value, or none as yet.
pub(super) type Value = Option<Operand>;

pub(super) enum Node {
    Leaf { value: Value, answers: usize, hits: u32 },
    Split { decision: u32, sides: [usize; 2] },
}

/// What an unknown is, as far as it is known, by decisions.
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// The decisions in it.
    pub decisions: Vec<u32>,
    /// Why it is given up.
    pub failed: Option<String>,
}

impl Tree {
    /// A tree that has seen nothing.
    pub fn empty() -> Tree {
        let nodes = vec![Node::Leaf {
            value: None,
            answers: 0,
            hits: 0,
        }];
        Tree {
            nodes,
            decisions: Vec::new(),
            failed: None,
        }
    }

    /// The leaf of a combination of answers.
    pub fn find(&self, answers: &Answers) -> usize {
        let mut at = 0;
        while let Node::Split { decision, sides } = self.nodes[at] {
            at = sides[usize::from(answers.to(decision))];
        }
        at
    }

    /// Makes a leaf a split whose one side is what it was.
    pub fn split(&mut self, leaf: usize, decision: u32, kept: bool, other: (Value, usize)) {
        let first = self.nodes.len();
        let other = Node::Leaf {
            value: other.0,
            answers: other.1,
            hits: 0,
        };
        let sides = if kept {
            [first + 1, first]
        } else {
            [first, first + 1]
        };
        let old = std::mem::replace(&mut self.nodes[leaf], Node::Split { decision, sides });
        self.nodes.extend([old, other]);
        if !self.decisions.contains(&decision) {
            self.decisions.push(decision);
        }
    }

    pub fn diagram(&self, at: usize, diagrams: &mut Diagrams) -> Diagram {
        match self.nodes[at] {
            Node::Leaf {
                value: Some(value), ..
            } => diagrams.value(value.into()),
            Node::Leaf { value: None, .. } => NOTHING,
            Node::Split { decision, sides } => {
                let no = self.diagram(sides[0], diagrams);
                let yes = self.diagram(sides[1], diagrams);
                diagrams.merge(decision, no, yes)
            }
        }
    }

    /// Leaves that few runs confirmed, each with the answers that lead there.
    pub fn unsure(&self) -> Vec<Vec<(u32, bool)>> {
        let mut found = Vec::new();
        let mut open = vec![(0, Vec::new())];
        while let Some((at, path)) = open.pop() {
            match self.nodes[at] {
                Node::Leaf { hits, .. } if hits < HITS => found.push(path),
                Node::Leaf { .. } => {}
                Node::Split { decision, sides } => {
                    for (side, answer) in sides.into_iter().zip([false, true]) {
                        let mut path = path.clone();
                        path.push((decision, answer));
                        open.push((side, path));
                    }
                }
            }
        }
        found
    }
}
