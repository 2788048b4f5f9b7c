//! Prey and predators go round: what they have in common stays the same.

use fmu_runtime::native::Native;
use lotka_volterra::{Predator, Prey};

#[test]
fn the_orbit_is_closed() {
    let (mut prey, mut predator) = (Native::new(Prey::default()), Native::new(Predator::default()));
    prey.initialize(0.0).unwrap();
    predator.initialize(0.0).unwrap();
    // The first integral of the equations.
    let invariant = |x: f64, y: f64| 0.1 * x - 0.4 * x.ln() + 0.4 * y - 1.1 * y.ln();
    let (mut x, mut y) = (10.0, 10.0);
    let before = invariant(x, y);
    let h = 1e-3;
    let mut slopes = |x: f64, y: f64| {
        (prey.prey, prey.predators) = (x, y);
        (predator.prey, predator.predators) = (x, y);
        (prey.derivatives(0.0).prey, predator.derivatives(0.0).predators)
    };
    for _ in 0..20_000 {
        // The midpoint rule.
        let (dx, dy) = slopes(x, y);
        let (dx, dy) = slopes(x + 0.5 * h * dx, y + 0.5 * h * dy);
        (x, y) = (x + h * dx, y + h * dy);
    }
    assert!(
        (invariant(x, y) - before).abs() < 1e-4,
        "{} {before}",
        invariant(x, y)
    );
}
