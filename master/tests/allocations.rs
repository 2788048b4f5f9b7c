//! Neither an evaluation of an aggregate nor a step of a master allocates: more steps take the same number of allocations.

use fmu_master::Master;
use fmu_master::aggregate::{Assembly, NativeModel};
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping};
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Correction, Parallel, Settings, Solver};
use fmu_master::signals::Signals;
use fmu_runtime::prelude::*;
use test_support::allocations::{Counting, count};

#[global_allocator]
static COUNTING: Counting = Counting;

/// x' = -x + u, y = x + u / 2
#[model]
pub struct Half {
    /// Input
    #[input(start = 0.0)]
    pub u: f64,
    /// State
    #[state(start = 1.0)]
    pub x: f64,
    /// Output
    #[output]
    pub y: f64,
}

#[equations]
impl Model for Half {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x + self.u }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.x + 0.5 * self.u,
        }
    }
}

/// Counts the allocations of a run with an algebraic loop and so many steps.
fn allocations(steps: usize) -> usize {
    let mut system = Assembly::new();
    system.add("first", NativeModel::new(Half::default()).unwrap());
    system.add("second", NativeModel::new(Half::default()).unwrap());
    system
        .connect("first.y", "second.u")
        .connect_with("second.y", "first.u", -1.0, 0.0);
    let settings = Settings::default().solver(Solver::Euler).step(1.0 / steps as f64);
    let mut system = system.build(settings).unwrap();
    let before = count();
    system.run(|_| true).unwrap();
    let statistics = system.statistics();
    assert!(statistics.summary.evaluations >= steps);
    assert!(statistics.loops[0].solved >= steps as u64);
    count() - before
}

#[test]
fn an_evaluation_allocates_nothing() {
    let (few, many) = (allocations(100), allocations(1000));
    assert_eq!(few, many);
}

/// x' = u - x by one step of Euler, y = x + u / 20; with derivatives of its input up to the second.
#[derive(Clone, Copy)]
struct Lag {
    x: f64,
    u: [f64; 3],
}

/// [`Lag`] with places to go back to.
struct Lags {
    now: Lag,
    saved: [Lag; 8],
}

impl Component for Lags {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .snapshots(true)
            .input_derivatives(2)
            .output_derivatives(1)
            .directional_derivatives(true)
            .outputs_follow_inputs(true)
            .variable_step(true)
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.now.u = [u[0], 0.0, 0.0];
        Ok(())
    }
}

impl Stepping for Lags {
    fn set_input_derivatives(&mut self, order: u32, du: &[f64]) -> Result<(), ComponentError> {
        self.now.u[order as usize] = du[0];
        Ok(())
    }

    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y[0] = self.now.x + 0.05 * self.now.u[0];
        Ok(())
    }

    fn output_derivatives(&mut self, _: u32, dy: &mut [f64]) -> Result<(), ComponentError> {
        dy[0] = self.now.u[0] - self.now.x + 0.05 * self.now.u[1];
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        matrix[0] = 0.05;
        Ok(())
    }

    fn step(&mut self, _: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        let Lag { x, u: [u, du, ddu] } = self.now;
        self.now.x = x + h * (u + 0.5 * h * du - x);
        self.now.u = [u + h * (du + 0.5 * h * ddu), du + h * ddu, ddu];
        Ok(Outcome::Done)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        self.saved[place] = self.now;
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        self.now = self.saved[place];
        Ok(())
    }
}

/// Counts the allocations of so many steps of a ring of two; with a table, of a row of two that it feeds.
fn allocations_of_a_master(settings: Settings, steps: u32, table: Option<Vec<(f64, f64)>>) -> usize {
    let mut coupling = Coupling::default();
    let mut signals = Signals::new();
    let signal = table.map(|points| signals.add_linear(points));
    let mut components: Vec<Box<dyn Component>> = Vec::new();
    for (name, other, gain) in [("a", 1, 1.0), ("b", 0, -1.0)] {
        let input = Input {
            name: format!("{name}.u"),
            link: match signal {
                Some(signal) if name == "a" => Link::Signal(signal),
                _ => Link::Output {
                    output: other,
                    gain,
                    offset: 0.0,
                },
            },
        };
        let output = Output {
            name: format!("{name}.y"),
            nominal: 1.0,
            feed_through: vec![0],
        };
        coupling.add(name, vec![input], vec![output]);
        let lag = Lag { x: 1.0, u: [0.0; 3] };
        components.push(Box::new(Lags {
            now: lag,
            saved: [lag; 8],
        }));
    }
    let settings = settings.step(0.01).stop(0.01 * f64::from(steps));
    let mut master = Master::with_loops(coupling, components, signals, settings, &[]).unwrap();
    master.initialize(&[0.0; 2]).unwrap();
    // From the third point to the last one: what is looked at before the first step and after the last one may allocate.
    let (mut points, mut before, mut after) = (0, 0, 0);
    master
        .run(|_| {
            points += 1;
            after = count();
            if points == 3 {
                before = after;
            }
            true
        })
        .unwrap();
    let taken = after - before;
    // Jumps and kinks of the table cut steps.
    let cut = master.statistics().steps - u64::from(steps);
    assert_eq!(cut > 0, signal.is_some());
    taken
}

#[test]
fn a_step_of_a_master_allocates_nothing() {
    let saw = |k: u32| [(0.0955 * f64::from(k), 1.0), (0.0955 * f64::from(k), 0.0)];
    let table: Vec<(f64, f64)> = (0..40).flat_map(saw).collect();
    let algorithms = [
        Algorithm::Jacobi,
        Algorithm::GaussSeidel,
        Algorithm::IteratedGaussSeidel,
        Algorithm::Newton,
    ];
    for algorithm in algorithms {
        for correction in [Correction::None, Correction::Linear, Correction::Consistent] {
            if algorithm == Algorithm::Newton && correction != Correction::None {
                continue;
            }
            for extrapolation in 0..=2 {
                let settings = Settings::default()
                    .algorithm(algorithm)
                    .correction(correction)
                    .extrapolation(extrapolation)
                    .differences(extrapolation == 2)
                    .smoothing(extrapolation > 0 && !algorithm.repeats())
                    .parallel(Parallel::Never);
                for table in [None, Some(table.clone())] {
                    let few = allocations_of_a_master(settings, 100, table.clone());
                    let many = allocations_of_a_master(settings, 400, table);
                    assert_eq!(few, many, "{algorithm:?} {correction:?} {extrapolation}");
                }
            }
        }
    }
}
