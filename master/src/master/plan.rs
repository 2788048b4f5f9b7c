//! What follows from the structure of a coupled system, computed once: orders of extrapolation, loops, and groups of
//! components that step together.

use super::samples::{Discrete, Needs};
use crate::component::Capabilities;
use crate::coupling::Coupling;
use crate::graph::strongly_connected;
use crate::plan::{Evaluation, Order, nominal};
use crate::settings::{Algorithm, Settings};
use crate::solve::{Lu, Newton, Sparse, Square};

/// All that is worked out beforehand.
#[derive(Clone, Debug, Default)]
pub(super) struct StepPlan {
    /// The inputs that each output feeds: those of `output` begin at `fed_from[output]`.
    fed_from: Vec<usize>,
    fed: Vec<usize>,
    /// The order of the polynomial that each input can follow.
    pub orders: Vec<u32>,
    /// Whether the derivatives of an input are reported by its source, and not taken from differences.
    pub from_source: Vec<bool>,
    /// Whether that is so for all inputs that follow polynomials.
    pub all_from_sources: bool,
    /// Blocks of outputs, each after those that it needs.
    pub blocks: Vec<Evaluation>,
    /// The algebraic loops.
    pub loops: Vec<Unknowns>,
    /// Components that step together, in the order in which they should step one after another.
    pub groups: Vec<Group>,
    /// The unit of each component.
    unit_of: Vec<usize>,
    /// The discrete links from each component.
    discrete: Vec<Vec<usize>>,
    /// Which Real inputs and outputs are discrete.
    pub held: Discrete,
    /// What each Real input and each discrete link needs of its source in a step.
    pub needs: Vec<Needs>,
    pub link_needs: Vec<Needs>,
    /// Components that sample what others have at the end of a step, in their order: they step after those that step at
    /// once.
    pub samplers: Vec<usize>,
    /// Components whose outputs depend on inputs at the same time.
    pub with_feed_through: Vec<usize>,
    /// Outputs and inputs are solved for each other after each step, although no correction is asked for.
    pub closes: bool,
    /// All components report outputs for new inputs.
    pub follows: bool,
    /// All components stand alone, so that they can step in any order, or at once.
    pub all_alone: bool,
}

/// Inputs that have to be solved for together, in an algebraic loop or over a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Unknowns {
    pub components: Vec<usize>,
    pub inputs: Vec<usize>,
    /// Outputs, those of each component in `outputs_of`.
    pub outputs: Vec<usize>,
    pub outputs_of: Vec<Vec<usize>>,
    /// Unknowns that can be moved at once to see the effect of each: one per component.
    pub colours: Vec<Vec<usize>>,
    /// For each unknown the component that feeds it, as a position in `components`.
    pub source: Vec<usize>,
    /// For each unknown the component that has it, likewise.
    pub owner: Vec<usize>,
    /// The usual size of each unknown.
    pub nominals: Vec<f64>,
    pub newton: Newton,
    pub correction: Linear,
    /// How its inputs follow each other, as it was last looked at, and the spectral radius that came of it.
    pub around: Sparse,
    pub seen: Option<f64>,
    /// By how much the loop makes errors larger that are left to the next step; 0 if that is not known.
    pub lag: f64,
}

/// The memory of a linear correction.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    pub matrix: Square,
    pub factors: Lu,
    pub change: Vec<f64>,
}

/// Components that step one after another, or need each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub units: Vec<Unit>,
    /// They need each other.
    pub cyclic: bool,
    pub unknowns: Unknowns,
    /// Outputs of the last iteration.
    pub last: Vec<f64>,
}

/// A component, or a loop of components with an algorithm of its own.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub components: Vec<usize>,
    pub algorithm: Algorithm,
    pub unknowns: Unknowns,
    pub last: Vec<f64>,
}

