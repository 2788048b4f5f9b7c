//! Stiff models in co-simulation: the rod with its exact sparse Jacobian, inputs that become states.

use super::Slave;
use fmu_runtime::Pattern;
use fmu_runtime::cosim::{CoSimulation, Facts, Options, Reached, Solver, Stabilizer, Workspace};
use fmu_runtime::evaluator::{Evaluator, Stale};
use fmu_runtime::prelude::*;
use std::f64::consts::PI;

/// A rod between two bodies of given temperature
#[model]
pub struct Rod<const N: usize = 1000> {
    /// Temperatures
    #[state(start = 293.15, nominal = 300.0)]
    temperature: [f64; N],
    /// Temperature at the left end
    #[input(start = 373.15)]
    left: f64,
    /// Temperature at the right end
    #[input(start = 293.15)]
    right: f64,
    /// Rate
    #[parameter(start = 1.1e-4)]
    diffusivity: f64,
}

#[equations]
impl<const N: usize> Model for Rod<N> {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let rate = self.diffusivity * ((N + 1) * (N + 1)) as f64;
        let mut temperature = [0.0; N];
        for (i, derivative) in temperature.iter_mut().enumerate() {
            let left = if i > 0 { self.temperature[i - 1] } else { self.left };
            let right = if i + 1 < N {
                self.temperature[i + 1]
            } else {
                self.right
            };
            *derivative = rate * (left - 2.0 * self.temperature[i] + right);
        }
        Derivatives::<Self> { temperature }
    }
}

/// The rod's temperatures from the eigenvectors of its matrix: the ends were at 373.15 and 293.15 all the time.
fn exact(n: usize, t: f64, i: usize) -> f64 {
    let at = |i: usize| i as f64 / (n + 1) as f64;
    let rate = 1.1e-4 * ((n + 1) * (n + 1)) as f64;
    let steady = 80.0 * (1.0 - at(i));
    let modes = (1..=n).map(|k| {
        let half = 0.5 * PI * at(k);
        let decay = (-4.0 * rate * half.sin().powi(2) * t).exp();
        // The sine series of the straight line that is missing at the beginning.
        let amplitude = -80.0 * 2.0 / (n + 1) as f64 * 0.5 / half.tan();
        decay * amplitude * (PI * k as f64 * at(i)).sin()
    });
    293.15 + steady + modes.sum::<f64>()
}

#[test]
fn a_long_rod_to_a_millionth() {
    const N: usize = 1000;
    let facts = Facts::explored::<Rod<N>>(Path::new("")).unwrap();
    let mut evaluator = Evaluator::new(Box::<Rod<N>>::default());
    let mut cosimulation = CoSimulation::new(&facts, Options::with(Solver::Bdf));
    let mut workspace = Workspace::default();
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    cosimulation.initialize(&mut evaluator, &mut workspace).unwrap();
    for i in 1..=100 {
        let end = 10.0 * f64::from(i);
        cosimulation
            .advance(&mut evaluator, &mut workspace, end, |_| {})
            .unwrap();
        if i % 25 == 0 {
            for i in (0..N).step_by(50) {
                let (found, exact) = (evaluator.model().temperature[i], exact(N, end, i + 1));
                assert!(
                    (found / exact - 1.0).abs() < 1e-6,
                    "T[{i}] = {found} at {end}, not {exact}"
                );
            }
        }
    }
    let statistics = cosimulation.statistics();
    // Three colors are one run over dual numbers; an implicit method makes few steps.
    assert!(
        statistics.steps < 400 && statistics.jacobians < 20,
        "{statistics:?}"
    );
}

/// Two tanks that level out, the second one played by the master.
#[model]
pub struct Tank {
    /// Level
    #[state(start = 1.0)]
    level: f64,
    /// Level of the other tank
    #[input(start = 0.0)]
    other: f64,
}

const FLOW: f64 = 50.0;

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            level: FLOW * (self.other - self.level),
        }
    }
}

struct OtherTank;

impl Stabilizer for OtherTank {
    fn derivatives(
        &mut self,
        _t: f64,
        u: &[f64],
        x: &[f64],
        dx: &[f64],
        du: &mut [f64],
    ) -> Result<(), ModelError> {
        assert_eq!(dx[0], FLOW * (u[0] - x[0]));
        du[0] = FLOW * (x[0] - u[0]);
        Ok(())
    }
}

