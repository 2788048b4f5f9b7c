//! Random linear systems of two to six components, from seeds.

use fmu_master::component::Capabilities;
use fmu_master::settings::Algorithm;
use nalgebra::DMatrix;

use crate::case::{Case, Way};
use crate::linear::Plant;
use crate::matrix::{exponential, growth, norm};
use crate::network::Network;

/// Numbers from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn matrix(&mut self, rows: usize, columns: usize, size: f64, share: f64) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| match self.between(0.0, 1.0) < share {
            true => self.between(-size, size),
            false => 0.0,
        })
    }

    fn network(&mut self) -> Network {
        let count = 2 + self.below(5);
        let plants: Vec<Plant> = (0..count)
            .map(|number| {
                let (n, m, p) = (
                    self.below(4).max(usize::from(number == 0)),
                    1 + self.below(2),
                    1 + self.below(2),
                );
                let mut a = self.matrix(n, n, 2.0, 0.7);
                for i in 0..n {
                    a[(i, i)] = -self.between(-0.5, 3.0);
                }
                Plant {
                    a,
                    b: self.matrix(n, m, 2.0, 0.8),
                    c: self.matrix(p, n, 2.0, 0.8),
                    d: self.matrix(p, m, 0.8, 0.2),
                    x: (0..n).map(|_| self.between(-1.0, 1.0)).collect(),
                }
            })
            .collect();
        let inputs: usize = plants.iter().map(|plant| plant.b.ncols()).sum();
        let outputs: usize = plants.iter().map(|plant| plant.c.nrows()).sum();
        let links = (0..inputs)
            .map(|_| (self.below(outputs), self.between(-1.2, 1.2)))
            .collect();
        Network { plants, links }
    }
}

/// A random system.
pub struct Random {
    pub network: Network,
    /// What its components can do: everything with odd seeds, anything with even ones.
    pub can: Vec<Ability>,
    pub stop: f64,
    /// A bound on the norm of exp(A (t - s)).
    pub condition: f64,
    /// The spectral radius of D K, and of the same with all signs positive, which is an upper bound of the radius of
    /// iterations in any order.
    pub radius: f64,
    pub bound: f64,
    /// Outputs determine each other.
    pub has_loop: bool,
    /// Some output depends on an input at once.
    pub feeds_through: bool,
    /// Such a component does not report how, and its states are hidden.
    pub hides_feed_through: bool,
}

/// What a component can do.
#[derive(Clone, Copy, Debug)]
pub struct Ability {
    pub input_derivatives: u32,
    output_derivatives: u32,
    directional_derivatives: bool,
    outputs_follow_inputs: bool,
    pub stabilized: bool,
    pub snapshots: bool,
}

impl Ability {
    const ALL: Ability = Ability {
        input_derivatives: 2,
        output_derivatives: 2,
        directional_derivatives: true,
        outputs_follow_inputs: true,
        stabilized: true,
        snapshots: true,
    };

    fn any(dice: &mut Dice) -> Ability {
        Ability {
            input_derivatives: dice.below(3) as u32,
            output_derivatives: dice.below(3) as u32,
            directional_derivatives: dice.below(2) == 0,
            outputs_follow_inputs: dice.below(2) == 0,
            stabilized: dice.below(4) > 0,
            snapshots: dice.below(40) > 0,
        }
    }

    /// Leaves this of the capabilities of a component.
    pub fn limit(self, can: &mut Capabilities) {
        can.input_derivatives = self.input_derivatives;
        can.output_derivatives = self.output_derivatives;
        can.directional_derivatives = self.directional_derivatives;
        can.outputs_follow_inputs = self.outputs_follow_inputs;
        can.snapshots = self.snapshots;
        if !self.stabilized {
            can.states = None;
        }
    }
}

impl Random {
    /// What is run: components that can do what this system lets them.
    pub fn case(&self, seed: u64) -> Case {
        let can = self.can.clone();
        let network = self.network.clone();
        Case::limited(&format!("system {seed}"), self.stop, network, move |at, one| {
            can[at].limit(one);
        })
    }

    /// All that error control and algorithms ask for.
    pub fn suffices(&self, way: Way) -> bool {
        let all = |can: fn(&Ability) -> bool| self.can.iter().all(can);
        match way.algorithm {
            None => true,
            Some(Algorithm::Stabilized) => {
                all(|can| can.snapshots && can.stabilized && can.directional_derivatives)
            }
            _ => all(|can| can.snapshots),
        }
    }

    /// All components provide the derivatives of their outputs.
    pub fn provides_derivatives(&self) -> bool {
        self.can.iter().all(|can| can.output_derivatives == 2)
    }

    /// The lowest order of all components.
    pub fn order(&self) -> u32 {
        self.can
            .iter()
            .map(|can| can.input_derivatives)
            .min()
            .unwrap_or(0)
    }

    /// The first system from this seed on that has a regular algebra and does not explode.
    pub fn new(seed: u64) -> Random {
        let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        loop {
            let network = dice.network();
            let stop = dice.between(0.3, 0.8);
            let Some((closed, algebra)) = network.closed() else {
                continue;
            };
            if algebra > 100.0 || norm(&exponential(&(&closed.a * stop))) > 100.0 {
                continue;
            }
            let dk = feed_through(&network);
            let sizes = dk.abs();
            let structure = sizes.map(|entry| f64::from(entry > 0.0));
            let mut power = structure.clone();
            for _ in 1..dk.nrows() {
                power = (&power * &structure).map(|entry| f64::from(entry > 0.0));
            }
            let can = match seed % 2 {
                1 => vec![Ability::ALL; network.plants.len()],
                _ => network.plants.iter().map(|_| Ability::any(&mut dice)).collect(),
            };
            let hides =
                |(plant, can): (&Plant, &Ability)| !can.directional_derivatives && plant.d.amax() > 0.0;
            return Random {
                hides_feed_through: network.plants.iter().zip(&can).any(hides),
                can,
                stop,
                condition: growth(&closed.a, stop),
                radius: radius(&dk),
                bound: radius(&sizes),
                has_loop: power.amax() > 0.0,
                feeds_through: network
                    .plants
                    .iter()
                    .any(|plant| plant.d.iter().any(|entry| *entry != 0.0)),
                network,
            };
        }
    }
}

/// D K, from outputs to outputs.
fn feed_through(network: &Network) -> DMatrix<f64> {
    let outputs = network.plants.iter().map(|plant| plant.c.nrows()).sum();
    let mut dk = DMatrix::zeros(outputs, outputs);
    let (mut row, mut input) = (0, 0);
    for plant in &network.plants {
        for column in 0..plant.d.ncols() {
            let (output, gain) = network.links[input + column];
            for own in 0..plant.d.nrows() {
                dk[(row + own, output)] += plant.d[(own, column)] * gain;
            }
        }
        (row, input) = (row + plant.d.nrows(), input + plant.d.ncols());
    }
    dk
}

/// The spectral radius, from the eigenvalues.
fn radius(matrix: &DMatrix<f64>) -> f64 {
    let eigenvalues = matrix.complex_eigenvalues();
    eigenvalues.iter().map(|value| value.norm()).fold(0.0, f64::max)
}
