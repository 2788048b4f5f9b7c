//! Dependencies and their kinds, from equations run with expressions.

use fmu_runtime::pattern::{Class, Exploration, Kind, UnknownDependencies, explore};
use fmu_runtime::scalar::{Scalar, Trace, solve};

use Class::{Discrete, Fixed, Input, State, Time, Tunable};

/// The indices alone.
fn on(dependencies: &UnknownDependencies) -> Vec<usize> {
    dependencies.on.iter().map(|&(known, _)| known).collect()
}

fn one(classes: &[Class], f: impl Fn(&[Trace]) -> Trace) -> UnknownDependencies {
    let found = explore(classes, |known| Some(vec![f(known)]));
    assert!(found.every_path);
    found.unknowns.into_iter().next().unwrap()
}

#[test]
fn kinds_are_those_of_the_factor() {
    let classes = [State, Fixed, Tunable, Discrete, Input, Time];
    let kinds = |f: fn(&[Trace]) -> Trace| one(&classes, f).on;
    assert_eq!(kinds(|k| k[0] * 3.0 - 1.0), [(0, Kind::Constant)]);
    assert_eq!(
        kinds(|k| -(k[0] + k[4]) / 2.0),
        [(0, Kind::Constant), (4, Kind::Constant)]
    );
    assert_eq!(kinds(|k| k[0] * k[1]), [(0, Kind::Fixed), (1, Kind::Dependent)]);
    assert_eq!(
        kinds(|k| k[0] * k[1].sin().max(k[1])),
        [(0, Kind::Fixed), (1, Kind::Dependent)]
    );
    assert_eq!(
        kinds(|k| k[0] / (k[1] + k[2])),
        [(0, Kind::Tunable), (1, Kind::Dependent), (2, Kind::Dependent)]
    );
    assert_eq!(
        kinds(|k| k[3] * k[0]),
        [(0, Kind::Discrete), (3, Kind::Dependent)]
    );
    assert_eq!(
        kinds(|k| k[4] * k[0]),
        [(0, Kind::Dependent), (4, Kind::Dependent)]
    );
    assert_eq!(kinds(|k| k[0].sin()), [(0, Kind::Dependent)]);
    assert_eq!(
        kinds(|k| k[0] * k[5]),
        [(0, Kind::Dependent), (5, Kind::Dependent)]
    );
    // Of one's own: a parameter alone is a term with factor 1, its square is not.
    assert_eq!(
        kinds(|k| k[1] + k[2] * k[1]),
        [(1, Kind::Tunable), (2, Kind::Fixed)]
    );
    assert_eq!(kinds(|k| k[1] * k[1]), [(1, Kind::Dependent)]);
    assert_eq!(kinds(|k| k[1].powi(2)), [(1, Kind::Dependent)]);
}

#[test]
fn what_cancels_out_is_no_dependency() {
    let classes = [State, State, Fixed];
    let all = |f: fn(&[Trace]) -> Trace| on(&one(&classes, f));
    assert!(all(|k| k[0] - k[0] + 1.0).is_empty());
    assert!(all(|k| k[0] * 0.0).is_empty());
    assert_eq!(all(|k| (k[0] + k[1]) - k[1] * 1.0 + k[0] * 0.0), [0]);
    assert_eq!(all(|k| k[2] * k[0] - k[0] * k[2] + k[1]), [1]);
    assert!(all(|k| k[0].powi(0) + k[1].powf(Trace::new(0.0))).is_empty());
}

#[test]
fn a_factor_chosen_by_a_decision_has_the_kind_of_the_decision() {
    let classes = [State, Fixed, Tunable, Discrete];
    let kinds = |f: fn(&[Trace]) -> Trace| one(&classes, f).on;
    assert_eq!(
        kinds(|k| if k[1] > 0.0 { k[0] * 2.0 } else { k[0] * 3.0 }),
        [(0, Kind::Fixed), (1, Kind::Dependent)]
    );
    assert_eq!(
        kinds(|k| if k[3] > 0.0 { k[0] * k[2] } else { k[0] * 3.0 }),
        [(0, Kind::Discrete), (2, Kind::Dependent), (3, Kind::Dependent)]
    );
    assert_eq!(
        kinds(|k| if k[0] > 0.0 { k[0] * 2.0 } else { k[0] * 3.0 }),
        [(0, Kind::Dependent)]
    );
    // The decision chooses the offset, and the factor is the same.
    assert_eq!(
        kinds(|k| if k[3] > 0.0 { k[0] * 2.0 + 1.0 } else { k[0] * 2.0 }),
        [(0, Kind::Constant), (3, Kind::Dependent)]
    );
    // The decision chooses whether it is there at all.
    assert_eq!(
        kinds(|k| if k[2] > 0.0 { k[0] } else { Trace::new(0.0) }),
        [(0, Kind::Tunable), (2, Kind::Dependent)]
    );
}

