//! The Jacobian of all components under one solver: A + B L (I - D L)^-1 C (Pannu 2015, equation 11), sparse, from the
//! partial derivatives of each component.
//!
//! Where products go is worked out once. An evaluation runs through lists of products, block by block in the order in
//! which outputs are evaluated; only the outputs of an algebraic loop are solved for.

use std::ops::Range;

use fmu_importer::simulate::Matrices;
use fmu_numerics::Pattern;

use super::plan::EvaluationPlan;
use crate::coupling::{Coupling, Link};
use crate::plan::Evaluation;
use crate::solve::{Lu, Square};

/// An entry that is added to another.
#[derive(Clone, Copy)]
struct Own {
    to: usize,
    entry: usize,
}

/// A product that is added: an entry, a gain, and a derivative of an output by a state.
#[derive(Clone, Copy)]
struct Through {
    to: usize,
    entry: usize,
    gain: f64,
    from: usize,
}

/// Sums that make up entries of a matrix.
#[derive(Default)]
struct Sums {
    own: Vec<Own>,
    through: Vec<Through>,
}

impl Sums {
    fn add(&self, entries: &[f64], outputs: &[f64], to: &mut [f64]) {
        for own in &self.own {
            to[own.to] += entries[own.entry];
        }
        for through in &self.through {
            to[through.to] += entries[through.entry] * through.gain * outputs[through.from];
        }
    }
}

/// The derivatives of some outputs by the states.
struct Stage {
    own: Vec<Own>,
    through: Vec<Through>,
    unknowns: Option<Loop>,
}

/// The outputs of an algebraic loop: all depend on the same states.
struct Loop {
    /// Where the derivatives of each output begin, and how many there are.
    starts: Vec<usize>,
    columns: usize,
    /// D L among the outputs of the loop: row, column, entry, gain.
    entries: Vec<(usize, usize, usize, f64)>,
    matrix: Square,
    factors: Lu,
    right: Vec<f64>,
}

/// How a component's matrix of partial derivatives lies among all.
pub(super) struct Part<'a> {
    pub pattern: &'a Pattern,
    /// Its states and coupled inputs among all.
    pub states: Range<usize>,
    pub inputs: Range<usize>,
    /// The outputs that have rows, among all.
    pub outputs: &'a [usize],
    /// Where its entries are among all.
    pub entries: Range<usize>,
}

/// The Jacobian of an aggregate.
#[derive(Default)]
pub(super) struct Jacobian {
    /// The partial derivatives of all components.
    entries: Vec<f64>,
    /// Derivatives of outputs by states.
    outputs: Vec<f64>,
    stages: Vec<Stage>,
    sums: Sums,
    pattern: Option<Pattern>,
    /// The entries of D, output by output: input and entry.
    through: Vec<Vec<(usize, usize)>>,
    /// How often it was evaluated.
    pub evaluations: usize,
}

/// An entry of a component's matrix: row, column, and its number among all entries.
type Entry = (usize, usize, usize);

