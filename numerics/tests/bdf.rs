//! The stiff integrator: order, tolerance, references, events, memory.

mod common;

use common::systems::stiff::{Dense, Robertson, Rod, System, VanDerPol};
use common::systems::{Oscillator, Problem, Spiked};
use fmu_numerics::bdf::{Bdf, Crossover};
use fmu_numerics::{
    Crossing, ImplicitSystem, Pattern, Reader, Statistics, StepError, Tolerance, Writer, locate,
};
use test_support::allocations::{self, Counting};
use test_support::random::Random;

#[global_allocator]
static COUNTING: Counting = Counting;

fn solve<const N: usize>(
    system: impl Dense<N>,
    mut solver: Bdf,
    x: [f64; N],
    end: f64,
) -> ([f64; N], Statistics) {
    let mut system = System(system);
    solver.restart(0.0, &x);
    while solver.time() < end {
        solver.step(&mut system, end).unwrap();
    }
    (solver.states().try_into().unwrap(), solver.statistics())
}

#[test]
fn each_order_converges_with_its_order() {
    for q in 1..=5 {
        let run = |tolerance: f64| {
            let tolerance = Tolerance::new(tolerance, &[tolerance; 2]);
            let solver = Bdf::new(&Pattern::full(2, 2), tolerance).with_max_order(q);
            let (x, statistics) = solve(Oscillator { w: 1.0 }, solver, [1.0, 0.0], 2.0);
            let exact = Oscillator { w: 1.0 }.exact(2.0);
            let error = (x[0] - exact[0]).hypot(x[1] - exact[1]);
            (error, statistics.steps as f64)
        };
        let (coarse, fine) = match q {
            1 => (1e-5, 1e-7),
            2 | 3 => (1e-6, 1e-9),
            _ => (1e-7, 1e-11),
        };
        let ((error0, steps0), (error1, steps1)) = (run(coarse), run(fine));
        let order = (error0 / error1).ln() / (steps1 / steps0).ln();
        assert!((order - q as f64).abs() < 0.6, "order {q}: {order}");
    }
}

#[test]
fn robertson_agrees_with_a_tight_reference() {
    // Reference: Dormand-Prince with tolerance 1e-13, in 121 403 steps.
    let reference = [0.715_827_068_719_4, 9.185_534_764_56e-6, 0.284_163_745_745_8];
    for (tolerance, steps) in [(1e-4, 150), (1e-6, 320), (1e-8, 700)] {
        let absolute = [1e-2 * tolerance, 1e-6 * tolerance, 1e-2 * tolerance];
        let solver = Bdf::new(&Pattern::full(3, 3), Tolerance::new(tolerance, &absolute));
        let (x, statistics) = solve(Robertson, solver, [1.0, 0.0, 0.0], 40.0);
        for (x, reference) in x.iter().zip(reference) {
            assert!(
                (x / reference - 1.0).abs() < tolerance,
                "{x} instead of {reference}"
            );
        }
        assert!(statistics.steps < steps, "{statistics:?}");
        assert!(statistics.jacobians < statistics.steps / 20, "{statistics:?}");
    }
}

#[test]
fn robertson_runs_far_beyond_its_fastest_reaction() {
    // The values at 1e11 of the test set for initial value problem solvers (Mazzia and Magherini).
    let reference = [
        2.083_340_149_701_255e-8,
        8.333_360_770_334_713e-14,
        0.999_999_979_166_505,
    ];
    let solver = Bdf::new(&Pattern::full(3, 3), Tolerance::new(1e-7, &[1e-14, 1e-20, 1e-10]));
    let (x, statistics) = solve(Robertson, solver, [1.0, 0.0, 0.0], 1e11);
    for (x, reference) in x.iter().zip(reference) {
        assert!((x / reference - 1.0).abs() < 1e-4, "{x} instead of {reference}");
    }
    assert!(statistics.steps < 2500, "{statistics:?}");
}

