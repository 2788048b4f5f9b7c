//! The order of evaluation: blocks of outputs that one evaluation of a component gives, and loops.

use super::{Structure, strongly_connected};

/// What is evaluated at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Outputs of one component: all inputs that they depend on are known, and one evaluation gives them.
    Evaluation {
        /// The component.
        component: usize,
        /// Its outputs, ascending.
        outputs: Vec<usize>,
    },
    /// Outputs that depend on each other, and have to be solved for.
    Loop {
        /// The outputs, ascending.
        outputs: Vec<usize>,
        /// The inputs between them, ascending.
        inputs: Vec<usize>,
    },
}

/// Blocks such that each depends only on those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The blocks.
    pub blocks: Vec<Block>,
}

impl Order {
    /// The algebraic loops.
    pub fn loops(&self) -> impl Iterator<Item = (&[usize], &[usize])> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Loop { outputs, inputs } => Some((&outputs[..], &inputs[..])),
            Block::Evaluation { .. } => None,
        })
    }

    /// How many evaluations of components it takes, where each loop counts its components once.
    pub fn evaluations(&self, structure: &Structure) -> usize {
        let of = |block: &Block| match block {
            Block::Evaluation { .. } => 1,
            Block::Loop { outputs, .. } => {
                let mut components: Vec<usize> =
                    outputs.iter().map(|&output| structure.outputs[output]).collect();
                components.sort_unstable();
                components.dedup();
                components.len()
            }
        };
        self.blocks.iter().map(of).sum()
    }
}

/// Each strongly connected component a block.
pub(super) fn plain(structure: &Structure) -> Order {
    let dependencies = structure.dependencies();
    let components = strongly_connected(&dependencies);
    let block = |outputs: Vec<usize>| block(structure, &dependencies, outputs);
    Order {
        blocks: components.into_iter().map(block).collect(),
    }
}

fn block(structure: &Structure, dependencies: &[Vec<usize>], outputs: Vec<usize>) -> Block {
    let first = outputs[0];
    if outputs.len() == 1 && !dependencies[first].contains(&first) {
        return Block::Evaluation {
            component: structure.outputs[first],
            outputs,
        };
    }
    let mut inputs: Vec<usize> = outputs
        .iter()
        .flat_map(|&output| structure.feed_through[output].iter().copied())
        .filter(|&input| structure.sources[input].is_some_and(|source| outputs.contains(&source)))
        .collect();
    inputs.sort_unstable();
    inputs.dedup();
    Block::Loop { outputs, inputs }
}

/// Outputs of one component are joined wherever none of them depends on another (Andersson 2016, algorithm 2).
pub(super) fn reduced(structure: &Structure) -> Order {
    let plain = plain(structure);
    let mut groups = Groups::new(structure, plain.blocks);
    groups.join();
    Order {
        blocks: groups.into_order(),
    }
}

/// Blocks as nodes of a graph that are joined little by little.
struct Groups {
    blocks: Vec<Block>,
    /// The group that each group is now part of; itself, if it still stands.
    part_of: Vec<usize>,
    /// What each group depends on, and what depends on it.
    needs: Vec<Vec<usize>>,
    needed_by: Vec<Vec<usize>>,
    components: usize,
}

impl Groups {
    fn new(structure: &Structure, blocks: Vec<Block>) -> Groups {
        let mut group_of = vec![0; structure.outputs.len()];
        for (group, block) in blocks.iter().enumerate() {
            let (Block::Evaluation { outputs, .. } | Block::Loop { outputs, .. }) = block;
            outputs.iter().for_each(|&output| group_of[output] = group);
        }
        let mut needs = vec![Vec::new(); blocks.len()];
        let mut needed_by = vec![Vec::new(); blocks.len()];
        for (output, dependencies) in structure.dependencies().into_iter().enumerate() {
            for dependency in dependencies {
                let (group, other) = (group_of[output], group_of[dependency]);
                if group != other {
                    needs[group].push(other);
                    needed_by[other].push(group);
                }
            }
        }
        Groups {
            part_of: (0..blocks.len()).collect(),
            blocks,
            needs,
            needed_by,
            components: structure.components,
        }
    }

    fn standing(&self, mut group: usize) -> usize {
        while self.part_of[group] != group {
            group = self.part_of[group];
        }
        group
    }

    /// Whether `group` depends on `other`, directly or not.
    fn depends(&self, group: usize, other: usize) -> bool {
        let mut seen = vec![false; self.blocks.len()];
        let mut way = vec![group];
        while let Some(node) = way.pop() {
            for &need in &self.needs[node] {
                let need = self.standing(need);
                if need == other {
                    return true;
                }
                if !std::mem::replace(&mut seen[need], true) {
                    way.push(need);
                }
            }
        }
        false
    }

    fn join(&mut self) {
        // First those that constrain no others, because they need nothing or nothing needs them: no search.
        self.join_where(|groups, group| groups.needs[group].is_empty(), |_, _, _| true);
        self.join_where(|groups, group| groups.needed_by[group].is_empty(), |_, _, _| true);
        self.join_where(
            |_, _| true,
            |groups, group, other| !groups.depends(group, other) && !groups.depends(other, group),
        );
    }

    /// Joins the evaluations that are `meant` with an earlier one of the same component, if they `may`.
    fn join_where(
        &mut self,
        meant: impl Fn(&Groups, usize) -> bool,
        may: impl Fn(&Groups, usize, usize) -> bool,
    ) {
        let mut of_component: Vec<Vec<usize>> = vec![Vec::new(); self.components];
        for group in 0..self.blocks.len() {
            let Block::Evaluation { component, .. } = self.blocks[group] else {
                continue;
            };
            if self.part_of[group] != group || !meant(self, group) {
                continue;
            }
            let host = of_component[component]
                .iter()
                .copied()
                .find(|&other| may(self, group, other));
            match host {
                Some(host) => self.merge(group, host),
                None => of_component[component].push(group),
            }
        }
    }

    fn merge(&mut self, group: usize, host: usize) {
        self.part_of[group] = host;
        let (needs, needed_by) = (
            std::mem::take(&mut self.needs[group]),
            std::mem::take(&mut self.needed_by[group]),
        );
        self.needs[host].extend(needs);
        self.needed_by[host].extend(needed_by);
        let moved = match &mut self.blocks[group] {
            Block::Evaluation { outputs, .. } => std::mem::take(outputs),
            Block::Loop { .. } => Vec::new(),
        };
        if let Block::Evaluation { outputs, .. } = &mut self.blocks[host] {
            outputs.extend(moved);
            outputs.sort_unstable();
        }
    }

    /// The groups that stand, each after those that it needs.
    fn into_order(self) -> Vec<Block> {
        let needs: Vec<Vec<usize>> = (0..self.blocks.len())
            .map(|group| {
                self.needs[group]
                    .iter()
                    .map(|&need| self.standing(need))
                    .collect()
            })
            .collect();
        let mut blocks: Vec<Option<Block>> = self.blocks.into_iter().map(Some).collect();
        let order = strongly_connected(&needs).into_iter().flatten();
        order
            .filter(|&group| self.part_of[group] == group)
            .filter_map(|group| blocks[group].take())
            .collect()
    }
}
