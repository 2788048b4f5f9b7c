//! The parts by themselves, against closed forms.

use fmu_runtime::ModelError;
use fmu_runtime::native::Native;
use petridis::{BilinearRow, Defect, LinearRow, Node, ResistorCapacitor, SourceResistor, VaryingResistor};

#[test]
fn a_row_holds_for_the_solution_of_its_system() -> Result<(), ModelError> {
    // Row 1 of table 4 at t = 2, with x2 = 0.5 and x3 = -1: 3 x1 + 2.1 * 0.5 - 0.2 = 1.
    let mut row = Native::new(LinearRow {
        u1: 0.5,
        u2: -1.0,
        r: 1.0,
        a_slope: 1.0,
        b: 0.2,
        ..LinearRow::default()
    });
    row.initialize(0.0)?;
    row.simulate(2.0, 0.1)?;
    assert!((3.0 * row.x + 2.1 * 0.5 - 0.2 - 1.0).abs() < 1e-12);
    Ok(())
}

#[test]
fn the_defect_of_the_exponential_is_zero() -> Result<(), ModelError> {
    let mut defect = Native::new(Defect {
        x: (-1.5f64).exp(),
        ..Defect::default()
    });
    defect.initialize(0.0)?;
    defect.simulate(1.5, 0.1)?;
    assert!(defect.y.abs() < 1e-15);
    Ok(())
}

/// With the node held at 0 V: 0.5 x' = sin(omega t) - (1 + 1/R) x; with a swing of 0 the resistance stays.
#[test]
fn a_branch_follows_its_source() -> Result<(), ModelError> {
    let mut branch = Native::new(VaryingResistor {
        swing: 0.0,
        ..VaryingResistor::default()
    });
    let omega = branch.omega;
    branch.initialize(0.0)?;
    branch.simulate(1.3, 1e-4)?;
    let a = 2.0 * (1.0 + 1.0 / 1001.0);
    let t = 1.3;
    let steady = |t: f64| 2.0 * (a * (omega * t).sin() - omega * (omega * t).cos()) / (a * a + omega * omega);
    let x = steady(t) - steady(0.0) * (-a * t).exp();
    assert!((branch.x - x).abs() < 1e-9, "{} in place of {x}", branch.x);
    assert!((branch.ii + x / 1001.0).abs() < 1e-11);
    Ok(())
}

#[test]
fn a_node_is_charged_by_its_currents() -> Result<(), ModelError> {
    let mut node = Native::new(Node {
        ii1: 1e-3,
        ii2: 2e-3,
        ..Node::default()
    });
    node.initialize(0.0)?;
    node.simulate(2.0, 0.01)?;
    assert!((node.x3 + 0.6).abs() < 1e-12 && (node.vi + 0.6 + 30.0).abs() < 1e-10);
    Ok(())
}

#[test]
fn the_source_switches_and_the_capacitor_follows() -> Result<(), ModelError> {
    let mut source = Native::new(SourceResistor {
        i: 2.0,
        ..SourceResistor::default()
    });
    source.initialize(0.0)?;
    for (t, u) in [(1.9, 0.0), (2.0, 4.0), (3.9, 4.0), (4.0, 2.0)] {
        source.simulate(t, 0.1)?;
        assert!(
            (source.y - (u + 2.0 * 0.999)).abs() < 1e-12,
            "{} at {t}",
            source.y
        );
    }
    let mut capacitor = Native::new(ResistorCapacitor {
        y: 1.0,
        r_part2: 0.5,
        ..ResistorCapacitor::default()
    });
    capacitor.initialize(0.0)?;
    capacitor.simulate(1.0, 1e-4)?;
    assert!((capacitor.x - (1.0 + (-2.0f64).exp())).abs() < 1e-10);
    Ok(())
}

/// x' = a x + m x u1 with u1 held is an exponential.
#[test]
fn a_product_with_a_constant_is_linear() -> Result<(), ModelError> {
    let mut row = Native::new(BilinearRow {
        u1: 2.0,
        a: -1.5,
        m: 0.5,
        ..BilinearRow::default()
    });
    row.initialize(0.0)?;
    row.simulate(1.0, 1e-3)?;
    assert!((row.x - (-0.5f64).exp()).abs() < 1e-10);
    Ok(())
}
