//! The linear systems of the table.

use crate::case::Case;
use crate::linear::Plant;
use crate::network::{Network, plant};

/// `tau x' = u - x`, `y = x`.
fn lag(tau: f64, x: f64) -> Plant {
    plant(&[&[-1.0 / tau]], &[&[1.0 / tau]], &[&[1.0]], &[], &[x])
}

/// `x' = u`, `y = x`.
fn integrator(x: f64) -> Plant {
    plant(&[&[0.0]], &[&[1.0]], &[&[1.0]], &[], &[x])
}

/// `y = gain u`.
fn gain(gain: f64) -> Plant {
    plant(&[], &[], &[&[]], &[&[gain]], &[])
}

/// A source: `y = sin(w t)` and its slope over w, from states of its own.
fn sine(w: f64) -> Plant {
    plant(
        &[&[0.0, w], &[-w, 0.0]],
        &[&[], &[]],
        &[&[1.0, 0.0]],
        &[],
        &[0.0, 1.0],
    )
}

/// `x' = -x + b u`, `y = c x + d u`.
fn first_order(b: f64, c: f64, d: f64) -> Plant {
    plant(&[&[-1.0]], &[&[b]], &[&[c]], &[&[d]], &[1.0])
}

pub fn cases() -> Vec<Case> {
    let network = |plants: Vec<Plant>, links: &[(usize, f64)]| Network {
        plants,
        links: links.to_vec(),
    };
    let decay = plant(&[&[-1.0]], &[&[]], &[&[1.0]], &[], &[1.0]);
    let mut cases = vec![
        Case::linear(
            "a lag and an integrator behind it",
            1.0,
            network(vec![decay.clone(), integrator(0.0)], &[(0, 1.0)]),
        ),
        Case::linear(
            "an integrator before its source",
            0.7,
            network(vec![integrator(0.0), decay.clone()], &[(1, 1.0)]),
        ),
        Case::linear(
            "a chain of four with a gain",
            0.15,
            network(
                vec![sine(3.0), lag(0.5, 0.0), gain(-2.0), lag(0.2, 1.0)],
                &[(0, 1.0), (1, 1.0), (2, 1.0)],
            ),
        ),
        Case::linear(
            "an oscillator in two parts",
            1.0,
            network(vec![integrator(1.0), integrator(0.0)], &[(1, 1.0), (0, -1.0)]),
        ),
        Case::linear(
            "a loop of gain -0.5 with feed-through",
            0.5,
            network(
                vec![first_order(1.0, 1.0, 0.5), first_order(0.5, -0.4, -1.0)],
                &[(1, 1.0), (0, 1.0)],
            ),
        ),
        Case::linear(
            "a loop of gain -1.8 with feed-through",
            0.4,
            network(
                vec![first_order(1.0, 0.1, 1.8), first_order(1.0, 0.1, -1.0)],
                &[(1, 1.0), (0, 1.0)],
            ),
        ),
        Case::linear(
            "a loop without states beside a source",
            0.5,
            network(
                // y2 = y1 + 0.6 y3, y3 = -0.5 y2.
                vec![
                    sine(2.0),
                    plant(&[], &[], &[&[]], &[&[1.0, 0.6]], &[]),
                    gain(-0.5),
                ],
                &[(0, 1.0), (2, 1.0), (1, 1.0)],
            ),
        ),
        Case::linear(
            "a ring of three",
            0.4,
            network(
                vec![lag(1.0, 1.0), lag(0.5, -1.0), lag(0.25, 0.5)],
                &[(2, -0.8), (0, 1.0), (1, 1.0)],
            ),
        ),
        Case::linear(
            "a ring of five",
            0.08,
            network(
                (0..5)
                    .map(|k| lag(0.3 + 0.2 * f64::from(k), f64::from(k - 2)))
                    .collect(),
                &[(4, -0.9), (0, 1.0), (1, -1.0), (2, 1.0), (3, 1.0)],
            ),
        ),
        Case::linear("one bad output among 100 quiet ones", 0.2, quiet()),
        Case::limited(
            "components that cannot interpolate",
            0.3,
            network(vec![integrator(1.0), integrator(0.0)], &[(1, 1.0), (0, -1.0)]),
            |_, can| can.input_derivatives = 0,
        ),
        Case::limited(
            "one component that cannot interpolate",
            0.2,
            network(
                vec![lag(1.0, 1.0), lag(0.5, -1.0), lag(0.25, 0.5)],
                &[(2, -0.8), (0, 1.0), (1, 1.0)],
            ),
            |number, can| can.input_derivatives = if number == 1 { 0 } else { 2 },
        ),
        Case::limited(
            "components that provide no derivatives",
            0.2,
            network(
                vec![sine(3.0), lag(0.5, 0.0), lag(0.3, 1.0)],
                &[(0, 1.0), (1, 1.0)],
            ),
            |_, can| {
                (can.output_derivatives, can.directional_derivatives) = (0, false);
                can.states = None;
            },
        ),
        Case::linear("a quarter car", 0.03, quarter_car()),
    ];
    cases.push(Case::linear(
        "a fast part beside a slow one",
        0.1,
        network(vec![lag(0.02, 0.0), lag(2.0, 1.0)], &[(1, 1.0), (0, -0.5)]),
    ));
    cases
}

/// A source that feeds a lag, whose 100 other outputs stay near 1.
fn quiet() -> Network {
    let rows: Vec<Vec<f64>> = (0..101)
        .map(|k| vec![if k == 0 { 1.0 } else { 0.0 }, if k == 0 { 0.0 } else { 1.0 }])
        .collect();
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let busy = plant(
        &[&[-1.0, 0.0], &[0.0, -1e-3]],
        &[&[1.0], &[0.0]],
        &rows,
        &[],
        &[0.0, 1.0],
    );
    Network {
        plants: vec![sine(4.0), busy],
        links: vec![(0, 1.0)],
    }
}

/// Andersson 2016, 6.2, in decimetres and 10 N: positions and velocities of both masses are of the size of 1.
fn quarter_car() -> Network {
    let (mw, mc, kw, kc, dc) = (40.0, 400.0, 150e3, 15e3, 1e3);
    // The wheel stands 1 dm below where the road wants it; velocities count in 10 dm/s.
    let chassis = plant(
        &[&[0.0, 10.0], &[-kc / mc / 10.0, -dc / mc]],
        &[&[0.0, 0.0], &[kc / mc / 10.0, dc / mc]],
        &[&[1.0, 0.0], &[0.0, 1.0]],
        &[],
        &[-1.0, 0.0],
    );
    let wheel = plant(
        &[&[0.0, 10.0], &[-(kw + kc) / mw / 10.0, -dc / mw]],
        &[&[0.0, 0.0], &[kc / mw / 10.0, dc / mw]],
        &[&[1.0, 0.0], &[0.0, 1.0]],
        &[],
        &[-1.0, 0.0],
    );
    Network {
        plants: vec![chassis, wheel],
        links: vec![(2, 1.0), (3, 1.0), (0, 1.0), (1, 1.0)],
    }
}