impl Jacobian {
    pub fn new(
        coupling: &Coupling,
        plan: &EvaluationPlan,
        parts: &[Part],
        states: usize,
        matrices: Matrices,
    ) -> Jacobian {
        let outputs = coupling.outputs.len();
        let (mut c, mut d) = (vec![Vec::new(); outputs], vec![Vec::new(); outputs]);
        let (mut a, mut b): (Vec<Entry>, Vec<Entry>) = (Vec::new(), Vec::new());
        for part in parts {
            let own = part.states.len();
            for ((row, column), entry) in part.pattern.iter().zip(part.entries.clone()) {
                match (row.checked_sub(own), column.checked_sub(own)) {
                    (None, None) => a.push((part.states.start + row, part.states.start + column, entry)),
                    (None, Some(input)) => {
                        b.push((part.states.start + row, part.inputs.start + input, entry))
                    }
                    (Some(output), None) => c[part.outputs[output]].push((part.states.start + column, entry)),
                    (Some(output), Some(input)) => {
                        d[part.outputs[output]].push((part.inputs.start + input, entry));
                    }
                }
            }
        }
        let mut layout = Layout {
            coupling,
            columns: vec![Vec::new(); outputs],
            starts: vec![0; outputs],
            used: 0,
        };
        let mut stages = Vec::new();
        for step in &plan.steps {
            stages.push(match step {
                Evaluation::Of(reading) => layout.reading(&reading.outputs, &c, &d),
                Evaluation::Loop(number) => layout.unknowns(&plan.loops[*number].outputs, &c, &d),
            });
        }
        let places = a.iter().map(|(row, column, _)| (*row, *column));
        let far = b.iter().flat_map(|&(row, input, _)| {
            let columns = layout.source(input).map(|(output, _)| &layout.columns[output]);
            columns.into_iter().flatten().map(move |column| (row, *column))
        });
        let pattern = Pattern::new(states, states, places.chain(far));
        let sparse = matrices.is_sparse(states, pattern.entries());
        let place = |row: usize, column: usize| match sparse {
            false => column * states + row,
            true => {
                let found = pattern.position(row, column);
                found.unwrap_or_else(|| unreachable!("an entry of the pattern"))
            }
        };
        let mut sums = Sums::default();
        for &(row, column, entry) in &a {
            sums.own.push(Own {
                to: place(row, column),
                entry,
            });
        }
        for &(row, input, entry) in &b {
            if let Some((output, gain)) = layout.source(input) {
                for (at, &column) in layout.columns[output].iter().enumerate() {
                    sums.through.push(Through {
                        to: place(row, column),
                        entry,
                        gain,
                        from: layout.starts[output] + at,
                    });
                }
            }
        }
        Jacobian {
            entries: vec![0.0; parts.last().map_or(0, |part| part.entries.end)],
            outputs: vec![0.0; layout.used],
            stages,
            sums,
            pattern: sparse.then_some(pattern),
            through: d,
            evaluations: 0,
        }
    }

    /// Where entries are, if it is sparse.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    /// Room for the partial derivatives of a component.
    pub fn values(&mut self, range: Range<usize>) -> &mut [f64] {
        &mut self.entries[range]
    }

    /// How an output changes with an input of its component, as it was asked for last.
    pub fn feed_through(&self, output: usize, input: usize) -> f64 {
        let found = self.through[output].iter().find(|(other, _)| *other == input);
        found.map_or(0.0, |(_, entry)| self.entries[*entry])
    }

    /// Puts the partial derivatives of all components together; false where a loop has no solution.
    pub fn assemble(&mut self, values: &mut [f64]) -> bool {
        self.evaluations += 1;
        self.outputs.fill(0.0);
        for stage in &mut self.stages {
            for own in &stage.own {
                self.outputs[own.to] += self.entries[own.entry];
            }
            for through in &stage.through {
                let by = self.outputs[through.from];
                self.outputs[through.to] += self.entries[through.entry] * through.gain * by;
            }
            if let Some(unknowns) = &mut stage.unknowns
                && !unknowns.solve(&self.entries, &mut self.outputs)
            {
                return false;
            }
        }
        values.fill(0.0);
        self.sums.add(&self.entries, &self.outputs, values);
        true
    }
}

impl Loop {
    /// (I - D L) Y = what has been added up so far.
    fn solve(&mut self, entries: &[f64], outputs: &mut [f64]) -> bool {
        self.matrix.clear();
        for row in 0..self.starts.len() {
            self.matrix[(row, row)] = 1.0;
        }
        for &(row, column, entry, gain) in &self.entries {
            self.matrix[(row, column)] -= entries[entry] * gain;
        }
        if !self.factors.factorize(&self.matrix) {
            return false;
        }
        for column in 0..self.columns {
            for (right, start) in self.right.iter_mut().zip(&self.starts) {
                *right = outputs[start + column];
            }
            self.factors.solve(&mut self.right);
            for (right, start) in self.right.iter().zip(&self.starts) {
                outputs[start + column] = *right;
            }
        }
        true
    }
}