#[test]
fn a_stabilized_input_is_a_state_of_the_integration() {
    for solver in [Solver::RungeKutta4, Solver::DormandPrince, Solver::Bdf] {
        let options = Options::with(solver).with_max_step(if solver == Solver::RungeKutta4 {
            1e-3
        } else {
            f64::INFINITY
        });
        let facts = Facts::of::<Tank>().unwrap();
        let mut evaluator = Evaluator::new(Box::<Tank>::default());
        let mut cosimulation = CoSimulation::new(&facts, options);
        let mut workspace = Workspace::default();
        evaluator.enter_initialization(0.0);
        evaluator.exit_initialization().unwrap();
        cosimulation.initialize(&mut evaluator, &mut workspace).unwrap();
        assert!(!cosimulation.stabilize(&[0]), "a state is not an input");
        assert!(cosimulation.stabilize(&[1]));
        workspace.set_stabilizer(Some(Box::new(OtherTank)));
        for i in 1..=5 {
            let end = 0.01 * f64::from(i);
            let reached = cosimulation.advance(&mut evaluator, &mut workspace, end, |_| {});
            assert_eq!(reached.unwrap(), Reached::End);
            let difference = (-2.0 * FLOW * end).exp();
            let model = evaluator.model();
            assert!(
                (model.level - 0.5 * (1.0 + difference)).abs() < 1e-5,
                "{solver:?} {}",
                model.level
            );
            assert!(
                (model.other - 0.5 * (1.0 - difference)).abs() < 1e-5,
                "{solver:?}"
            );
        }
        // What the master sets is where the input begins again; without a callback it stays there.
        workspace.set_stabilizer(None);
        evaluator.set_real(1, 3.0, Stale::BY_VARIABLE);
        cosimulation.inputs_changed();
        cosimulation
            .advance(&mut evaluator, &mut workspace, 1.0, |_| {})
            .unwrap();
        assert_eq!(evaluator.model().other, 3.0);
        assert!((evaluator.model().level - 3.0).abs() < 1e-5);
        let mut bytes = Vec::new();
        cosimulation.write_to(&mut bytes);
        let read = CoSimulation::new(&facts, options).read_from(&bytes).unwrap();
        assert_eq!(read.statistics(), cosimulation.statistics());
    }
}

/// Integrates a small input, and multiplies it.
#[model]
pub struct Small {
    /// Integral
    #[state(start = 0.0, nominal = 1e-6)]
    x: f64,
    /// Input
    #[input(start = 0.0, nominal = 1e-6)]
    u: f64,
}

#[equations]
impl Model for Small {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: 0.01 * self.u }
    }
}

/// Moves the input as 1e-6 sin 20 t.
struct Waves;

impl Stabilizer for Waves {
    fn derivatives(
        &mut self,
        t: f64,
        _u: &[f64],
        _x: &[f64],
        _dx: &[f64],
        du: &mut [f64],
    ) -> Result<(), ModelError> {
        du[0] = 2e-5 * (20.0 * t).cos();
        Ok(())
    }
}

#[test]
fn a_stabilized_input_is_as_exact_as_its_nominal_asks_for() {
    for solver in [Solver::DormandPrince, Solver::Bdf] {
        let facts = Facts::of::<Small>().unwrap();
        let mut evaluator = Evaluator::new(Box::<Small>::default());
        let mut cosimulation = CoSimulation::new(&facts, Options::with(solver));
        let mut workspace = Workspace::default();
        evaluator.enter_initialization(0.0);
        evaluator.exit_initialization().unwrap();
        cosimulation.initialize(&mut evaluator, &mut workspace).unwrap();
        assert!(cosimulation.stabilize(&[1]));
        workspace.set_stabilizer(Some(Box::new(Waves)));
        cosimulation
            .advance(&mut evaluator, &mut workspace, 1.3, |_| {})
            .unwrap();
        let (found, exact) = (evaluator.model().u, 1e-6 * 26.0_f64.sin());
        assert!(
            (found - exact).abs() < 1e-4 * 1e-6,
            "{solver:?}: {found:e} {exact:e}"
        );
    }
}

