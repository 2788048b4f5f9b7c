//! An integrator allocates when it is made, and not when it steps.

mod common;

use common::systems::Oscillator;
use fmu_numerics::{DormandPrince, Euler, RungeKutta4, Tolerance};
use test_support::allocations::{self, Counting};

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn a_step_allocates_nothing() {
    let mut system = Oscillator::default();
    let mut x = [0.0; 2];
    let mut euler = Euler::new(2, 1e-2);
    let mut runge_kutta = RungeKutta4::new(2, 1e-2);
    let mut dormand_prince = DormandPrince::new(2, Tolerance::new(1e-6, &[1e-6; 2]));
    let before = allocations::count();
    euler.restart(0.0, &[1.0, 0.0]);
    runge_kutta.restart(0.0, &[1.0, 0.0]);
    dormand_prince.restart(0.0, &[1.0, 0.0]);
    for i in 1..=100 {
        let end = f64::from(i) * 0.1;
        while euler.time() < end {
            euler.step(&mut system, end).unwrap();
        }
        while runge_kutta.time() < end {
            runge_kutta.step(&mut system, end).unwrap();
        }
        while dormand_prince.time() < end {
            dormand_prince.step(&mut system, end).unwrap();
        }
        euler.interpolate(end - 1e-3, &mut x);
        runge_kutta.prepare(&mut system).unwrap();
        runge_kutta.interpolate(end - 1e-3, &mut x);
        dormand_prince.prepare();
        dormand_prince.interpolate(end - 1e-3, &mut x);
    }
    assert_eq!(allocations::count(), before);
    drop(euler.clone());
    assert!(allocations::count() > before, "the counter counts");
}