impl StepPlan {
    pub fn new(
        coupling: &Coupling,
        can: &[Capabilities],
        settings: &Settings,
        chosen: &[(Vec<usize>, Algorithm)],
        held: Discrete,
    ) -> StepPlan {
        let structure = coupling.structure();
        let outputs = coupling.outputs.len();
        let mut plan = StepPlan {
            needs: (0..coupling.inputs.len())
                .map(|input| held.needs(coupling, input))
                .collect(),
            link_needs: coupling
                .discrete
                .iter()
                .map(|link| held.link_needs(link))
                .collect(),
            ..StepPlan::default()
        };
        let mut feeds = vec![Vec::new(); outputs];
        for (input, source) in structure.sources.iter().enumerate() {
            if let Some(output) = source {
                feeds[*output].push(input);
            }
            let order = settings
                .extrapolation
                .min(can[structure.inputs[input]].input_derivatives);
            let is_held = held.inputs[input] || plan.needs[input] != Needs::Curve;
            let order = if is_held { 0 } else { order };
            plan.orders.push(order);
            let from_source = source.is_none_or(|output| {
                !settings.differences
                    && can[structure.outputs[output]].output_derivatives >= settings.extrapolation
            });
            plan.from_source.push(from_source);
        }
        plan.all_from_sources = plan.from_source.iter().all(|from_source| *from_source)
            && can.iter().all(|can| can.directional_derivatives);
        for inputs in feeds {
            plan.fed_from.push(plan.fed.len());
            plan.fed.extend(inputs);
        }
        plan.fed_from.push(plan.fed.len());
        let order = Order::new(coupling);
        let loops = order.loops.into_iter();
        plan.loops = loops
            .map(|(outputs, inputs)| Unknowns::new(coupling, &[], outputs, inputs))
            .collect();
        plan.blocks = order.blocks;
        plan.discrete = vec![Vec::new(); structure.components];
        for (number, link) in coupling.discrete.iter().enumerate() {
            plan.discrete[link.from.0].push(number);
        }
        let ends = plan.needed_ends(coupling);
        (plan.groups, plan.unit_of) = plan.grouped(coupling, settings.algorithm, chosen, &ends);
        plan.samplers = samplers(structure.components, &ends);
        plan.held = held;
        let feeds_through = |component: &usize| {
            let mut outputs = coupling.outputs_of(*component);
            outputs.any(|output| !structure.feed_through[output].is_empty())
        };
        plan.with_feed_through = (0..structure.components).filter(feeds_through).collect();
        plan.follows = can.iter().all(|can| can.outputs_follow_inputs);
        plan.closes = settings.algorithm == Algorithm::Stabilized && plan.follows;
        let mut units = plan.groups.iter().flat_map(|group| &group.units);
        plan.all_alone = units.all(|unit| unit.components.len() == 1);
        plan
    }

    /// Whether two components are solved for together.
    #[inline]
    pub fn together(&self, component: usize, other: usize) -> bool {
        self.unit_of[component] == self.unit_of[other]
    }

    /// The algorithm of the loop that has two components, if one of its own has both.
    pub fn unit_algorithm(&self, component: usize, other: usize) -> Option<Algorithm> {
        let mut units = self.groups.iter().flat_map(|group| &group.units);
        let unit = units.find(|unit| unit.components.len() > 1 && unit.components.contains(&component));
        unit.filter(|_| self.together(component, other))
            .map(|unit| unit.algorithm)
    }

    /// Whether two components need each other in a step.
    pub fn in_one_group(&self, component: usize, other: usize) -> bool {
        let has = |group: &Group, component: usize| {
            group
                .units
                .iter()
                .any(|unit| unit.components.contains(&component))
        };
        let mut groups = self.groups.iter().filter(|group| group.cyclic);
        groups.any(|group| has(group, component) && has(group, other))
    }

    /// The components that step at once, where all stand alone.
    pub fn at_once(&self) -> Vec<usize> {
        let all = 0..self.unit_of.len();
        all.filter(|component| !self.samplers.contains(component))
            .collect()
    }

    /// Pairs of components: the second one samples what the first one has at the end of a step.
    fn needed_ends(&self, coupling: &Coupling) -> Vec<(usize, usize)> {
        let structure = coupling.structure();
        let real = (0..coupling.inputs.len()).filter(|&input| self.needs[input] == Needs::End);
        let real = real.filter_map(|input| {
            let from = structure.outputs[structure.sources[input]?];
            Some((from, structure.inputs[input]))
        });
        let links = coupling.discrete.iter().zip(&self.link_needs);
        let links = links.filter(|(_, needs)| **needs == Needs::End);
        let links = links.map(|(link, _)| (link.from.0, link.to.0));
        real.chain(links).filter(|(from, to)| from != to).collect()
    }