#[test]
fn van_der_pol_agrees_with_a_tight_reference() {
    // Reference: Dormand-Prince with tolerance 1e-13, in 1 196 702 steps.
    let reference = [1.706_167_732_170, -8.928_097_010_2e-4];
    for (tolerance, steps) in [(1e-6, 1500), (1e-8, 3300)] {
        let solver = Bdf::new(&Pattern::full(2, 2), Tolerance::new(tolerance, &[tolerance; 2]));
        let (x, statistics) = solve(VanDerPol { mu: 1000.0 }, solver, [2.0, 0.0], 2000.0);
        for (x, reference) in x.iter().zip(reference) {
            assert!(
                (x - reference).abs() < 100.0 * tolerance,
                "{x} instead of {reference}"
            );
        }
        assert!(statistics.steps < steps, "{statistics:?}");
    }
}

#[test]
fn a_long_rod_stays_sparse() {
    let n = 1000;
    let mut system = Rod::new(n);
    let pattern = system.pattern();
    assert_eq!(pattern.entries(), 3 * n - 2);
    let mut solver = Bdf::new(&pattern, Tolerance::new(1e-6, &vec![1e-6; n]));
    solver.restart(0.0, &system.eigenvector());
    while solver.time() < 1.0 {
        solver.step(&mut system, 1.0).unwrap();
    }
    let decay = system.eigenvalue().exp();
    for (x, start) in solver.states().iter().zip(system.eigenvector()) {
        assert!((x - decay * start).abs() < 1e-5);
    }
    assert!(solver.statistics().steps < 150, "{:?}", solver.statistics());
}

/// Evaluations for a rod whose end is moved by `jump` at each of 50 communication points.
fn evaluations_with_jumps(crossover: Crossover, jump: f64) -> u64 {
    let mut system = Rod::new(50);
    let tolerance = Tolerance::new(1e-6, &[1e-6; 50]);
    let mut solver = Bdf::new(&system.pattern(), tolerance).with_crossover(crossover);
    solver.restart(0.0, &system.eigenvector());
    for i in 1..=50 {
        let end = f64::from(i) * 0.02;
        while solver.time() < end {
            solver.step(&mut system, end).unwrap();
        }
        system.left += jump;
        solver.cross_over();
    }
    solver.statistics().evaluations
}

#[test]
fn in_a_stiff_system_a_jump_is_corrected_only_as_far_as_it_helps() {
    for jump in [1e-8, 1e-4, 1e-2] {
        let [restart, proceed, first, corrected] = [
            Crossover::Restart,
            Crossover::Proceed,
            Crossover::First,
            Crossover::Adaptive,
        ]
        .map(|crossover| evaluations_with_jumps(crossover, jump) as f64);
        // To see what the jump is costs one evaluation at each of 49 points.
        assert!(
            corrected <= 1.05 * restart.min(proceed) + 49.0 + 30.0,
            "{corrected} {restart} {proceed}"
        );
        assert!(
            corrected < first,
            "{corrected} {first}: a transient that is over at once spoils the prediction"
        );
    }
}

/// As multistep methods mostly do: a jump costs a restart, an input that only bends does not.
#[test]
fn the_plain_method_restarts_at_jumps_and_goes_on_at_bends() {
    for jump in [1e-4, 1e-2] {
        let plain = evaluations_with_jumps(Crossover::RestartAtJumps, jump);
        assert_eq!(plain, evaluations_with_jumps(Crossover::Restart, jump));
    }
    // x' = u - x, where u goes up and down a little, by 0.001 per second, every 0.1 s.
    struct Zigzag;
    impl fmu_numerics::System for Zigzag {
        type Error = Problem;

        fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Problem> {
            let u = 1e-3 * (0.1 - (t.rem_euclid(0.2) - 0.1).abs());
            dx[0] = u - x[0];
            Ok(())
        }
    }
    impl ImplicitSystem for Zigzag {
        fn jacobian(&mut self, _t: f64, _x: &[f64], values: &mut [f64]) -> Result<(), Problem> {
            values[0] = -1.0;
            Ok(())
        }

        fn second_derivative(
            &mut self,
            t: f64,
            _: &[f64],
            dx: &[f64],
            ddx: &mut [f64],
        ) -> Result<(), Problem> {
            let slope = if t.rem_euclid(0.2) < 0.1 { 1e-3 } else { -1e-3 };
            ddx[0] = slope - dx[0];
            Ok(())
        }
    }
    let steps = |crossover: Crossover| {
        let mut solver =
            Bdf::new(&Pattern::full(1, 1), Tolerance::new(1e-6, &[1e-6])).with_crossover(crossover);
        solver.restart(0.0, &[1.0]);
        for i in 1..=20 {
            let end = f64::from(i) * 0.1;
            while solver.time() < end {
                solver.step(&mut Zigzag, end).unwrap();
            }
            match crossover {
                Crossover::RestartAtJumps => solver.bend(),
                _ => solver.cross_over(),
            }
        }
        solver.statistics().steps
    };
    let (plain, restart) = (steps(Crossover::RestartAtJumps), steps(Crossover::Restart));
    assert!(
        3 * plain < 2 * restart,
        "{plain} steps, and {restart} with a restart at every bend"
    );
}

