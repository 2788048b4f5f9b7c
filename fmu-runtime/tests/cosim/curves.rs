//! Inputs and outputs as curves.

use super::common::models::Oscillator;
use super::{Slave, solvers};
use fmu_runtime::cosim::Options;
use fmu_runtime::prelude::*;

#[test]
fn inputs_are_curves_inside_a_step() {
    // u = u0 + a t + b t^2 / 2 + c t^3 / 6 gives the velocity of a body its integral.
    /// A body
    #[model]
    struct Body {
        /// Velocity
        #[state(start = 0.0)]
        v: f64,
        /// Acceleration
        #[input(start = 1.0)]
        u: f64,
    }
    #[equations]
    impl Model for Body {
        fn derivatives(&self, _t: f64) -> Derivatives<Self> {
            Derivatives::<Self> { v: self.u }
        }
    }
    for options in solvers().into_iter().skip(1) {
        let mut slave = Slave::<Body>::new(options);
        slave.advance(1.0);
        assert!((slave.model().v - 1.0).abs() < 1e-6);
        for (order, value) in [(1, 2.0), (2, 3.0), (3, 6.0)] {
            assert!(slave.cosimulation.set_input_derivative(1, order, value));
        }
        slave.advance(2.0);
        let v = 1.0 + (1.0 + 2.0 / 2.0 + 3.0 / 6.0 + 6.0 / 24.0);
        assert!(
            (slave.model().v - v).abs() < 1e-5,
            "{options:?} {}",
            slave.model().v
        );
        let u = 1.0 + 2.0 + 3.0 / 2.0 + 1.0;
        assert!((slave.model().u - u).abs() < 1e-12, "where the curve has ended");
        // Derivatives hold for one step.
        slave.advance(3.0);
        assert!((slave.model().v - v - u).abs() < 1e-5, "{options:?}");
        assert!(!slave.cosimulation.set_input_derivative(1, 4, 0.0), "order");
        assert!(!slave.cosimulation.set_input_derivative(0, 1, 0.0), "a state");
    }
}

#[test]
fn output_derivatives_are_exact() {
    let mut slave = Slave::<Oscillator>::new(Options::default());
    slave.set(2, 0.5);
    slave.cosimulation.set_input_derivative(2, 1, 0.7);
    slave.cosimulation.set_input_derivative(2, 2, -0.4);
    slave.cosimulation.set_input_derivative(2, 3, 0.2);
    slave.advance(0.13);
    let series = slave
        .workspace
        .series(&mut slave.evaluator, &slave.cosimulation)
        .unwrap();
    let (power, position) = (4, 0);
    let found: Vec<f64> = (1..=3).map(|k| series.derivative(power, k)).collect();
    let of_position: Vec<f64> = (1..=3).map(|k| series.derivative(position, k)).collect();
    // der(v) is the second Real behind the five of the model, time the last.
    let of_acceleration = series.derivative(6, 1);
    assert_eq!((series.derivative(7, 1), series.derivative(7, 2)), (1.0, 0.0));

    // By hand: x'' = u - 4 sin x - 0.1 v - 0.5 s + 0.1 cos 2t and its derivatives, with u as a cubic.
    let t = 0.13f64;
    let m = slave.model();
    let u = [
        0.5 + 0.7 * t - 0.4 * t * t / 2.0 + 0.2 * t.powi(3) / 6.0,
        0.7 - 0.4 * t + 0.2 * t * t / 2.0,
        -0.4 + 0.2 * t,
        0.2,
    ];
    let (x, v) = (m.x, m.v);
    let a = u[0] - 4.0 * x.sin() - 0.1 * v - 0.5 * m.sample + 0.1 * (2.0 * t).cos();
    let j = u[1] - 4.0 * x.cos() * v - 0.1 * a - 0.2 * (2.0 * t).sin();
    let s = u[2] + 4.0 * x.sin() * v * v - 4.0 * x.cos() * a - 0.1 * j - 0.4 * (2.0 * t).cos();
    let power = [
        u[1] * v + u[0] * a,
        u[2] * v + 2.0 * u[1] * a + u[0] * j,
        u[3] * v + 3.0 * u[2] * a + 3.0 * u[1] * j + u[0] * s,
    ];
    for (found, exact) in found.iter().zip(power).chain(of_position.iter().zip([v, a, j])) {
        assert!(
            (found - exact).abs() < 1e-12 * (1.0 + exact.abs()),
            "{found} instead of {exact}"
        );
    }
    assert!((of_acceleration - j).abs() < 1e-12 * j.abs());

    // New inputs at the same point are seen at once, and a value alone means a constant.
    slave.set(2, 2.0);
    let series = slave
        .workspace
        .series(&mut slave.evaluator, &slave.cosimulation)
        .unwrap();
    let a = a - u[0] + 2.0;
    assert!((series.derivative(4, 1) - 2.0 * a).abs() < 1e-12 * a.abs());
}