    /// The discrete links from a component.
    pub fn discrete_of(&self, component: usize) -> Vec<usize> {
        self.discrete[component].clone()
    }

    /// The inputs that an output feeds.
    #[inline]
    pub fn fed_by(&self, output: usize) -> &[usize] {
        &self.fed[self.fed_from[output]..self.fed_from[output + 1]]
    }
}

impl Unknowns {
    /// `members`: components that belong to it although none of these variables is theirs.
    fn new(coupling: &Coupling, members: &[usize], outputs: Vec<usize>, inputs: Vec<usize>) -> Unknowns {
        let structure = coupling.structure();
        let mut components = members.to_vec();
        components.extend(outputs.iter().map(|&output| structure.outputs[output]));
        components.extend(inputs.iter().map(|&input| structure.inputs[input]));
        components.sort_unstable();
        components.dedup();
        let position = |component: usize| components.binary_search(&component).unwrap_or(0);
        let owner: Vec<usize> = inputs
            .iter()
            .map(|&input| position(structure.inputs[input]))
            .collect();
        let source = |input: &usize| structure.sources[*input].map_or(0, |output| structure.outputs[output]);
        let source: Vec<usize> = inputs.iter().map(|input| position(source(input))).collect();
        let mut colours: Vec<Vec<usize>> = Vec::new();
        let mut seen = vec![0; components.len()];
        for (unknown, &owner) in owner.iter().enumerate() {
            if colours.len() <= seen[owner] {
                colours.push(Vec::new());
            }
            colours[seen[owner]].push(unknown);
            seen[owner] += 1;
        }
        let of = |&component: &usize| {
            let own = outputs
                .iter()
                .filter(|&&output| structure.outputs[output] == component);
            own.copied().collect()
        };
        Unknowns {
            outputs_of: components.iter().map(of).collect(),
            nominals: inputs.iter().map(|&input| nominal(coupling, input)).collect(),
            newton: Newton::with_pattern(pattern(&owner, &source, true)),
            correction: Linear {
                change: vec![0.0; inputs.len()],
                ..Linear::default()
            },
            around: pattern(&owner, &source, false),
            seen: None,
            lag: 0.0,
            components,
            inputs,
            outputs,
            colours,
            source,
            owner,
        }
    }

    /// All inputs between some components, but for those that are held over a step.
    fn between(coupling: &Coupling, components: &[usize], needs: &[Needs]) -> Unknowns {
        let structure = coupling.structure();
        let mut is_inner = vec![false; structure.components];
        components
            .iter()
            .for_each(|&component| is_inner[component] = true);
        let fed = |input: &usize| {
            let inner = structure.sources[*input].is_some_and(|output| is_inner[structure.outputs[output]]);
            inner && needs[*input] != Needs::Beginning
        };
        let own = components
            .iter()
            .flat_map(|&component| coupling.inputs_of(component));
        let inputs: Vec<usize> = own.filter(fed).collect();
        let mut outputs: Vec<usize> = inputs
            .iter()
            .filter_map(|&input| structure.sources[input])
            .collect();
        outputs.sort_unstable();
        outputs.dedup();
        Unknowns::new(coupling, components, outputs, inputs)
    }
}

/// The unknowns that can change each unknown: those that belong to the component that feeds it, and with the diagonal
/// itself.
fn pattern(owner: &[usize], source: &[usize], diagonal: bool) -> Sparse {
    let mut unknowns_of = vec![Vec::new(); owner.iter().max().map_or(0, |last| last + 1)];
    for (unknown, &owner) in owner.iter().enumerate() {
        unknowns_of[owner].push(unknown);
    }
    Sparse::new(source.iter().enumerate().map(|(row, &source)| {
        let mut columns = unknowns_of.get(source).cloned().unwrap_or_default();
        if let (true, Err(place)) = (diagonal, columns.binary_search(&row)) {
            columns.insert(place, row);
        }
        columns
    }))
}

