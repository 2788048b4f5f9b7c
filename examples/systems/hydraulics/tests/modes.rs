//! The frequencies of two lines in a row are those of a line by itself, times the golden ratio and its inverse.

use fmu_runtime::native::Native;
use hydraulics::TwoLines;

#[test]
fn both_modes_have_their_frequencies() {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    // The shapes of the modes without losses: from e1' = w (f1 - f2), f1' = -w e1, e2' = w f2, f2' = w (e1 - e2).
    for phi in [golden, 1.0 / golden] {
        let mut lines = Native::new(TwoLines::default());
        (lines.left.zeta, lines.left.leak) = (0.0, 0.0);
        (lines.right.zeta, lines.right.leak) = (0.0, 0.0);
        let omega0 = lines.left.omega0;
        // Efforts at their largest, flows at zero: e2 = e1 / (1 - phi^2) follows from f2'' = -phi^2 w^2 f2.
        (lines.left.effort, lines.left.flow) = (1.0, 0.0);
        (lines.right.effort, lines.right.flow) = (1.0 / (1.0 - phi * phi), 0.0);
        lines.initialize(0.0).unwrap();
        let quarter = 0.5 * std::f64::consts::PI / (omega0 * phi);
        lines.simulate(quarter, quarter / 2000.0).unwrap();
        assert!(lines.left.effort.abs() < 1e-6, "{phi}: {}", lines.left.effort);
        assert!(lines.right.effort.abs() < 1e-6, "{phi}: {}", lines.right.effort);
    }
}
