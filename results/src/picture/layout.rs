//! Where blocks stand: in layers from left to right along the connections, in rows where there are many layers.

/// A block or a bend of a line, to be placed.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Position along the chain of layers.
    layer: usize,
    width: f64,
    height: f64,
    /// Centre, within its row of layers.
    y: f64,
}

/// A line between two blocks, with the heights of its ends below the upper edges of the blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub from_height: f64,
    pub to_height: f64,
}

/// Where everything stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Column and row of each block.
    pub cells: Vec<(usize, usize)>,
    /// The upper edge of each block, within its row.
    pub top: Vec<f64>,
    /// For each line that goes forward in one row: how high it is in each column that it passes.
    pub bends: Vec<Option<Vec<f64>>>,
    /// Widths of the columns.
    pub columns: Vec<f64>,
    /// Heights of the rows.
    pub rows: Vec<f64>,
}

/// Between blocks of a column, and between lines that pass.
const GAP: f64 = 34.0;
const BEND: f64 = 16.0;
/// More layers than this become rows.
const LONG: usize = 8;
const SWEEPS: usize = 12;

pub(super) fn layout(sizes: &[(f64, f64)], edges: &[Edge]) -> Layout {
    let order = acyclic(sizes.len(), edges);
    let layers = layers(&order, edges);
    let count = layers.iter().max().map_or(1, |last| last + 1);
    let rows = rows(sizes, &layers, count);
    let per_row = count.div_ceil(rows);
    let cell = |layer: usize| (layer % per_row, layer / per_row);

    let mut nodes: Vec<Node> = sizes
        .iter()
        .zip(&layers)
        .map(|(&(width, height), &layer)| Node {
            layer,
            width,
            height,
            y: 0.0,
        })
        .collect();
    // Lines that pass a layer bend there, so that they go around blocks.
    let mut segments: Vec<Edge> = Vec::new();
    let mut bends: Vec<Option<Vec<usize>>> = Vec::new();
    for edge in edges {
        let (from, to) = (layers[edge.from], layers[edge.to]);
        if from >= to || from / per_row != to / per_row {
            bends.push(None);
            continue;
        }
        let mut chain = Vec::new();
        let mut last = (edge.from, edge.from_height);
        for layer in from + 1..to {
            nodes.push(Node {
                layer,
                height: BEND,
                ..Node::default()
            });
            let bend = nodes.len() - 1;
            segments.push(Edge {
                from: last.0,
                from_height: last.1,
                to: bend,
                to_height: BEND / 2.0,
            });
            chain.push(bend);
            last = (bend, BEND / 2.0);
        }
        segments.push(Edge {
            from: last.0,
            from_height: last.1,
            ..*edge
        });
        bends.push(Some(chain));
    }
    place(&mut nodes, &segments, count);

    let mut layout = Layout {
        cells: layers.iter().map(|&layer| cell(layer)).collect(),
        columns: vec![0.0; per_row.min(count)],
        rows: vec![0.0; rows],
        ..Layout::default()
    };
    let upper = |node: &Node| node.y - node.height / 2.0;
    let mut highest = vec![f64::INFINITY; rows];
    for node in &nodes {
        let (column, row) = cell(node.layer);
        layout.columns[column] = layout.columns[column].max(node.width);
        highest[row] = highest[row].min(upper(node));
    }
    for node in &nodes {
        let (_, row) = cell(node.layer);
        layout.rows[row] = layout.rows[row].max(upper(node) + node.height - highest[row]);
    }
    let in_row = |node: &Node| upper(node) - highest[cell(node.layer).1];
    layout.top = nodes[..sizes.len()].iter().map(in_row).collect();
    let heights = |chain: Vec<usize>| {
        let middle = |&bend: &usize| in_row(&nodes[bend]) + BEND / 2.0;
        chain.iter().map(middle).collect()
    };
    layout.bends = bends.into_iter().map(|chain| chain.map(heights)).collect();
    layout
}

/// How many rows of layers make the whole somewhat wider than high.
fn rows(sizes: &[(f64, f64)], layers: &[usize], count: usize) -> usize {
    const RATIO: f64 = 1.7;
    if count <= LONG {
        return 1;
    }
    let mut heights = vec![0.0; count];
    for (size, layer) in sizes.iter().zip(layers) {
        heights[*layer] += size.1 + GAP;
    }
    let highest = heights.iter().copied().fold(0.0, f64::max);
    let widths: f64 = sizes.iter().map(|size| size.0).sum();
    let column = widths / sizes.len() as f64 + 2.0 * GAP;
    let rows = (count as f64 * column / (RATIO * (highest + GAP))).sqrt();
    (rows.round() as usize).clamp(1, count)
}

