//! The legend: explains the lines and colours that occur in a diagram.

use super::Diagram;
use super::svg::{GROUPS, LOOPS, stroke};

/// Samples with their meaning, for everything that occurs in the diagram.
pub(super) fn legend(diagram: &Diagram) -> Vec<(String, String)> {
    let line = |style: &str| format!("<path d=\"M0 0 H40\" fill=\"none\" {style}/>");
    let loops = diagram.loops();
    let mut legend = Vec::new();
    if !diagram.lines.is_empty() {
        let style = "stroke=\"#5b6b7b\" stroke-width=\"1.3\"";
        legend.push((line(style), "connection, from an output to an input".to_owned()));
    }
    if diagram.lines.iter().any(|line| line.count > 1) {
        let style = "stroke=\"#5b6b7b\" stroke-width=\"3.5\"";
        legend.push((
            line(style),
            "many connections between the same components".to_owned(),
        ));
    }
    if diagram.blocks.iter().any(|block| !block.feed_through.is_empty()) {
        let style = "stroke=\"#9aa5b1\" stroke-width=\"1\" stroke-dasharray=\"4 3\"";
        legend.push((
            line(style),
            "feed-through: the output depends on the input at the same time".to_owned(),
        ));
    }
    for number in 0..loops.min(LOOPS.len()) {
        let (colour, thick) = stroke(Some(number), 1);
        let style = format!("stroke=\"{colour}\" stroke-width=\"{thick}\"");
        let more = match loops.saturating_sub(LOOPS.len()) {
            rest if rest > 0 && number + 1 == LOOPS.len() => {
                format!(" (and {rest} more loops, in the same colours again)")
            }
            _ => String::new(),
        };
        let text = format!(
            "algebraic loop {}: {}{more}",
            number + 1,
            members(diagram, number)
        );
        legend.push((line(&style), text));
    }
    if diagram.blocks.iter().any(|block| block.group.is_some()) {
        let colours = GROUPS[0];
        legend.push((
            format!("<rect x=\"6\" y=\"-8\" width=\"28\" height=\"14\" rx=\"3\" fill=\"{colours}\" stroke=\"#3a4652\"/>"),
            "components that depend on each other; one colour per group".to_owned(),
        ));
    }
    let mut ports = diagram.blocks.iter().flat_map(|block| &block.inputs);
    if ports.any(|port| port.external) {
        let sample = "<circle cx=\"14\" cy=\"0\" r=\"3.5\" fill=\"white\" stroke=\"#5b6b7b\" stroke-width=\"1.3\"/>\
                      <path d=\"M18 0 H34\" stroke=\"#5b6b7b\" stroke-width=\"1.3\"/>";
        legend.push((sample.to_owned(), "given from outside".to_owned()));
    }
    legend
}

/// The names of the first few outputs of a loop.
fn members(diagram: &Diagram, number: usize) -> String {
    const FEW: usize = 5;
    let mut names: Vec<String> = Vec::new();
    for line in diagram.lines.iter().filter(|line| line.part_of == Some(number)) {
        let block = &diagram.blocks[line.from.0];
        let name = format!("{}.{}", block.name, block.outputs[line.from.1].name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = if names.len() > FEW { ", ..." } else { "" };
    names.truncate(FEW);
    names.join(", ") + more
}
