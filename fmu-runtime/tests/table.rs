//! Tables and opaque functions over every scalar.

mod common;

use std::error::Error;

use common::{Random, close, slope};
use fmu_runtime::pattern::{Class, Kind, explore};
use fmu_runtime::scalar::{Dual, Jet, Scalar, Trace};
use fmu_runtime::table::{Extrapolation, Interpolation, Table1D, Table2D, TableError};
use fmu_runtime::{opaque, opaque_with};

const X: [f64; 6] = [-1.0, 0.0, 0.5, 2.0, 3.0, 5.0];
const Y: [f64; 6] = [2.0, 1.0, 1.5, 4.0, 4.0, 0.0];

fn tables() -> Vec<Table1D> {
    let table = Table1D::new(X, Y).unwrap();
    let mut all = Vec::new();
    for interpolation in [Interpolation::Linear, Interpolation::Cubic] {
        for extrapolation in [Extrapolation::Hold, Extrapolation::Linear] {
            all.push(
                table
                    .clone()
                    .interpolate(interpolation)
                    .extrapolate(extrapolation),
            );
        }
    }
    all
}

#[test]
fn a_table_passes_through_its_points() {
    for table in tables() {
        for (x, y) in X.into_iter().zip(Y) {
            assert_eq!(table.at(x), y);
        }
    }
    assert_eq!(Table1D::default().at(3.0), 0.0);
    assert_eq!(Table1D::new([2.0], [7.0]).unwrap().at(-1.0), 7.0);
}

#[test]
fn linear_tables_are_straight_between_points_and_beyond() {
    let [hold, line, ..] = &tables()[..] else {
        unreachable!()
    };
    assert_eq!([hold.at(1.25), hold.at(-9.0), hold.at(9.0)], [2.75, 2.0, 0.0]);
    assert_eq!([line.at(1.25), line.at(-2.0), line.at(6.0)], [2.75, 3.0, -2.0]);
    // At a point, the side towards larger arguments.
    assert_eq!(line.at(Dual::<1>::variable(0.0, 0)).lanes, [1.0]);
    assert_eq!(hold.at(Dual::<1>::variable(6.0, 0)).lanes, [0.0]);
    assert_eq!(line.at(Dual::<1>::variable(6.0, 0)).lanes, [-2.0]);
}

#[test]
fn cubic_tables_do_not_overshoot_and_have_a_continuous_derivative() {
    let table = Table1D::new(X, Y)
        .unwrap()
        .cubic()
        .extrapolate(Extrapolation::Linear);
    for (x, y) in X.windows(2).zip(Y.windows(2)) {
        let (low, high) = (y[0].min(y[1]), y[0].max(y[1]));
        for i in 0..=100 {
            let value = table.at(x[0] + (x[1] - x[0]) * f64::from(i) / 100.0);
            assert!(
                value >= low - 1e-12 && value <= high + 1e-12,
                "{value} between {x:?}"
            );
        }
    }
    let derivative = |x: f64| table.at(Dual::<1>::variable(x, 0)).lanes[0];
    for x in X {
        assert!(close(derivative(x - 1e-9), derivative(x + 1e-9), 1e-7), "at {x}");
    }
    // A straight line stays one.
    let straight = Table1D::new([0.0, 1.0, 4.0], [1.0, 3.0, 9.0]).unwrap().cubic();
    assert!(close(straight.at(2.7), 6.4, 1e-14));
}

#[test]
fn tables_differentiate_exactly() {
    let mut random = Random(51);
    for table in tables() {
        for _ in 0..500 {
            let x = random.between(-2.0, 6.0);
            if X.iter().any(|point| (x - point).abs() < 0.12) {
                continue;
            }
            let expected = slope(|x| table.at(x), x);
            let dual = table.at(Dual::<1>::variable(x, 0));
            let jet = table.at(Jet::<2>::variable(x));
            assert_eq!((dual.value, jet.value), (table.at(x), table.at(x)));
            assert!(
                close(dual.lanes[0], expected, 1e-9) && close(jet.terms[0], expected, 1e-9),
                "at {x}"
            );
            let second = slope(|x| table.at(Dual::<1>::variable(x, 0)).lanes[0], x);
            assert!(close(jet.derivative(2), second, 1e-8), "at {x}");
        }
    }
}

fn surface() -> Table2D {
    let (x, y) = ([0.0, 1.0, 2.5, 3.0], [-1.0, 0.0, 2.0]);
    Table2D::new(
        x,
        y,
        [[1.0, 2.0, 4.0], [0.0, 3.0, 3.5], [2.0, 2.5, 1.0], [4.0, 0.0, 2.0]],
    )
    .unwrap()
}

