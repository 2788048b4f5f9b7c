//! Decision diagrams: the value of an unknown as a function of decisions, reduced so that exactly the decisions
//! are left that make a difference. (Multi-terminal, ordered by the number of the decision, hash-consed.)

use std::collections::HashMap;

use super::Trace;
use super::arena::Operand;

/// A diagram, by number.
pub(super) type Diagram = u32;

/// The diagram of a run that gave no values: any value will do.
pub(super) const NOTHING: Diagram = 0;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Nothing,
    Value(Operand),
    Choice {
        decision: u32,
        no: Diagram,
        yes: Diagram,
    },
}

pub(super) struct Diagrams {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Diagram>,
    merged: HashMap<(u32, Diagram, Diagram), Diagram>,
}

impl Diagrams {
    pub fn new() -> Diagrams {
        Diagrams {
            nodes: vec![Node::Nothing],
            numbers: HashMap::from([(Node::Nothing, NOTHING)]),
            merged: HashMap::new(),
        }
    }

    fn intern(&mut self, node: Node) -> Diagram {
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            (self.nodes.len() - 1) as Diagram
        })
    }

    pub fn value(&mut self, value: Trace) -> Diagram {
        self.intern(Node::Value(value.into()))
    }

    fn choice(&mut self, decision: u32, no: Diagram, yes: Diagram) -> Diagram {
        match (no, yes) {
            (NOTHING, other) | (other, NOTHING) => other,
            (no, yes) if no == yes => no,
            _ => self.intern(Node::Choice { decision, no, yes }),
        }
    }

    fn decision(&self, diagram: Diagram) -> u32 {
        match self.nodes[diagram as usize] {
            Node::Choice { decision, .. } => decision,
            _ => u32::MAX,
        }
    }

    /// The two sides of a diagram at a decision that is not below its top.
    fn sides(&self, diagram: Diagram, at: u32) -> (Diagram, Diagram) {
        match self.nodes[diagram as usize] {
            Node::Choice { decision, no, yes } if decision == at => (no, yes),
            _ => (diagram, diagram),
        }
    }

    /// `yes` where the decision is yes, `no` where it is no.
    pub fn merge(&mut self, decision: u32, no: Diagram, yes: Diagram) -> Diagram {
        if no == yes || no == NOTHING {
            return yes;
        }
        if yes == NOTHING {
            return no;
        }
        if let Some(&known) = self.merged.get(&(decision, no, yes)) {
            return known;
        }
        let top = decision.min(self.decision(no)).min(self.decision(yes));
        let (no_no, no_yes) = self.sides(no, top);
        let (yes_no, yes_yes) = self.sides(yes, top);
        let merged = if top == decision {
            self.choice(decision, no_no, yes_yes)
        } else {
            let below_no = self.merge(decision, no_no, yes_no);
            let below_yes = self.merge(decision, no_yes, yes_yes);
            self.choice(top, below_no, below_yes)
        };
        self.merged.insert((decision, no, yes), merged);
        merged
    }

    /// All decisions and all values of a diagram.
    pub fn contents(&self, diagram: Diagram) -> (Vec<u32>, Vec<Trace>) {
        let (mut decisions, mut values) = (Vec::new(), Vec::new());
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![diagram];
        while let Some(diagram) = open.pop() {
            if !seen.insert(diagram) {
                continue;
            }
            match self.nodes[diagram as usize] {
                Node::Nothing => {}
                Node::Value(value) => values.push(value.into()),
                Node::Choice { decision, no, yes } => {
                    decisions.push(decision);
                    open.extend([no, yes]);
                }
            }
        }
        decisions.sort_unstable();
        decisions.dedup();
        (decisions, values)
    }

    /// The diagram with every value replaced by another.
    pub fn map(&mut self, diagram: Diagram, replace: &HashMap<Operand, Trace>) -> Diagram {
        self.map_known(diagram, replace, &mut HashMap::new())
    }

    fn map_known(
        &mut self,
        diagram: Diagram,
        replace: &HashMap<Operand, Trace>,
        known: &mut HashMap<Diagram, Diagram>,
    ) -> Diagram {
        if let Some(&known) = known.get(&diagram) {
            return known;
        }
        let mapped = match self.nodes[diagram as usize] {
            Node::Nothing => NOTHING,
            Node::Value(value) => self.value(replace[&value]),
            Node::Choice { decision, no, yes } => {
                let no = self.map_known(no, replace, known);
                let yes = self.map_known(yes, replace, known);
                self.choice(decision, no, yes)
            }
        };
        known.insert(diagram, mapped);
        mapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_asking_does_not_matter_and_equal_sides_vanish() {
        let mut diagrams = Diagrams::new();
        let (a, b) = (diagrams.value(Trace::new(1.0)), diagrams.value(Trace::new(2.0)));
        let inner = diagrams.merge(7, a, b);
        let first = diagrams.merge(3, inner, a);
        let three = diagrams.merge(3, b, a);
        let second = diagrams.merge(7, a, three);
        assert_eq!(first, second);
        assert_eq!(diagrams.contents(first).0, [3, 7]);
        assert_eq!(diagrams.merge(5, first, second), first);
        assert_eq!(diagrams.merge(5, NOTHING, a), a);
        let all_one = HashMap::from([
            (Operand::from(Trace::new(1.0)), Trace::new(1.0)),
            (Operand::from(Trace::new(2.0)), Trace::new(1.0)),
        ]);
        assert_eq!(diagrams.map(first, &all_one), a);
    }
}
