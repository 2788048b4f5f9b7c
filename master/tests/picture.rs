//! Pictures of coupled systems: nothing on top of something else, nothing outside, nothing left out.

use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::picture;

/// Components `c0`, `c1`, ... with an output `y` each, and inputs `u0`, `u1`, ... connected to these components.
fn coupling(sources: &[Vec<usize>], feed_through: bool) -> Coupling {
    let mut coupling = Coupling::default();
    for (number, from) in sources.iter().enumerate() {
        let input = |(index, &output): (usize, &usize)| Input {
            name: format!("c{number}.u{index}"),
            link: Link::Output {
                output,
                gain: 1.0,
                offset: 0.0,
            },
        };
        let output = Output {
            name: format!("c{number}.y"),
            nominal: 1.0,
            feed_through: (0..from.len()).filter(|_| feed_through).collect(),
        };
        let inputs = from.iter().enumerate().map(input).collect();
        coupling.add(&format!("c{number}"), inputs, vec![output]);
    }
    coupling
}

fn attribute(line: &str, name: &str) -> f64 {
    let begin = line.find(&format!(" {name}=\"")).expect(name) + name.len() + 3;
    let end = begin + line[begin..].find('"').expect("an end");
    line[begin..end].parse().expect("a number")
}

/// The blocks: left, top, right, bottom.
fn blocks(svg: &str) -> Vec<[f64; 4]> {
    let lines = svg
        .lines()
        .filter(|line| line.starts_with("<rect x=") && line.contains("rx=\"6\""));
    lines
        .map(|line| {
            let (x, y) = (attribute(line, "x"), attribute(line, "y"));
            [x, y, x + attribute(line, "width"), y + attribute(line, "height")]
        })
        .collect()
}

/// All corners of all connections.
fn points(svg: &str) -> Vec<(f64, f64)> {
    let paths = svg
        .lines()
        .filter(|line| line.starts_with("<path d=\"M") && line.contains("stroke-width"));
    let mut points = Vec::new();
    for path in paths {
        let data = path.split('"').nth(1).expect("a path");
        let numbers: Vec<f64> = data
            .split(|character: char| character.is_ascii_alphabetic() || character == ' ')
            .filter_map(|number| number.parse().ok())
            .collect();
        points.extend(numbers.chunks(2).map(|pair| (pair[0], pair[1])));
    }
    points
}

#[test]
fn blocks_never_overlap_and_everything_is_inside() {
    // A ring, a star, a chain, everybody with everybody, and something irregular.
    let shapes: [(&str, Vec<Vec<usize>>); 5] = [
        ("ring", (0..50).map(|k| vec![(k + 49) % 50]).collect()),
        (
            "star",
            (0..20)
                .map(|k| if k == 0 { (1..20).collect() } else { vec![0] })
                .collect(),
        ),
        (
            "chain",
            (0..12)
                .map(|k: usize| k.checked_sub(1).into_iter().collect())
                .collect(),
        ),
        (
            "all",
            (0..6)
                .map(|k| (0..6).filter(|other| *other != k).collect())
                .collect(),
        ),
        (
            "knot",
            (0..50)
                .map(|k| vec![(7 * k + 3) % 50, (k * k + 11) % 50, (k + 1) % 50])
                .collect(),
        ),
    ];
    for (name, shape) in shapes {
        let svg = picture::of(name, &coupling(&shape, true)).to_svg();
        let blocks = blocks(&svg);
        assert_eq!(blocks.len(), shape.len(), "{name}");
        let first = svg.lines().next().expect("a line");
        let (width, height) = (attribute(first, "width"), attribute(first, "height"));
        for (number, a) in blocks.iter().enumerate() {
            assert!(
                a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= width && a[3] <= height,
                "{name}"
            );
            for b in &blocks[..number] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                assert!(apart, "{name}: {a:?} {b:?}");
            }
        }
        for (x, y) in points(&svg) {
            assert!(
                (0.0..=width).contains(&x) && (0.0..=height).contains(&y),
                "{name}: {x} {y}"
            );
        }
        assert!(width < 4000.0 && height < 6000.0, "{name}: {width} x {height}");
    }
}

#[test]
fn data_flows_from_left_to_right() {
    let chain: Vec<Vec<usize>> = vec![vec![], vec![0], vec![1], vec![2]];
    let blocks = blocks(&picture::of("chain", &coupling(&chain, true)).to_svg());
    for pair in blocks.windows(2) {
        assert!(pair[0][2] < pair[1][0]);
    }
}

#[test]
fn algebraic_loops_are_distinguished_from_loops_of_components() {
    let pair = [vec![1], vec![0]];
    let algebraic = picture::of("pair", &coupling(&pair, true)).to_svg();
    assert!(algebraic.contains("algebraic loop 1: "));
    assert!(algebraic.contains("feed-through"));
    let held = picture::of("pair", &coupling(&pair, false)).to_svg();
    assert!(!held.contains("algebraic loop") && !held.contains("stroke-dasharray"));
    assert!(held.contains("components that depend on each other"));
    let chain = picture::of("chain", &coupling(&[vec![], vec![0]], true)).to_svg();
    assert!(!chain.contains("depend on each other") && !chain.contains("algebraic loop"));
}

#[test]
fn many_connections_between_two_components_are_one_cable() {
    let mut coupling = Coupling::default();
    let output = |k: usize| Output {
        name: format!("a.y{k}"),
        nominal: 1.0,
        feed_through: Vec::new(),
    };
    let input = |k: usize| Input {
        name: format!("b.u{k}"),
        link: Link::Output {
            output: k,
            gain: 1.0,
            offset: 0.0,
        },
    };
    coupling.add("a", Vec::new(), (0..40).map(output).collect());
    coupling.add("b", (0..40).map(input).collect(), Vec::new());
    let svg = picture::of("cable", &coupling).to_svg();
    assert!(svg.contains("y0 ... y39 (40)") && svg.contains("u0 ... u39 (40)"));
    assert!(blocks(&svg).iter().all(|block| block[3] - block[1] < 100.0));
}

#[test]
fn names_are_text_and_not_markup() {
    let mut coupling = Coupling::default();
    coupling.add("a<b>&c", Vec::new(), Vec::new());
    let svg = picture::of("1 < 2", &coupling).to_svg();
    assert!(svg.contains("a&lt;b&gt;&amp;c") && svg.contains("1 &lt; 2"));
}