#[test]
fn surfaces_pass_through_their_points_and_differentiate_exactly() {
    let mut random = Random(52);
    for interpolation in [Interpolation::Linear, Interpolation::Cubic] {
        for extrapolation in [Extrapolation::Hold, Extrapolation::Linear] {
            let table = surface().interpolate(interpolation).extrapolate(extrapolation);
            assert_eq!(
                [table.at(1.0, 2.0), table.at(3.0, -1.0), table.at(0.0, 0.0)],
                [3.5, 4.0, 2.0]
            );
            for _ in 0..300 {
                let (x, y) = (random.between(-1.0, 4.0), random.between(-2.0, 3.0));
                let near = |points: &[f64], x: f64| points.iter().any(|point| (x - point).abs() < 0.1);
                if near(&[0.0, 1.0, 2.5, 3.0], x) || near(&[-1.0, 0.0, 2.0], y) {
                    continue;
                }
                let z = table.at(Dual::<2>::variable(x, 0), Dual::variable(y, 1));
                assert_eq!(z.value, table.at(x, y));
                assert!(
                    close(z.lanes[0], slope(|x| table.at(x, y), x), 1e-9),
                    "by x at ({x}, {y})"
                );
                assert!(
                    close(z.lanes[1], slope(|y| table.at(x, y), y), 1e-9),
                    "by y at ({x}, {y})"
                );
                let jet = table.at(Jet::<2>::new(x, [0.7, 0.2]), Jet::new(y, [-0.4, 0.1]));
                let along = |t: f64| {
                    let (x, y) = (x + 0.7 * t + 0.2 * t * t, y - 0.4 * t + 0.1 * t * t);
                    let (dx, dy) = (0.7 + 0.4 * t, -0.4 + 0.2 * t);
                    table.at(Dual::<1>::new(x, [dx]), Dual::new(y, [dy])).lanes[0]
                };
                assert!(
                    close(jet.terms[0], along(0.0), 1e-12)
                        && close(jet.derivative(2), slope(along, 0.0), 1e-7)
                );
            }
        }
    }
    // Along a grid line, the curve of one argument.
    let line = Table1D::new([0.0, 1.0, 2.5, 3.0], [2.0, 3.0, 2.5, 0.0])
        .unwrap()
        .cubic();
    assert!(close(surface().cubic().at(1.7, 0.0), line.at(1.7), 1e-13));
    // A plane stays one.
    let plane = Table2D::new([0.0, 1.0, 3.0], [0.0, 2.0], [[1.0, 3.0], [3.0, 5.0], [7.0, 9.0]]).unwrap();
    assert!(close(plane.cubic().at(2.2, 0.7), 1.0 + 2.0 * 2.2 + 0.7, 1e-13));
    assert_eq!(Table2D::default().at(1.0, 2.0), 0.0);
}

#[test]
fn a_table_is_one_operation_for_dependencies() {
    let (curve, other) = (Table1D::new(X, Y).unwrap(), Table1D::new(X, Y).unwrap().cubic());
    let found = explore(&[Class::State, Class::Fixed, Class::State], |k| {
        // A copy, and a table with the same contents, are the same function.
        let again = Table1D::new(X, Y).unwrap();
        let same = if k[2] > 0.0 {
            curve.at(k[0])
        } else {
            again.clone().at(k[0])
        };
        let different = if k[2] > 0.0 {
            curve.at(k[0])
        } else {
            other.at(k[0])
        };
        Some(vec![
            same,
            different,
            surface().at(k[0], k[1]),
            curve.at(k[1]) * k[0],
            curve.at(Trace::new(0.5)),
        ])
    });
    assert_eq!(found.unknowns[0].on, [(0, Kind::Dependent)]);
    assert_eq!(found.unknowns[1].on, [(0, Kind::Dependent), (2, Kind::Dependent)]);
    assert_eq!(found.unknowns[2].on, [(0, Kind::Dependent), (1, Kind::Dependent)]);
    assert_eq!(found.unknowns[3].on, [(0, Kind::Fixed), (1, Kind::Dependent)]);
    assert_eq!(found.unknowns[4].on, []);
}