#[test]
fn a_decision_counts_exactly_when_the_expressions_differ() {
    let classes = [State; 4];
    let all = |f: fn(&[Trace]) -> Trace| on(&one(&classes, f));
    assert_eq!(all(|k| if k[0] > 0.0 { k[1] } else { k[2] }), [0, 1, 2]);
    assert_eq!(
        all(|k| if k[0] > 0.0 { k[1] + k[2] } else { k[2] + k[1] }),
        [1, 2]
    );
    // A branch inside a branch that makes no difference in the end.
    assert_eq!(
        all(|k| {
            let a = if k[0] > 0.0 { k[1] } else { -k[1] };
            if k[2] > 0.0 { a * 0.0 } else { a - a }
        }),
        []
    );
    // The comparison itself is of a value that a decision chose.
    assert_eq!(
        all(|k| {
            let a = if k[0] > 0.0 { k[1] } else { k[2] };
            if a > 1.0 { Trace::new(1.0) } else { Trace::new(2.0) }
        }),
        [0, 1, 2]
    );
    assert_eq!(
        all(|k| k[0].max(k[1]).clamp(Trace::new(-1.0), k[3]).abs()),
        [0, 1, 3]
    );
    assert_eq!(all(|k| if k[0].is_nan() { k[1] } else { k[2] }), [0, 1, 2]);
    assert_eq!(
        all(|k| match k[0].partial_cmp(&k[1]) {
            Some(std::cmp::Ordering::Equal) => Trace::new(0.0),
            Some(_) => Trace::new(1.0),
            None => k[3],
        }),
        [0, 1, 3]
    );
    // A sort compares all with all, but the sum does not care.
    assert_eq!(
        all(|k| {
            let mut sorted = [k[0], k[1], k[2]];
            sorted.sort_by(|a, b| a.total_cmp(b));
            sorted[1]
        }),
        [0, 1, 2]
    );
}

#[test]
fn comparisons_imply_each_other() {
    // The input shows only where x is both below 1 and above 2.
    let found = one(&[State, Input], |k| {
        let low = k[0] < 1.0;
        let high = k[0] > 2.0;
        if low && high { k[1] } else { k[0] }
    });
    assert_eq!(on(&found), [0]);
    let found = one(&[State, State, Input], |k| {
        let below = k[0] < k[1];
        if below && k[1] <= k[0] { k[2] } else { k[0] }
    });
    assert_eq!(on(&found), [0]);
}

#[test]
fn panics_and_paths_without_value_decide_nothing() {
    let found = one(&[State, State], |k| {
        assert!(k[0] > 0.0, "a domain error");
        k[1]
    });
    assert_eq!(found.on, [(1, Kind::Constant)]);
    let found = explore(&[State, State, State], |k| {
        if k[0] < 0.0 {
            return None;
        }
        Some(vec![if k[2] > 0.0 && k[0] < 0.0 { k[0] } else { k[1] }])
    });
    assert_eq!(on(&found.unknowns[0]), [1]);
}

#[test]
fn a_combination_of_twelve_flags_reveals_an_input() {
    // Not nested: no single flag shows any effect.
    let found = explore(&[State; 13], |k| {
        let flags: Vec<bool> = (0..12)
            .map(|i| if i % 3 == 0 { k[i] > 0.0 } else { k[i] <= 1.0 })
            .collect();
        let revealed = flags.iter().enumerate().all(|(i, &flag)| flag == (i % 2 == 0));
        Some(vec![if revealed { k[12] } else { Trace::new(0.0) }, k[3]])
    });
    assert!(found.every_path);
    assert_eq!(on(&found.unknowns[0]), (0..13).collect::<Vec<_>>());
    assert_eq!(found.unknowns[1].on, [(3, Kind::Constant)]);
}