#[test]
fn a_communication_point_keeps_the_history_of_stabilized_inputs() {
    // Each time the master sets the input a little off, as it does with what it has computed itself.
    let run = |points: u32| {
        let facts = Facts::of::<Tank>().unwrap();
        let mut evaluator = Evaluator::new(Box::<Tank>::default());
        let mut cosimulation = CoSimulation::new(&facts, Options::with(Solver::Bdf));
        let mut workspace = Workspace::default();
        evaluator.enter_initialization(0.0);
        evaluator.exit_initialization().unwrap();
        cosimulation.initialize(&mut evaluator, &mut workspace).unwrap();
        assert!(cosimulation.stabilize(&[1]));
        workspace.set_stabilizer(Some(Box::new(OtherTank)));
        let stop = 0.1;
        for point in 1..=points {
            let end = stop * f64::from(point) / f64::from(points);
            cosimulation
                .advance(&mut evaluator, &mut workspace, end, |_| {})
                .unwrap();
            let model = evaluator.model();
            let exact = 0.5 * (1.0 + (-2.0 * FLOW * end).exp());
            assert!(
                (model.level - exact).abs() < 2e-5,
                "{end}: {} {exact}",
                model.level
            );
            let other = model.other + 1e-9;
            evaluator.set_real(1, other, Stale::BY_VARIABLE);
            cosimulation.inputs_changed();
        }
        cosimulation.statistics()
    };
    let (one, many) = (run(1), run(20));
    // Four more evaluations per point: one corrects the first derivative, and a step that ends at the point is a short one.
    assert!(
        many.evaluations <= one.evaluations + 4 * 20 && many.jacobians <= one.jacobians + 5,
        "{one:?} {many:?}"
    );
}

/// Robertson's kinetics
#[model]
struct Robertson {
    /// Concentration of A
    #[state(start = 1.0)]
    a: f64,
    /// Concentration of B
    #[state(start = 0.0, nominal = 1e-5)]
    b: f64,
    /// Concentration of C
    #[state(start = 0.0)]
    c: f64,
}

#[equations]
impl Model for Robertson {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let slow = 0.04 * self.a - 1e4 * self.b * self.c;
        let fast = 3e7 * self.b * self.b;
        Derivatives::<Self> {
            a: -slow,
            b: slow - fast,
            c: fast,
        }
    }
}

/// x'' = mu (1 - x^2) x' - x, with mu = 1000
#[model]
struct VanDerPol {
    /// Position
    #[state(start = 2.0)]
    x: f64,
    /// Velocity
    #[state(start = 0.0)]
    v: f64,
}

#[equations]
impl Model for VanDerPol {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.v,
            v: 1000.0 * (1.0 - self.x * self.x) * self.v - self.x,
        }
    }
}

#[test]
fn stiff_models_agree_with_tight_references_in_any_communication_steps() {
    let options = |tolerance: f64| Options::with(Solver::Bdf).with_tolerance(tolerance);
    // References: Dormand-Prince with tolerance 1e-13, in 121 403 and 1 196 702 steps.
    for (points, steps) in [(1, 400), (40, 500)] {
        let mut slave = Slave::<Robertson>::new(options(1e-7));
        for i in 1..=points {
            slave.advance(40.0 * f64::from(i) / f64::from(points));
        }
        let Robertson { a, b, c } = *slave.model();
        let reference = [0.715_827_068_719_4, 9.185_534_764_56e-6, 0.284_163_745_745_8];
        for (x, reference) in [a, b, c].into_iter().zip(reference) {
            assert!((x / reference - 1.0).abs() < 1e-6, "{x} instead of {reference}");
        }
        assert!((a + b + c - 1.0).abs() < 1e-9, "nothing is lost");
        let statistics = slave.cosimulation.statistics();
        assert!(statistics.steps < steps, "{points} {statistics:?}");
    }
    for (points, steps) in [(1, 2300), (100, 2800)] {
        let mut slave = Slave::<VanDerPol>::new(options(1e-7));
        for i in 1..=points {
            slave.advance(2000.0 * f64::from(i) / f64::from(points));
        }
        let VanDerPol { x, v } = *slave.model();
        assert!((x - 1.706_167_732_170).abs() < 1e-5, "{x}");
        assert!((v + 8.928_097_010_2e-4).abs() < 1e-7, "{v}");
        let statistics = slave.cosimulation.statistics();
        assert!(statistics.steps < steps, "{points} {statistics:?}");
    }
}

#[test]
fn a_rod_of_ten_thousand_cells_needs_no_large_stack() {
    const N: usize = 10_000;
    let run = || {
        let near = |i: usize| i.saturating_sub(1)..(i + 2).min(N);
        let facts = Facts::of::<Rod<N>>()
            .unwrap()
            .with_pattern(Pattern::from_rows(N, (0..N).map(near)));
        let mut slave = Slave::<Rod<N>>::with(&facts, Options::with(Solver::Bdf));
        slave.advance(1.0);
        let series = slave
            .workspace
            .series(&mut slave.evaluator, &slave.cosimulation)
            .unwrap();
        assert!(series.derivative(0, 1) > 0.0 && series.derivative(0, 2).is_finite());
        assert!((slave.model().temperature[0] / exact(N, 1.0, 1) - 1.0).abs() < 1e-6);
    };
    let thread = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(run)
        .unwrap();
    thread.join().unwrap();
}