#[test]
fn files_become_tables_and_errors_say_where() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("tables-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let write = |name: &str, text: &str| -> Result<_, std::io::Error> {
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    };
    let one = Table1D::from_csv(write("one.csv", "# a pump\nflow,head\n0,10\n 1 , 8\n\n3,0\n")?)?;
    assert_eq!([one.at(0.5), one.at(2.0)], [9.0, 4.0]);
    let two = Table2D::from_csv(write("two.csv", "speed;0;0.5;1\n0;0;40;90\n100;0;60;110\n")?)?;
    assert_eq!(two.at(50.0, 0.75), 75.0);

    let message = |result: Result<(), TableError>| result.unwrap_err().to_string();
    let text = message(Table1D::from_csv(write("text.csv", "0,1\n1,two\n")?).map(drop));
    assert!(
        text.ends_with("text.csv: line 2: 'two' is not a number"),
        "{text}"
    );
    let columns = message(Table1D::from_csv(write("short.csv", "0,1\n1\n")?).map(drop));
    assert!(
        columns.ends_with("short.csv: line 2 does not have 2 columns"),
        "{columns}"
    );
    let order = message(Table1D::from_csv(write("order.csv", "0,1\n0,2\n")?).map(drop));
    assert!(
        order.contains("order.csv: the argument must increase") && order.contains("number 2 is 0"),
        "{order}"
    );
    let missing = message(Table2D::from_csv(folder.join("none.csv")).map(drop));
    assert!(missing.contains("none.csv: cannot be read"), "{missing}");
    assert!(message(Table1D::new([], []).map(drop)).contains("at least one point"));
    assert!(message(Table1D::new([0.0, 1.0], [0.0]).map(drop)).contains("2 arguments but 1 values"));
    assert!(message(Table1D::new([0.0], [f64::NAN]).map(drop)).contains("not finite"));
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

fn library(x: f64, y: f64) -> f64 {
    (x * 1.3).sin() * y.exp()
}

#[test]
fn opaque_functions_differentiate_by_differences_or_as_given() {
    let mut random = Random(53);
    let gradient = |[x, y]: [f64; 2]| [1.3 * (x * 1.3).cos() * y.exp(), library(x, y)];
    for _ in 0..300 {
        let (x, y) = (random.between(-2.0, 2.0), random.between(-2.0, 2.0));
        let arguments = [Dual::<2>::variable(x, 0), Dual::variable(y, 1)];
        let (exact, numeric) = (gradient([x, y]), opaque(|[x, y]| library(x, y), arguments));
        let given = opaque_with(|[x, y]| library(x, y), gradient, arguments);
        assert_eq!(
            (numeric.value, given.value, given.lanes),
            (library(x, y), library(x, y), exact)
        );
        for (numeric, exact) in numeric.lanes.into_iter().zip(exact) {
            assert!(close(numeric, exact, 1e-8), "{numeric} or {exact}");
        }
        let path = [Jet::<3>::new(x, [0.5, 0.3, -0.2]), Jet::new(y, [-0.6, 0.1, 0.4])];
        let exact = (path[0] * 1.3).sin() * path[1].exp();
        let given = opaque_with(|[x, y]| library(x, y), gradient, path);
        for (order, tolerance) in [(1, 1e-13), (2, 1e-5), (3, 1e-3)] {
            assert!(
                close(given.derivative(order), exact.derivative(order), tolerance),
                "order {order}"
            );
        }
    }
    assert_eq!(opaque(|[x, y]| library(x, y), [0.3, 0.2]), library(0.3, 0.2));
    // At the edge of the domain, a difference on one side.
    let edge = opaque(
        |[x]: [f64; 1]| x.ln_1p().sqrt() + x,
        [Dual::<1>::variable(0.0, 0)],
    );
    assert!(edge.lanes[0].is_finite());
}

#[test]
fn opaque_functions_depend_on_all_their_arguments() {
    let found = explore(&[Class::State, Class::Fixed, Class::State, Class::State], |k| {
        let value = opaque(|[x, y]| library(x, y), [k[0], k[1]]);
        // The same function on both sides.
        let pick = |x: Trace| opaque(|[x]: [f64; 1]| library(x, 1.0), [x]);
        let same = if k[2] > 0.0 {
            pick(k[0] + 1.0)
        } else {
            pick(Trace::new(1.0) + k[0])
        };
        // What a closure captured may have been chosen by a decision.
        let row = if k[2] > 0.0 { 1.0 } else { 2.0 };
        let chosen = opaque(|[x]: [f64; 1]| library(x, row), [k[0]]);
        Some(vec![
            value,
            same,
            chosen,
            opaque(|[x]: [f64; 1]| x.exp(), [k[1]]) * k[3],
        ])
    });
    let on = |i: usize| {
        found.unknowns[i]
            .on
            .iter()
            .map(|entry| entry.0)
            .collect::<Vec<_>>()
    };
    assert_eq!([on(0), on(1), on(2)], [vec![0, 1], vec![0], vec![0, 2]]);
    assert_eq!(found.unknowns[3].on, [(1, Kind::Dependent), (3, Kind::Fixed)]);
}

#[test]
fn lifted_code_reads_tables_by_every_scalar() {
    fn torque<S: Scalar>(table: &Table1D, speed: S) -> S {
        table.at(speed.abs()) * speed.signum()
    }
    let table = Table1D::new(X, Y).unwrap();
    assert_eq!(torque(&table, -1.25), -2.75);
    assert_eq!(torque(&table, Dual::<1>::variable(-1.25, 0)).lanes, [5.0 / 3.0]);
}