/// Which states each output depends on, and where its derivatives are.
struct Layout<'a> {
    coupling: &'a Coupling,
    columns: Vec<Vec<usize>>,
    starts: Vec<usize>,
    used: usize,
}

impl Layout<'_> {
    /// The output that feeds an input, and the gain.
    fn source(&self, input: usize) -> Option<(usize, f64)> {
        match self.coupling.inputs[input].link {
            Link::Output { output, gain, .. } => Some((output, gain)),
            Link::Signal(_) | Link::Fixed(_) => None,
        }
    }

    /// The states that an output depends on, by those that are laid out already.
    fn depends(&self, c: &[(usize, usize)], d: &[(usize, usize)]) -> Vec<usize> {
        let far = d.iter().filter_map(|(input, _)| self.source(*input));
        let mut columns: Vec<usize> = c.iter().map(|(column, _)| *column).collect();
        columns.extend(far.flat_map(|(output, _)| self.columns[output].iter().copied()));
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn lay(&mut self, output: usize, columns: Vec<usize>) {
        self.starts[output] = self.used;
        self.used += columns.len();
        self.columns[output] = columns;
    }

    fn at(&self, output: usize, column: usize) -> usize {
        self.starts[output] + self.columns[output].partition_point(|other| *other < column)
    }

    /// What is added up for an output; inputs from within `inside` are left out.
    fn sums(
        &self,
        output: usize,
        c: &[(usize, usize)],
        d: &[(usize, usize)],
        inside: &[usize],
        stage: &mut Stage,
    ) {
        for &(column, entry) in c {
            stage.own.push(Own {
                to: self.at(output, column),
                entry,
            });
        }
        for &(input, entry) in d {
            let Some((source, gain)) = self.source(input).filter(|(source, _)| !inside.contains(source))
            else {
                continue;
            };
            for (at, &column) in self.columns[source].iter().enumerate() {
                stage.through.push(Through {
                    to: self.at(output, column),
                    entry,
                    gain,
                    from: self.starts[source] + at,
                });
            }
        }
    }

    fn reading(&mut self, outputs: &[usize], c: &[Vec<(usize, usize)>], d: &[Vec<(usize, usize)>]) -> Stage {
        let mut stage = Stage {
            own: Vec::new(),
            through: Vec::new(),
            unknowns: None,
        };
        for &output in outputs {
            let columns = self.depends(&c[output], &d[output]);
            self.lay(output, columns);
            self.sums(output, &c[output], &d[output], &[], &mut stage);
        }
        stage
    }

    fn unknowns(&mut self, outputs: &[usize], c: &[Vec<(usize, usize)>], d: &[Vec<(usize, usize)>]) -> Stage {
        let mut stage = self.reading(&[], c, d);
        let mut columns: Vec<usize> = Vec::new();
        for &output in outputs {
            columns.extend(self.depends(&c[output], &d[output]));
        }
        columns.sort_unstable();
        columns.dedup();
        for &output in outputs {
            self.lay(output, columns.clone());
        }
        let mut entries = Vec::new();
        for (row, &output) in outputs.iter().enumerate() {
            self.sums(output, &c[output], &d[output], outputs, &mut stage);
            for &(input, entry) in &d[output] {
                if let Some((source, gain)) = self.source(input)
                    && let Some(column) = outputs.iter().position(|other| *other == source)
                {
                    entries.push((row, column, entry, gain));
                }
            }
        }
        stage.unknowns = Some(Loop {
            starts: outputs.iter().map(|output| self.starts[*output]).collect(),
            columns: columns.len(),
            entries,
            matrix: Square::zeros(outputs.len()),
            factors: Lu::default(),
            right: vec![0.0; outputs.len()],
        });
        stage
    }
}
