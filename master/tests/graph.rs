//! Loops and orders, on the examples of Andersson (2016), chapter 5.

use fmu_master::graph::{Block, Structure, strongly_connected};

/// The inputs of a component, and its outputs with the inputs that each depends on.
type Component<'a> = (&'a [&'a str], &'a [(&'a str, &'a [&'a str])]);

/// Builds a structure from the outputs of each component, by name, with the inputs that feed through, and from
/// connections.
fn structure(components: &[Component], connections: &[(&str, &str)]) -> (Structure, Vec<String>) {
    let mut structure = Structure {
        components: components.len(),
        ..Structure::default()
    };
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (component, (own_inputs, _)) in components.iter().enumerate() {
        for input in *own_inputs {
            inputs.push(input.to_string());
            structure.inputs.push(component);
        }
    }
    let position = |names: &[String], name: &str| names.iter().position(|other| other == name).unwrap();
    for (component, (_, own_outputs)) in components.iter().enumerate() {
        for (output, through) in *own_outputs {
            outputs.push(output.to_string());
            structure.outputs.push(component);
            let through = through.iter().map(|input| position(&inputs, input)).collect();
            structure.feed_through.push(through);
        }
    }
    structure.sources = vec![None; inputs.len()];
    for (from, to) in connections {
        structure.sources[position(&inputs, to)] = Some(position(&outputs, from));
    }
    (structure, outputs)
}

/// The blocks by the names of their outputs; a loop in brackets.
fn shown(order: &[Block], outputs: &[String]) -> Vec<String> {
    let names = |list: &[usize]| {
        list.iter()
            .map(|&output| outputs[output].as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    order
        .iter()
        .map(|block| match block {
            Block::Evaluation { outputs, .. } => names(outputs),
            Block::Loop { outputs, .. } => format!("[{}]", names(outputs)),
        })
        .collect()
}

#[test]
fn components_come_in_the_order_of_evaluation() {
    assert_eq!(strongly_connected(&[]), Vec::<Vec<usize>>::new());
    // A long chain, and a long ring: no recursion.
    let n = 200_000;
    let chain: Vec<Vec<usize>> = (0..n)
        .map(|i| if i + 1 < n { vec![i + 1] } else { vec![] })
        .collect();
    let order = strongly_connected(&chain);
    assert!(order.iter().flatten().eq((0..n).rev().collect::<Vec<_>>().iter()));
    let ring: Vec<Vec<usize>> = (0..n).map(|i| vec![(i + 1) % n]).collect();
    assert_eq!(strongly_connected(&ring).len(), 1);
}

/// Example 5.0.1: no loop, so no guess of an input is ever used.
#[test]
fn a_division_by_an_input_waits_for_it() {
    let (structure, outputs) = structure(
        &[(&["u1"], &[("y1", &[])]), (&["u2"], &[("y2", &["u2"])])],
        &[("y1", "u2"), ("y2", "u1")],
    );
    assert_eq!(shown(&structure.order().blocks, &outputs), ["y1", "y2"]);
}

/// Example 5.1.1: y1 of the first and third and both of the second model go around.
#[test]
fn one_more_dependency_closes_a_loop() {
    let (structure, outputs) = structure(
        &[
            (&["u11", "u12"], &[("y11", &["u12"]), ("y12", &["u11"])]),
            (&["u21", "u22"], &[("y21", &["u21", "u22"]), ("y22", &["u21"])]),
            (&["u31", "u32"], &[("y31", &["u32"]), ("y32", &["u31"])]),
        ],
        &[
            ("y11", "u21"),
            ("y12", "u22"),
            ("y22", "u31"),
            ("y21", "u32"),
            ("y31", "u12"),
        ],
    );
    let order = structure.order();
    assert_eq!(
        shown(&order.blocks, &outputs),
        ["y12", "[y11 y21 y31]", "y22", "y32"]
    );
    let (_, inputs) = order.loops().next().unwrap();
    // u12, u21, u32: the entries of Figure 5.4.
    assert_eq!(inputs, [1, 2, 5]);
}

/// Example 5.2.1: whichever comes first, both outputs of the second model take one evaluation.
#[test]
fn an_order_that_is_not_unique_is_chosen_for_few_evaluations() {
    let (structure, outputs) = structure(
        &[
            (&["u11"], &[("y11", &["u11"])]),
            (&["u21", "u22"], &[("y21", &["u22"]), ("y22", &["u21"])]),
        ],
        &[("y11", "u21"), ("y11", "u22")],
    );
    assert_eq!(structure.plain_order().evaluations(&structure), 3);
    let order = structure.order();
    assert_eq!(shown(&order.blocks, &outputs), ["y11", "y21 y22"]);
}

/// Section 5.3.1: five models. Its figure is not in words; this is a graph with what the text says of it: y1 and y4 of
/// the first model feed no feed-through, one loop of u1, y1 of the third and u3, y2 of the fifth model, and the pairs
/// y2, y3 of the first and y1, y2 of the second model that can be joined.
#[test]
fn five_models() {
    let (structure, outputs) = structure(
        &[
            (
                &["u11", "u12"],
                &[
                    ("y11", &["u11"]),
                    ("y12", &["u11"]),
                    ("y13", &["u12"]),
                    ("y14", &["u12"]),
                ],
            ),
            (&["u21", "u22"], &[("y21", &["u21"]), ("y22", &["u22"])]),
            (&["u31", "u32"], &[("y31", &["u31"])]),
            (&["u41"], &[("y41", &[])]),
            (
                &["u51", "u52", "u53"],
                &[("y51", &["u51"]), ("y52", &["u52", "u53"])],
            ),
        ],
        &[
            ("y41", "u11"),
            ("y41", "u12"),
            ("y12", "u21"),
            ("y13", "u22"),
            ("y21", "u51"),
            ("y22", "u52"),
            ("y52", "u31"),
            ("y31", "u53"),
            ("y11", "u32"),
            ("y14", "u41"),
        ],
    );
    let (plain, order) = (structure.plain_order(), structure.order());
    assert_eq!(plain.evaluations(&structure), 10);
    assert_eq!(
        shown(&order.blocks, &outputs),
        ["y41", "y11 y12 y13 y14", "y21 y22", "[y31 y52]", "y51"]
    );
    assert_eq!(order.evaluations(&structure), 6);
}

/// A hub with many outputs, half of which depend on the other half through other components: two evaluations, no cycle.
#[test]
fn outputs_that_depend_on_each_other_are_not_joined() {
    let (structure, outputs) = structure(
        &[
            (
                &["a", "b"],
                &[("y1", &[]), ("y2", &["a"]), ("y3", &["b"]), ("y4", &[])],
            ),
            (&["c"], &[("z", &["c"])]),
        ],
        &[("y1", "c"), ("z", "a"), ("y2", "b")],
    );
    assert_eq!(
        shown(&structure.order().blocks, &outputs),
        ["y1 y4", "z", "y2", "y3"]
    );
}

/// Each output of the hub comes after what it depends on, whatever was joined.
#[test]
fn joined_blocks_keep_the_order() {
    let mut seed = 7u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    for _ in 0..300 {
        let components = 2 + random(5);
        let (inputs, outputs) = (1 + random(12), 1 + random(12));
        let mut structure = Structure {
            components,
            inputs: (0..inputs).map(|_| random(components)).collect(),
            outputs: (0..outputs).map(|_| random(components)).collect(),
            ..Structure::default()
        };
        structure.sources = (0..inputs)
            .map(|_| Some(random(outputs)).filter(|_| random(4) > 0))
            .collect();
        structure.feed_through = (0..outputs)
            .map(|output| {
                (0..inputs)
                    .filter(|&input| structure.inputs[input] == structure.outputs[output] && random(2) == 0)
                    .collect()
            })
            .collect();
        let dependencies = structure.dependencies();
        let (plain, order) = (structure.plain_order(), structure.order());
        assert!(order.evaluations(&structure) <= plain.evaluations(&structure));
        assert_eq!(plain.loops().count(), order.loops().count());
        let mut known = vec![false; outputs];
        for block in &order.blocks {
            let (Block::Evaluation { outputs, .. } | Block::Loop { outputs, .. }) = block;
            for &output in outputs {
                let inside = matches!(block, Block::Loop { .. });
                for &need in &dependencies[output] {
                    assert!(known[need] || inside && outputs.contains(&need));
                }
            }
            for &output in outputs {
                assert!(!std::mem::replace(&mut known[output], true));
            }
        }
        assert!(known.iter().all(|known| *known));
    }
}
