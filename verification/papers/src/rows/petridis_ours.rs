//! Petridis and Clauss, table 1, rows whose equations are not printed: systems of ours with the same purpose, as many cycles
//! and as many FMUs. They are held to the published letters.

use super::petridis::{Example, all};
use crate::bench::{Bench, Result};
use crate::letters::Letter::{D, E, W, Y};
use crate::reference::{integrate, solve3};
use crate::table::Table;

/// A system of ours: what the paper wants of it, its equations, and how it is judged.
struct Ours {
    purpose: &'static str,
    equations: &'static str,
    example: Example,
}

const SYSTEMS: [Ours; 19] = [
    Ours {
        purpose: "straightforward, correct calling sequence",
        equations: "x' = 1 - x, z = 2 x + exp(-0.1 t) + 0.1 t, y = -z",
        example: Example {
            row: 1,
            variables: &["negative.y"],
            reference: row1,
            letters: [Y, Y, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "linear, diagonally dominant",
        equations: "3 x1 + 0.5 x2 + 0.2 x3 = 1, 0.1 x1 + 3 x2 + 0.5 x3 = t, 0.5 x1 + 0.2 x2 + 4 x3 = 1, y = x1 + x2 + x3",
        example: Example {
            row: 2,
            variables: &["sum.y"],
            reference: row2,
            letters: [D, Y, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "digital and analog variables, events",
        equations: "T' = (10 - T) / 5 + 4 on, s' = (T - s) / 0.3, off above s = 21, on below s = 19",
        example: Example {
            row: 3,
            variables: &["room.temperature", "sensor.y"],
            reference: row3,
            letters: [D, D, D],
            step: 0.1,
        },
    },
    Ours {
        purpose: "linear, not diagonally dominant",
        equations: "x1 + 4 x2 + 0.2 x3 = 1, 0.1 x1 + x2 + 4 x3 = t, 4 x1 + 0.2 x2 + x3 = 1, y = x1 + x2 + x3",
        example: Example {
            row: 4,
            variables: &["sum.y"],
            reference: row4,
            letters: [W, W, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "precision, step too large",
        equations: "x' = sin(5 t) - x, y = 2 x",
        example: Example {
            row: 6,
            variables: &["twice.y"],
            reference: row6,
            letters: [D, D, D],
            step: 0.1,
        },
    },
    Ours {
        purpose: "precision, iterations needed",
        equations: "x1 = -x2, x2' = (x1 - x2) / 2, y = exp(-t) - x2",
        example: Example {
            row: 8,
            variables: &["x2.y"],
            reference: row8,
            letters: [D, Y, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "nonlinear equation",
        equations: "x = exp(-y), y = 1.2 x + 0.1, z = x + y",
        example: Example {
            row: 9,
            variables: &["sum.y"],
            reference: row9,
            letters: [W, Y, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "as row 10, other directions",
        equations: "those of row 10; branch 1 gives the voltage of the node",
        example: Example {
            row: 11,
            variables: &["branch1.v"],
            reference: super::petridis::row10,
            letters: [W, E, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "as row 10, other directions",
        equations: "those of row 10; the node has the resistors, branches give their states",
        example: Example {
            row: 12,
            variables: &["node.between"],
            reference: super::petridis::row10,
            letters: [D, Y, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "as row 10, other directions",
        equations: "those of row 10; branch 2 gives the voltage of the node",
        example: Example {
            row: 13,
            variables: &["branch2.v"],
            reference: super::petridis::row10,
            letters: [W, E, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "extended circuit",
        equations: "those of row 12 twice, with swings of 1000 and -500 Ohm and a conductance of 0.001 S between the capacitors of both nodes",
        example: Example {
            row: 14,
            variables: &["node1.between", "node2.between"],
            reference: row14,
            letters: [D, Y, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "as row 10, jumping inputs",
        equations: "those of row 10 with sources that jump between 1 and -1 every 0.2 s and every 0.5 s",
        example: Example {
            row: 15,
            variables: &["node.vi"],
            reference: row15,
            letters: [W, E, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "Roessler, long interval",
        equations: "x' = -y - z, y' = x + 0.1 y, z' = 0.1 + z (x - 4), from (1, 1, 0.1), to t = 50, steps of 0.01",
        example: Example {
            row: 16,
            variables: &["x.x", "y.x"],
            reference: row16,
            letters: [W, D, D],
            step: 0.01,
        },
    },
    Ours {
        purpose: "retarded",
        equations: "x'(t) = -x(t - 1), x = 1 before t = 0, y = 2 x",
        example: Example {
            row: 17,
            variables: &["twice.y"],
            reference: row17,
            letters: [Y, Y, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "as row 5, another matrix",
        equations: "3 x1 + 0.2 x2 + (0.1 + t) x3 = 1, (0.1 + t) x1 + 4 x2 + 0.2 x3 = t, 0.2 x1 + (0.1 + t) x2 + 3 x3 = 1, y = x1 + x2 + x3",
        example: Example {
            row: 18,
            variables: &["sum.y"],
            reference: row18,
            letters: [W, W, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "linear, not contractive",
        equations: "x = 1 - 2 y, y = x",
        example: Example {
            row: 19,
            variables: &["x.y"],
            reference: row19,
            letters: [D, D, Y],
            step: 0.1,
        },
    },
    Ours {
        purpose: "as row 7, initialization",
        equations: "x1 = -x2 - w, x2' = x1, v = w + x2, w = v, which has no solution",
        example: Example {
            row: 20,
            variables: &["x2.y"],
            reference: super::petridis::row7,
            letters: [E, E, E],
            step: 0.1,
        },
    },
    Ours {
        purpose: "higher index, not exportable",
        equations: "those of row 23 with R_part2 = 0",
        example: Example {
            row: 21,
            variables: &["capacitor.x"],
            reference: super::petridis::row23,
            letters: [E, E, E],
            step: 0.1,
        },
    },
    Ours {
        purpose: "index, suitable direction",
        equations: "i = (2 - v) / 1 Ohm, v' = i / 10 F, v(0) = 1",
        example: Example {
            row: 22,
            variables: &["capacitor.y"],
            reference: row22,
            letters: [Y, Y, Y],
            step: 0.1,
        },
    },
];

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    for ours in &SYSTEMS {
        table.note(format!(
            "Row {} ({}), equations of ours: {}.",
            ours.example.row, ours.purpose, ours.equations
        ));
        all(bench, table, &ours.example)?;
    }
    Ok(())
}

fn row1(times: &[f64]) -> Vec<Vec<f64>> {
    let at = |t: &f64| vec![-(2.0 * (1.0 - (-t).exp()) + (-0.1 * t).exp() + 0.1 * t)];
    times.iter().map(at).collect()
}

/// Room and sensor, with the switch at the instant at which the sensor crosses a limit: steps of 0.1 ms.
fn row3(times: &[f64]) -> Vec<Vec<f64>> {
    let (mut on, mut x, mut now) = (true, vec![15.0, 15.0], 0.0);
    let mut rows = Vec::with_capacity(times.len());
    for &time in times {
        let steps = ((time - now) / 1e-4).round() as usize;
        for step in 0..steps {
            let span = [now + step as f64 * 1e-4, now + (step + 1) as f64 * 1e-4];
            let heating = if on { 4.0 } else { 0.0 };
            let ends = integrate(&span, &x, 1e-4, |_, x, dx| {
                dx[0] = (10.0 - x[0]) / 5.0 + heating;
                dx[1] = (x[0] - x[1]) / 0.3;
            });
            x.copy_from_slice(&ends[1]);
            on = if on { x[1] < 21.0 } else { x[1] <= 19.0 };
        }
        now = time;
        rows.push(x.clone());
    }
    rows
}

/// x' = sin(w t) - x from 0.
fn row6(times: &[f64]) -> Vec<Vec<f64>> {
    let w = 5.0;
    let at = |t: &f64| ((w * t).sin() - w * (w * t).cos() + w * (-t).exp()) / (1.0 + w * w);
    times.iter().map(|t| vec![2.0 * at(t)]).collect()
}

fn row8(times: &[f64]) -> Vec<Vec<f64>> {
    times.iter().map(|t| vec![(-t).exp()]).collect()
}

/// Voltages of two nodes, each between two capacitors behind resistors that swing in opposite directions.
fn row14(times: &[f64]) -> Vec<Vec<f64>> {
    use std::f64::consts::PI;
    let node = |t: f64, swing: f64, x: &[f64]| {
        let swing = swing * (0.2 * PI * t).sin();
        let (g1, g2) = (1.0 / (1001.0 + swing), 1.0 / (1001.0 - swing));
        let v = (g1 * x[0] + g2 * x[1] + 1e-4 * x[2]) / (g1 + g2 + 1e-4);
        (v, g1 * (v - x[0]), g2 * (v - x[1]))
    };
    let states = integrate(times, &[0.0; 6], 1e-3, |t, x, dx| {
        let (v, i1, i2) = node(t, 1000.0, &x[..3]);
        let (w, i3, i4) = node(t, -500.0, &x[3..]);
        dx[0] = 2.0 * (i1 + (3.0 * PI * t).sin() - x[0]);
        dx[1] = 2.0 * (i2 + (2.0 * PI * t).sin() - x[1]);
        dx[2] = 0.01 * (v - x[2]) + 0.1 * (x[5] - x[2]);
        dx[3] = 2.0 * (i3 + (PI * t).sin() - x[3]);
        dx[4] = 2.0 * (i4 + (1.5 * PI * t).sin() - x[4]);
        dx[5] = 0.01 * (w - x[5]) + 0.1 * (x[2] - x[5]);
    });
    let with_time = times.iter().zip(&states);
    with_time
        .map(|(&t, x)| vec![node(t, 1000.0, &x[..3]).0, node(t, -500.0, &x[3..]).0])
        .collect()
}

/// As row 10, with square waves; every jump is a communication point.
fn row15(times: &[f64]) -> Vec<Vec<f64>> {
    let square = |t: f64, half: f64| {
        if ((t / half + 1e-6).floor() as i64) % 2 == 0 {
            1.0
        } else {
            -1.0
        }
    };
    let mut x = vec![0.0; 3];
    let mut rows = Vec::with_capacity(times.len());
    let mut now = 0.0;
    for &time in times {
        if time > now {
            let middle = 0.5 * (now + time);
            let sources = [square(middle, 0.2), square(middle, 0.5)];
            let ends = integrate(&[now, time], &x, 1e-3, |t, x, dx| {
                let (_, ii1, ii2) = super::petridis::node(t, x);
                dx[0] = 2.0 * (ii1 + sources[0] - x[0]);
                dx[1] = 2.0 * (ii2 + sources[1] - x[1]);
                dx[2] = -100.0 * (ii1 + ii2);
            });
            x.copy_from_slice(&ends[1]);
            now = time;
        }
        rows.push(vec![super::petridis::node(time, &x).0]);
    }
    rows
}

/// The method of steps: the sum of (-1)^k (t - k + 1)^k / k! up to k = t + 1.
fn row17(times: &[f64]) -> Vec<Vec<f64>> {
    let at = |&t: &f64| {
        let (mut sum, mut factorial) = (1.0, 1.0);
        for k in 1..=(t + 1.0).floor() as i32 {
            factorial *= -f64::from(k);
            sum += (t - f64::from(k) + 1.0).powi(k) / factorial;
        }
        vec![2.0 * sum]
    };
    times.iter().map(at).collect()
}

fn row18(times: &[f64]) -> Vec<Vec<f64>> {
    let at = |&t: &f64| {
        let matrix = [[3.0, 0.2, 0.1 + t], [0.1 + t, 4.0, 0.2], [0.2, 0.1 + t, 3.0]];
        vec![solve3(matrix, [1.0, t, 1.0]).iter().sum()]
    };
    times.iter().map(at).collect()
}

fn sums(times: &[f64], matrix: [[f64; 3]; 3]) -> Vec<Vec<f64>> {
    let at = |&t: &f64| vec![solve3(matrix, [1.0, t, 1.0]).iter().sum()];
    times.iter().map(at).collect()
}

fn row2(times: &[f64]) -> Vec<Vec<f64>> {
    sums(times, [[3.0, 0.5, 0.2], [0.1, 3.0, 0.5], [0.5, 0.2, 4.0]])
}

fn row4(times: &[f64]) -> Vec<Vec<f64>> {
    sums(times, [[1.0, 4.0, 0.2], [0.1, 1.0, 4.0], [4.0, 0.2, 1.0]])
}

/// x = exp(-1.2 x - 0.1) by bisection.
fn row9(times: &[f64]) -> Vec<Vec<f64>> {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let x: f64 = 0.5 * (low + high);
        match x > (-1.2 * x - 0.1).exp() {
            true => high = x,
            false => low = x,
        }
    }
    vec![vec![low + 1.2 * low + 0.1]; times.len()]
}

fn row16(times: &[f64]) -> Vec<Vec<f64>> {
    integrate(times, &[1.0, 1.0, 0.1], 1e-3, |_, x, dx| {
        dx[0] = -x[1] - x[2];
        dx[1] = x[0] + 0.1 * x[1];
        dx[2] = 0.1 + x[2] * (x[0] - 4.0);
    })
}

fn row19(times: &[f64]) -> Vec<Vec<f64>> {
    vec![vec![1.0 / 3.0]; times.len()]
}

fn row22(times: &[f64]) -> Vec<Vec<f64>> {
    times.iter().map(|t| vec![2.0 - (-0.1 * t).exp()]).collect()
}