fn nested(k: &[Trace], level: usize, levels: usize) -> Trace {
    if level == levels {
        return k[levels];
    }
    // Alternating, so that neither 'all yes' nor 'all no' gets there.
    let deeper = if level.is_multiple_of(2) {
        k[level] > 0.0
    } else {
        k[level] <= 0.0
    };
    if deeper {
        nested(k, level + 1, levels)
    } else {
        Trace::new(0.0)
    }
}

#[test]
fn twelve_nested_branches_reveal_an_input() {
    let found = one(&[State; 13], |k| nested(k, 0, 12));
    assert_eq!(on(&found), (0..13).collect::<Vec<_>>());
}

#[test]
fn nested_branches_are_found_among_many_others() {
    // Forty other decisions forbid running all paths.
    let found = explore(&[State; 60], |k| {
        let mut unknowns: Vec<Trace> = (20..60)
            .map(|i| if k[i] > 0.5 { k[i] * 2.0 } else { k[i].sin() })
            .collect();
        unknowns.push(nested(k, 0, 12));
        Some(unknowns)
    });
    assert!(!found.every_path);
    for (i, unknown) in found.unknowns[..40].iter().enumerate() {
        assert_eq!(unknown.on, [(i + 20, Kind::Dependent)]);
    }
    assert_eq!(on(&found.unknowns[40]), (0..13).collect::<Vec<_>>());
}

#[test]
fn flags_are_found_among_many_others() {
    let found = explore(&[State; 60], |k| {
        let mut unknowns: Vec<Trace> = (20..60)
            .map(|i| if k[i] > 0.5 { k[i] * 2.0 } else { k[i].sin() })
            .collect();
        let flags: Vec<bool> = (0..6).map(|i| k[i] > 0.0).collect();
        let odd = flags.iter().filter(|&&flag| flag).count() % 2 == 1;
        unknowns.push(if flags[0] && !flags[1] && flags[2] && !flags[3] && flags[4] {
            k[10]
        } else {
            k[11]
        });
        unknowns.push(if odd { k[12] } else { k[13] });
        Some(unknowns)
    });
    assert_eq!(on(&found.unknowns[40]), [0, 1, 2, 3, 4, 10, 11]);
    assert_eq!(on(&found.unknowns[41]), [0, 1, 2, 3, 4, 5, 12, 13]);
}

fn upwind(n: usize) -> Exploration {
    // Temperatures, then velocities, then the inflow.
    explore(&vec![State; 2 * n + 1], |k| {
        let (temperature, velocity, inflow) = (&k[..n], &k[n..2 * n], k[2 * n]);
        let mut derivatives = Vec::with_capacity(n);
        for i in 0..n {
            let left = if i == 0 { inflow } else { temperature[i - 1] };
            let right = if i + 1 == n {
                temperature[i]
            } else {
                temperature[i + 1]
            };
            let slope = if velocity[i] > 0.0 {
                temperature[i] - left
            } else {
                right - temperature[i]
            };
            derivatives.push(-velocity[i] * slope * n as f64);
        }
        Some(derivatives)
    })
}

#[test]
fn an_upwind_rod_has_four_entries_a_row() {
    let n = 100;
    let found = upwind(n);
    for (i, row) in found.unknowns.iter().enumerate() {
        let left = if i == 0 { 2 * n } else { i - 1 };
        let mut expected = vec![left, i, n + i];
        if i + 1 < n {
            expected.push(i + 1);
        }
        expected.sort_unstable();
        assert_eq!(on(row), expected, "row {i}: {:?}", row.dense);
    }
}

#[test]
fn neighbours_that_share_decisions_keep_their_own() {
    // The flux over a face is upwind, and each cell has two faces.
    let n = 100;
    let found = explore(&vec![State; n], |k| {
        let flux: Vec<Trace> = (0..=n)
            .map(|i| {
                let (left, right) = (k[i.saturating_sub(1)], k[i.min(n - 1)]);
                if left + right > 0.0 {
                    left * left
                } else {
                    right * right
                }
            })
            .collect();
        Some((0..n).map(|i| flux[i] - flux[i + 1]).collect())
    });
    for (i, row) in found.unknowns.iter().enumerate() {
        let expected: Vec<usize> = (i.saturating_sub(1)..=(i + 1).min(n - 1)).collect();
        assert_eq!(on(row), expected, "row {i}: {:?}", row.dense);
    }
}

