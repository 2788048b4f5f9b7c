//! Going back, and memory as bytes.

use super::common::Random;
use super::common::models::{Ball, Oscillator};
use super::{Slave, solvers};
use fmu_runtime::cosim::{CoSimulation, Facts};

#[test]
fn going_back_at_random_changes_no_bit() {
    for options in solvers() {
        let mut straight = Slave::<Oscillator>::new(options);
        let mut wandering = Slave::<Oscillator>::new(options);
        let mut random = Random(11);
        // What the master sets at each point is the same in both runs.
        let drive = |slave: &mut Slave<Oscillator>, i: usize| {
            if !i.is_multiple_of(3) {
                slave.set(2, (i as f64 * 0.7).sin());
            }
            if i % 5 < 2 {
                slave.cosimulation.set_input_derivative(2, 1, (i as f64).cos());
                slave.cosimulation.set_input_derivative(2, 2, 0.3);
            }
            slave.advance((i + 1) as f64 * 0.1);
        };
        let end = 200;
        let mut snapshots = vec![wandering.snapshot()];
        let mut i = 0;
        let mut returns = 0;
        while i < end {
            drive(&mut wandering, i);
            i += 1;
            snapshots.truncate(i);
            snapshots.push(wandering.snapshot());
            if random.below(10) < 4 && returns < 10_000 {
                returns += 1;
                i -= random.below(i.min(5) + 1);
                wandering.restore(&snapshots[i]);
                if random.below(4) == 0 {
                    let mut bytes = Vec::new();
                    wandering.cosimulation.write_to(&mut bytes);
                    let blank = CoSimulation::new(&Facts::of::<Oscillator>().unwrap(), options);
                    wandering.cosimulation = blank.read_from(&bytes).unwrap();
                }
            }
        }
        for i in 0..end {
            drive(&mut straight, i);
        }
        assert_eq!(straight.states(), wandering.states(), "{options:?}");
        assert_eq!(
            straight.cosimulation.statistics(),
            wandering.cosimulation.statistics()
        );
        assert_eq!(straight.model().samples, wandering.model().samples);
        assert_eq!(returns, 10_000);
    }
}

#[test]
fn damaged_or_foreign_bytes_are_an_error() {
    for options in solvers() {
        let mut slave = Slave::<Oscillator>::new(options);
        slave.advance(1.0);
        let mut bytes = Vec::new();
        slave.cosimulation.write_to(&mut bytes);
        assert!(slave.cosimulation.read_from(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert!(slave.cosimulation.read_from(&bytes[..length]).is_err());
        }
        for i in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[i] ^= 0x10;
            assert!(slave.cosimulation.read_from(&damaged).is_err());
        }
        bytes.push(0);
        assert!(slave.cosimulation.read_from(&bytes).is_err());
        bytes.pop();
        let foreign = Slave::<Ball>::new(options);
        assert!(foreign.cosimulation.read_from(&bytes).is_err());
        for other in solvers()
            .into_iter()
            .filter(|other| other.solver != options.solver)
        {
            let other = Slave::<Oscillator>::new(other);
            assert!(other.cosimulation.read_from(&bytes).is_err());
        }
    }
}

#[test]
fn a_thousand_instances_at_once_do_not_know_of_each_other() {
    let drive = |slave: &mut Slave<Oscillator>, number: usize, i: usize| {
        slave.set(2, (number * (i + 1)) as f64 * 1e-3);
        slave.advance((i + 1) as f64 * 0.3);
    };
    for options in solvers() {
        let facts = Facts::of::<Oscillator>().unwrap();
        let mut slaves: Vec<Slave<Oscillator>> = (0..1000).map(|_| Slave::with(&facts, options)).collect();
        std::thread::scope(|scope| {
            for (k, some) in slaves.chunks_mut(250).enumerate() {
                scope.spawn(move || {
                    for i in 0..4 {
                        for (j, slave) in some.iter_mut().enumerate() {
                            drive(slave, 250 * k + j, i);
                        }
                    }
                });
            }
        });
        for number in (0..1000).step_by(37) {
            let mut alone = Slave::with(&facts, options);
            for i in 0..4 {
                drive(&mut alone, number, i);
            }
            assert_eq!(alone.states(), slaves[number].states(), "{options:?} {number}");
        }
        assert_ne!(slaves[1].states(), slaves[999].states());
    }
}
