//! Many connections between the same two blocks become one, as cables do.

use std::collections::BTreeMap;

use super::{Diagram, Line, Port};

/// More connections than this between two blocks are bundled.
const MANY: usize = 6;

pub(super) fn bundled(diagram: &Diagram) -> Diagram {
    let mut diagram = diagram.clone();
    let mut pairs: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (number, line) in diagram.lines.iter().enumerate() {
        // An output that feeds other inputs too keeps its port, and each line of a loop stays visible.
        let alone = |other: &Line| other.from != line.from || other.to == line.to;
        if line.part_of.is_none() && diagram.lines.iter().all(alone) {
            pairs.entry((line.from.0, line.to.0)).or_default().push(number);
        }
    }
    let mut outputs: Vec<Vec<usize>> = places(&diagram, |block| block.outputs.len());
    let mut inputs: Vec<Vec<usize>> = places(&diagram, |block| block.inputs.len());
    let mut superfluous = vec![false; diagram.lines.len()];
    for ((from, to), lines) in pairs.into_iter().filter(|(_, lines)| lines.len() > MANY) {
        let (first, last) = (diagram.lines[lines[0]], diagram.lines[lines[lines.len() - 1]]);
        for &number in &lines {
            let line = diagram.lines[number];
            outputs[from][line.from.1] = first.from.1;
            inputs[to][line.to.1] = first.to.1;
            superfluous[number] = number != lines[0];
        }
        diagram.lines[lines[0]].count = lines.len();
        rename(
            &mut diagram.blocks[from].outputs,
            first.from.1,
            last.from.1,
            lines.len(),
        );
        rename(&mut diagram.blocks[to].inputs, first.to.1, last.to.1, lines.len());
    }
    for (number, block) in diagram.blocks.iter_mut().enumerate() {
        keep(&mut block.inputs, &mut inputs[number]);
        keep(&mut block.outputs, &mut outputs[number]);
        for (input, output, _) in &mut block.feed_through {
            (*input, *output) = (inputs[number][*input], outputs[number][*output]);
        }
        block.feed_through.sort_unstable();
        block.feed_through.dedup();
    }
    let mut superfluous = superfluous.into_iter();
    diagram.lines.retain(|_| superfluous.next() != Some(true));
    for line in &mut diagram.lines {
        line.from.1 = outputs[line.from.0][line.from.1];
        line.to.1 = inputs[line.to.0][line.to.1];
    }
    diagram
}

/// For each port of each block, the port that replaces it: at first itself.
fn places(diagram: &Diagram, count: impl Fn(&super::Block) -> usize) -> Vec<Vec<usize>> {
    let blocks = diagram.blocks.iter();
    blocks.map(|block| (0..count(block)).collect()).collect()
}

fn rename(ports: &mut [Port], first: usize, last: usize, count: usize) {
    ports[first].name = format!("{} ... {} ({count})", ports[first].name, ports[last].name);
}

/// Removes the ports that were replaced by others, and renumbers the rest.
fn keep(ports: &mut Vec<Port>, places: &mut [usize]) {
    let mut left = Vec::new();
    let mut renumbered = vec![0; ports.len()];
    for (number, port) in ports.iter().enumerate() {
        if places[number] == number {
            renumbered[number] = left.len();
            left.push(port.clone());
        }
    }
    for place in places {
        *place = renumbered[*place];
    }
    *ports = left;
}