#[test]
fn a_while_loop_makes_what_it_reaches_dense_and_nothing_else() {
    let found = explore(&[State; 5], |k| {
        let mut x = k[0];
        while (x * x - k[1]).abs() > 1e-9 {
            x = (x + k[1] / x) * 0.5;
        }
        Some(vec![x, k[2] * 2.0, if k[3] > 0.0 { k[2] } else { k[3] }])
    });
    let [root, linear, branch] = &found.unknowns[..] else {
        panic!("three unknowns")
    };
    assert_eq!(on(root), [0, 1, 2, 3, 4]);
    let reason = root.dense.as_deref().unwrap();
    assert!(
        reason.contains("decisions") && reason.contains("pattern.rs"),
        "{reason}"
    );
    assert_eq!(
        (linear.on.as_slice(), &linear.dense),
        ([(2, Kind::Constant)].as_slice(), &None)
    );
    assert_eq!((on(branch), &branch.dense), (vec![2, 3], &None));
}

#[test]
fn a_loop_that_ends_with_yes_comes_to_an_end_too() {
    let found = explore(&[State; 3], |k| {
        let mut x = k[0];
        loop {
            let next = x.cos() * k[1];
            if (next - x).abs() < 1e-9 {
                break;
            }
            x = next;
        }
        Some(vec![x, k[2]])
    });
    assert_eq!(on(&found.unknowns[0]), [0, 1, 2]);
    assert_eq!(on(&found.unknowns[1]), [2]);
}

#[test]
#[allow(clippy::while_immutable_condition)]
fn a_loop_that_nothing_ends_is_given_up() {
    let found = explore(&[State; 2], |k| {
        let mut x = k[0];
        // Nothing in the loop changes what it asks.
        while k[1] > 0.0 {
            x = -x;
        }
        Some(vec![x, k[1]])
    });
    for unknown in &found.unknowns {
        assert_eq!(on(unknown), [0, 1]);
        assert!(unknown.dense.as_deref().unwrap().contains("end"));
    }
}

#[test]
fn an_unknown_with_too_many_decisions_is_dense_and_says_where() {
    let n = 40;
    let found = explore(&vec![State; n + 1], |k| {
        let total: Trace = k[..n]
            .iter()
            .map(|&x| if x > 0.0 { x } else { Trace::new(0.0) })
            .sum();
        Some(vec![total, k[n]])
    });
    assert!(found.unknowns[0].dense.is_some());
    assert_eq!(on(&found.unknowns[0]).len(), n + 1);
    assert_eq!(
        found.unknowns[1],
        UnknownDependencies {
            on: vec![(n, Kind::Constant)],
            dense: None
        }
    );
}

#[test]
fn variables_of_other_types_take_part_by_their_values() {
    let found = explore(&[State, Discrete, Discrete], |k| {
        let resting = k[1].choose(2) == 1;
        let mode = k[2].choose(3);
        let speed = match mode {
            0 => k[0],
            1 => k[0] * 2.0,
            2 => k[0] * 3.0,
            _ => unreachable!("three modes"),
        };
        Some(vec![if resting { Trace::new(0.0) } else { k[0] }, speed, k[0]])
    });
    assert_eq!(found.unknowns[0].on, [(0, Kind::Discrete), (1, Kind::Dependent)]);
    assert_eq!(found.unknowns[1].on, [(0, Kind::Discrete), (2, Kind::Dependent)]);
    assert_eq!(found.unknowns[2].on, [(0, Kind::Constant)]);
}

#[test]
fn a_linear_solve_depends_on_what_it_solves_and_decides_nothing_else() {
    // Two blocks that are not coupled; mass matrix of parameters.
    let found = explore(&[Fixed, State, State, State], |k| {
        let (m, zero) = (k[0], Trace::new(0.0));
        let a = [
            [m, Trace::new(1.0), zero],
            [Trace::new(1.0), m, zero],
            [zero, zero, k[3]],
        ];
        solve(a, [k[1], k[2], k[1]]).map(|x| x.to_vec())
    });
    assert_eq!(
        found.unknowns[0].on,
        [(0, Kind::Dependent), (1, Kind::Fixed), (2, Kind::Fixed)]
    );
    assert_eq!(
        found.unknowns[1].on,
        [(0, Kind::Dependent), (1, Kind::Fixed), (2, Kind::Fixed)]
    );
    assert_eq!(found.unknowns[2].on, [(1, Kind::Dependent), (3, Kind::Dependent)]);
}