impl StepPlan {
    /// Groups of units: units that need each other stand together, and each group comes after those that it needs.
    fn grouped(
        &self,
        coupling: &Coupling,
        algorithm: Algorithm,
        chosen: &[(Vec<usize>, Algorithm)],
        ends: &[(usize, usize)],
    ) -> (Vec<Group>, Vec<usize>) {
        let structure = coupling.structure();
        let mut unit_of = vec![usize::MAX; structure.components];
        let mut units: Vec<(Vec<usize>, Algorithm)> = Vec::new();
        for (components, algorithm) in chosen {
            components
                .iter()
                .for_each(|&component| unit_of[component] = units.len());
            units.push((components.clone(), *algorithm));
        }
        for (component, unit) in unit_of.iter_mut().enumerate() {
            if *unit == usize::MAX {
                *unit = units.len();
                units.push((vec![component], algorithm));
            }
        }
        let mut needs = vec![Vec::new(); units.len()];
        for (input, source) in structure.sources.iter().enumerate() {
            if let (Some(source), Needs::Curve | Needs::End) = (*source, self.needs[input]) {
                needs[unit_of[structure.inputs[input]]].push(unit_of[structure.outputs[source]]);
            }
        }
        let mut waits_for = vec![Vec::new(); units.len()];
        for &(from, to) in ends {
            needs[unit_of[to]].push(unit_of[from]);
            waits_for[unit_of[to]].push(unit_of[from]);
        }
        let outputs = |components: &[usize]| -> usize {
            components
                .iter()
                .map(|&component| coupling.outputs_of(component).len())
                .sum()
        };
        let group = |members: Vec<usize>| {
            let members = sequence(members, &needs, &waits_for);
            let components: Vec<usize> = members
                .iter()
                .flat_map(|&unit| units[unit].0.iter().copied())
                .collect();
            let alone = members.len() == 1;
            let feeds_itself =
                alone && units[members[0]].0.len() == 1 && needs[members[0]].contains(&members[0]);
            let cyclic = !alone || feeds_itself;
            Group {
                cyclic,
                unknowns: match cyclic {
                    true => Unknowns::between(coupling, &components, &self.needs),
                    false => Unknowns::default(),
                },
                last: vec![0.0; outputs(&components)],
                units: members
                    .iter()
                    .map(|&unit| {
                        let (components, algorithm) = units[unit].clone();
                        Unit {
                            unknowns: match components.len() {
                                1 => Unknowns::default(),
                                _ => Unknowns::between(coupling, &components, &self.needs),
                            },
                            last: vec![0.0; outputs(&components)],
                            components,
                            algorithm,
                        }
                    })
                    .collect(),
            }
        };
        let groups = strongly_connected(&needs).into_iter().map(group).collect();
        (groups, unit_of)
    }
}

/// The components that sample at the end of a step, each after those whose outputs it samples, as far as that is possible.
fn samplers(components: usize, ends: &[(usize, usize)]) -> Vec<usize> {
    let mut waits_for = vec![Vec::new(); components];
    ends.iter().for_each(|&(from, to)| waits_for[to].push(from));
    let waiting = (0..components).filter(|&component| !waits_for[component].is_empty());
    sequence(waiting.collect(), &waits_for, &waits_for)
}

/// An order of units that need each other in which many find their inputs ready: always the one that waits for the
/// fewest others, and first of all for the fewest of those that `waits_for` has.
fn sequence(mut members: Vec<usize>, needs: &[Vec<usize>], waits_for: &[Vec<usize>]) -> Vec<usize> {
    let mut ordered = Vec::with_capacity(members.len());
    let mut waits = vec![false; needs.len()];
    members.iter().for_each(|&unit| waits[unit] = true);
    while !members.is_empty() {
        let waiting = |unit: usize| {
            let left = |others: &[Vec<usize>]| {
                let others = others[unit].iter();
                others.filter(|&&other| other != unit && waits[other]).count()
            };
            (left(waits_for), left(needs))
        };
        let mut next = ((usize::MAX, usize::MAX), 0);
        for (position, &unit) in members.iter().enumerate() {
            let waiting = waiting(unit);
            if waiting < next.0 {
                next = (waiting, position);
            }
            if waiting == (0, 0) {
                break;
            }
        }
        let unit = members.remove(next.1);
        waits[unit] = false;
        ordered.push(unit);
    }
    ordered
}