/// An order of the nodes with few edges that go back (Eades, Lin and Smyth 1993).
fn acyclic(count: usize, edges: &[Edge]) -> Vec<usize> {
    // Of the nodes that are left: edges that come in and go out.
    let (mut come, mut go) = (vec![0_usize; count], vec![0_usize; count]);
    let mut neighbours: Vec<Vec<(usize, bool)>> = vec![Vec::new(); count];
    for edge in edges.iter().filter(|edge| edge.from != edge.to) {
        come[edge.to] += 1;
        go[edge.from] += 1;
        neighbours[edge.from].push((edge.to, true));
        neighbours[edge.to].push((edge.from, false));
    }
    let mut left: Vec<usize> = (0..count).collect();
    let (mut front, mut back) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let source = left.iter().position(|&node| come[node] == 0);
        let sink = left.iter().position(|&node| go[node] == 0);
        let surplus = |node: usize| go[node] as isize - come[node] as isize;
        let chosen = source.or(sink).unwrap_or_else(|| {
            let mut best = 0;
            for place in 1..left.len() {
                if surplus(left[place]) > surplus(left[best]) {
                    best = place;
                }
            }
            best
        });
        let node = left.remove(chosen);
        match source.is_none() && sink.is_some() {
            true => back.push(node),
            false => front.push(node),
        }
        for &(other, outgoing) in &neighbours[node] {
            let degree = if outgoing {
                &mut come[other]
            } else {
                &mut go[other]
            };
            *degree = degree.saturating_sub(1);
        }
    }
    front.extend(back.into_iter().rev());
    front
}

/// Each node one layer behind the last of those that feed it; sources directly before the nodes that they feed.
fn layers(order: &[usize], edges: &[Edge]) -> Vec<usize> {
    let mut rank = vec![0; order.len()];
    for (position, &node) in order.iter().enumerate() {
        rank[node] = position;
    }
    let forward: Vec<&Edge> = edges
        .iter()
        .filter(|edge| rank[edge.from] < rank[edge.to])
        .collect();
    let mut layer = vec![0; order.len()];
    for &node in order {
        let before = forward.iter().filter(|edge| edge.to == node);
        layer[node] = before.map(|edge| layer[edge.from] + 1).max().unwrap_or(0);
    }
    for &node in order.iter().rev() {
        if forward.iter().any(|edge| edge.to == node) {
            continue;
        }
        let after = forward.iter().filter(|edge| edge.from == node);
        if let Some(first) = after.map(|edge| layer[edge.to]).min() {
            layer[node] = first - 1;
        }
    }
    layer
}

/// Orders the nodes of each layer by what they are connected to, and gives them heights.
fn place(nodes: &mut [Node], segments: &[Edge], count: usize) {
    let mut touching: Vec<Vec<Edge>> = vec![Vec::new(); nodes.len()];
    for edge in segments {
        touching[edge.from].push(*edge);
        touching[edge.to].push(*edge);
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, node) in nodes.iter().enumerate() {
        members[node.layer].push(number);
    }
    for layer in &members {
        let mut y = 0.0;
        for &node in layer {
            nodes[node].y = y + nodes[node].height / 2.0;
            y += nodes[node].height + GAP;
        }
    }
    for sweep in 0..SWEEPS {
        let forward = sweep % 2 == 0;
        for step in 0..count {
            let layer = if forward { step } else { count - 1 - step };
            let mut wanted: Vec<(f64, usize)> = members[layer]
                .iter()
                .map(|&node| {
                    (
                        wish(nodes, &touching[node], node, forward, sweep + 2 >= SWEEPS),
                        node,
                    )
                })
                .collect();
            // Towards the end only heights change, not the order.
            if sweep < SWEEPS - 4 {
                wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
                members[layer] = wanted.iter().map(|(_, node)| *node).collect();
            }
            stack(nodes, &wanted);
        }
    }
}

/// The height at which the lines of a node would be straight; those on one side count, or on both.
fn wish(nodes: &[Node], touching: &[Edge], node: usize, from_left: bool, both: bool) -> f64 {
    let top = |node: usize| nodes[node].y - nodes[node].height / 2.0;
    let (mut sum, mut lines) = (0.0, 0.0);
    for edge in touching {
        if edge.to == node && (from_left || both) {
            sum += top(edge.from) + edge.from_height - edge.to_height;
        } else if edge.from == node && (!from_left || both) {
            sum += top(edge.to) + edge.to_height - edge.from_height;
        } else {
            continue;
        }
        lines += 1.0;
    }
    match lines {
        0.0 => nodes[node].y,
        _ => sum / lines + nodes[node].height / 2.0,
    }
}

/// Puts the nodes of a layer, in this order, as near as possible to where they want to be: those that would overlap form a
/// pile that moves as one.
fn stack(nodes: &mut [Node], wanted: &[(f64, usize)]) {
    // Piles: sum of wishes for the centre of the first, how many, first member.
    let mut piles: Vec<(f64, f64, usize)> = Vec::new();
    let mut offsets = vec![0.0; wanted.len()];
    for (index, &(wish, node)) in wanted.iter().enumerate() {
        if index > 0 {
            let before = &nodes[wanted[index - 1].1];
            let small = before.height.min(nodes[node].height) <= BEND;
            let gap = if small { BEND } else { GAP };
            offsets[index] = offsets[index - 1] + (before.height + nodes[node].height) / 2.0 + gap;
        }
        piles.push((wish - offsets[index], 1.0, index));
        while let [.., (sum1, count1, _), (sum2, count2, _)] = piles[..] {
            if sum1 / count1 <= sum2 / count2 {
                break;
            }
            piles.pop();
            if let Some(pile) = piles.last_mut() {
                (pile.0, pile.1) = (sum1 + sum2, count1 + count2);
            }
        }
    }
    for (number, &(sum, count, first)) in piles.iter().enumerate() {
        let end = piles.get(number + 1).map_or(wanted.len(), |next| next.2);
        for index in first..end {
            nodes[wanted[index].1].y = sum / count + offsets[index];
        }
    }
}