#[test]
fn a_heat_rod_has_three_entries_a_row_whatever_its_length() {
    let n = 10_000;
    let mut classes = vec![State; n];
    classes.push(Fixed);
    let found = explore(&classes, |k| {
        let conductivity = k[n] * (n * n) as f64;
        let rate = |i: usize| {
            let left = if i == 0 { Trace::new(300.0) } else { k[i - 1] };
            let right = if i + 1 == n { k[i] } else { k[i + 1] };
            conductivity * (left - k[i] * 2.0 + right)
        };
        Some((0..n).map(rate).collect())
    });
    assert!(found.every_path && found.runs == 1);
    for (i, row) in found.unknowns.iter().enumerate() {
        assert!(
            row.on.len() <= 4 && row.on.contains(&(i, Kind::Fixed)) && row.on.contains(&(n, Kind::Dependent))
        );
    }
    assert_eq!(
        found.unknowns[5].on[..3],
        [(4, Kind::Fixed), (5, Kind::Fixed), (6, Kind::Fixed)]
    );
}

#[test]
fn a_sum_of_everything_takes_no_deep_recursion() {
    let n = 100_000;
    let small_stack = std::thread::Builder::new().stack_size(256 * 1024);
    let handle = small_stack.spawn(move || {
        let found = explore(&vec![State; n], |k| {
            Some(vec![k.iter().sum::<Trace>() / n as f64])
        });
        assert_eq!(found.unknowns[0].on.len(), n);
        assert!(
            found.unknowns[0]
                .on
                .iter()
                .all(|&(_, kind)| kind == Kind::Constant)
        );
    });
    handle.unwrap().join().unwrap();
}

#[test]
fn a_branch_with_far_more_decisions_than_the_others_is_not_left_out() {
    // Only one side of the first decision has many; whichever side is met first, the other counts as well.
    for long_side in [false, true] {
        let n = 500;
        let found = explore(&vec![State; n + 2], |k| {
            let mut cells: Vec<Trace> = vec![k[n]; n];
            if (k[n + 1] > 0.0) == long_side {
                for (cell, &x) in cells.iter_mut().zip(k) {
                    *cell = if x > 0.0 { x } else { -k[n] };
                }
            }
            Some(cells)
        });
        for (i, unknown) in found.unknowns.iter().enumerate() {
            let on = on(unknown);
            for known in [i, n, n + 1] {
                assert!(on.contains(&known), "cell {i}: {on:?}");
            }
        }
    }
}

#[test]
fn a_long_loop_that_asks_one_question_has_its_values() {
    let found = explore(&[State, State, Input], |k| {
        let mut count = 0;
        if k[0] > 0.0 {
            for _ in 0..3_000_000 {
                count += usize::from(k[1] > 0.0);
            }
        }
        Some(vec![if count == 3_000_000 { k[2] } else { k[0] }])
    });
    assert_eq!(on(&found.unknowns[0]), [0, 1, 2]);
}

#[test]
fn a_combination_of_flags_is_found_among_many_others() {
    // Twelve flags that show nothing one by one, and forty decisions that forbid running all paths; the same in a
    // loop, where every cell has its own flags.
    let found = explore(&[State; 80], |k| {
        let mut unknowns: Vec<Trace> = (20..60)
            .map(|i| if k[i] > 0.5 { k[i] * 2.0 } else { k[i].sin() })
            .collect();
        let flags = [
            k[0] > 0.0,
            k[1] <= 1.0,
            k[2] <= 1.0,
            k[3] > 0.0,
            k[4] <= 1.0,
            k[5] <= 1.0,
            k[6] > 0.0,
            k[7] <= 1.0,
            k[8] <= 1.0,
            k[9] > 0.0,
        ];
        let revealed = flags.iter().enumerate().all(|(i, &flag)| flag == (i % 2 == 0));
        unknowns.push(if revealed { k[12] } else { Trace::new(0.0) });
        Some(unknowns)
    });
    assert_eq!(on(&found.unknowns[40]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12]);
}