#[test]
fn crossings_are_found_on_the_history() {
    let mut system = System(Oscillator::default());
    let mut solver = Bdf::new(&Pattern::full(2, 2), Tolerance::new(1e-9, &[1e-9; 2]));
    solver.restart(0.0, &[1.0, 0.0]);
    let (mut t_old, mut x) = (0.0, [0.0; 2]);
    while solver.states()[0] > 0.25 {
        t_old = solver.time();
        solver.step(&mut system, 10.0).unwrap();
    }
    let whole = Crossing {
        before: t_old,
        after: solver.time(),
    };
    solver.interpolate(t_old, &mut x);
    let (mut z0, mut z1) = ([x[0] - 0.25], [solver.states()[0] - 0.25]);
    let found = locate::<StepError<Problem>>(whole, 1e-14, &mut z0, &mut z1, &mut [0.0], |t, z| {
        solver.interpolate(t, &mut x);
        z[0] = x[0] - 0.25;
        Ok(())
    })
    .unwrap();
    assert!((found.after - 0.25f64.acos() / 3.0).abs() < 1e-7);

    // Going on from there without a jump costs no accuracy and no restart.
    let steps = solver.statistics().steps;
    solver.back_to(found.after);
    assert!((solver.states()[0] - 0.25).abs() < 1e-12);
    while solver.time() < 1.0 {
        solver.step(&mut system, 1.0).unwrap();
    }
    let exact = Oscillator::default().exact(1.0);
    assert!((solver.states()[0] - exact[0]).abs() < 1e-7);
    assert!(solver.order() > 3 && solver.statistics().steps < steps + 120);
}

impl ImplicitSystem for Spiked {
    fn jacobian(&mut self, _t: f64, _x: &[f64], values: &mut [f64]) -> Result<(), Problem> {
        values[0] = 0.0;
        Ok(())
    }
    fn second_derivative(&mut self, t: f64, _: &[f64], _: &[f64], ddx: &mut [f64]) -> Result<(), Problem> {
        ddx[0] = 0.5 * (1.0 - t).powf(-1.5);
        Ok(())
    }
}

#[test]
fn errors_shorten_a_step_or_end_it() {
    for recoverable in [true, false] {
        let mut solver = Bdf::new(&Pattern::full(1, 1), Tolerance::new(1e-6, &[1e-6]));
        solver.restart(0.0, &[0.0]);
        let error = loop {
            if let Err(error) = solver.step(&mut Spiked { recoverable }, 2.0) {
                break error;
            }
        };
        assert!(error.to_string().contains("beyond the pole"), "{error}");
        assert!(!recoverable || 1.0 - solver.time() < 1e-9);
        assert!(solver.states()[0] < 2.0 + 1e-4);
    }
}

#[test]
fn memory_survives_bytes_and_damage_is_found() {
    let new = || Bdf::new(&Pattern::full(2, 2), Tolerance::new(1e-6, &[1e-6; 2]));
    let mut system = System(VanDerPol { mu: 50.0 });
    let mut straight = new();
    straight.restart(0.0, &[2.0, 0.0]);
    let mut detour = straight.clone();
    let mut random = Random(3);
    for i in 1..=300 {
        let end = f64::from(i) * 0.5;
        while straight.time() < end {
            straight.step(&mut system, end).unwrap();
        }
        while detour.time() < end {
            if random.below(4) == 0 {
                let mut bytes = Vec::new();
                detour.write_to(&mut Writer(&mut bytes));
                let mut reader = Reader(&bytes);
                detour = new().read_from(&mut reader).unwrap();
                reader.end().unwrap();
                let length = random.below(bytes.len());
                assert!(new().read_from(&mut Reader(&bytes[..length])).is_err());
                // Whatever is read from damaged bytes steps or reports, and never panics.
                for _ in 0..3 {
                    let (mut bytes, at) = (bytes.clone(), random.below(bytes.len()));
                    bytes[at] ^= 1 << random.below(8);
                    if let Ok(mut damaged) = new().read_from(&mut Reader(&bytes)) {
                        let _ = damaged.step(&mut system, damaged.time() + 0.1);
                    }
                }
            }
            detour.step(&mut system, end).unwrap();
        }
        if i % 7 == 0 {
            straight.cross_over();
            detour.cross_over();
        }
        assert_eq!(straight.states(), detour.states());
        assert_eq!(straight.statistics(), detour.statistics());
    }
}

/// A rod with two entries more in its Jacobian, which are 0.
struct Ring(Rod);

impl fmu_numerics::System for Ring {
    type Error = Problem;

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Problem> {
        self.0.rhs(t, x, dx)
    }
}

impl ImplicitSystem for Ring {
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), Problem> {
        let mut band = vec![0.0; values.len() - 2];
        self.0.jacobian(t, x, &mut band)?;
        // The last row of the first column, and the first row of the last.
        let (first, rest) = band.split_at(2);
        values[..2].copy_from_slice(first);
        values[2] = 0.0;
        let last = values.len() - 3;
        values[3..last].copy_from_slice(&rest[..rest.len() - 2]);
        values[last] = 0.0;
        values[last + 1..].copy_from_slice(&rest[rest.len() - 2..]);
        Ok(())
    }

    fn second_derivative(&mut self, t: f64, x: &[f64], dx: &[f64], ddx: &mut [f64]) -> Result<(), Problem> {
        self.0.second_derivative(t, x, dx, ddx)
    }
}

#[test]
fn only_factorizations_of_sparse_matrices_allocate() {
    let mut system = System(Oscillator::default());
    let mut solver = Bdf::new(&Pattern::full(2, 2), Tolerance::new(1e-6, &[1e-6; 2]));
    solver.restart(0.0, &[1.0, 0.0]);
    let before = allocations::count();
    for i in 1..=1000 {
        solver.step(&mut system, f64::INFINITY).unwrap();
        if i % 10 == 0 {
            solver.cross_over();
        }
    }
    assert_eq!(allocations::count(), before);

    // A rod whose pattern says that its ends touch: not a band.
    let mut system = Ring(Rod::new(20));
    let near = (0..20).flat_map(|i| [19, 20, 21].map(|k| ((i + k) % 20, i)));
    let mut solver = Bdf::new(&Pattern::new(20, 20, near), Tolerance::new(1e-6, &[1e-6; 20]));
    solver.restart(0.0, &system.0.eigenvector());
    for _ in 1..=100 {
        let (before, factorizations) = (allocations::count(), solver.statistics().factorizations);
        solver.step(&mut system, 1.0).unwrap();
        let quiet = solver.statistics().factorizations == factorizations;
        assert!(!quiet || allocations::count() == before);
    }
    let decay = (system.0.eigenvalue() * solver.time()).exp();
    for (x, start) in solver.states().iter().zip(system.0.eigenvector()) {
        assert!((x - decay * start).abs() < 1e-5);
    }
    assert!(solver.statistics().factorizations < 50);
}
