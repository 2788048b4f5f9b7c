//! Steps that files carry for the masters that wrote them. SSP itself leaves them to annotations.
//!
//! FMPy has none: it reads SSP and does not write it, and its step is an argument of `simulate_ssp`, 1 % of the stop time by default.

use super::xml::Element;

/// Masters by the type of their annotations, with the element and the attribute that has their step.
const MASTERS: [(&str, &str, &str, &str); 2] = [
    (
        "com.opensimulationplatform",
        "FixedStepAlgorithm",
        "baseStepSize",
        "libcosim",
    ),
    ("org.openmodelica", "FixedStepMaster", "stepSize", "OMSimulator"),
];

/// The communication step of a master that is known, if the description has one that fits into a run, and the master.
pub(super) fn step(description: &Element, span: f64) -> Option<(f64, &'static str)> {
    let system = description.child("System")?;
    // Steps of inner systems count only where the root has none: they belong to parts of the whole.
    let outer = description
        .children
        .iter()
        .filter(|child| child.name != "System")
        .chain(system.children.iter().filter(|child| child.name != "Elements"));
    let places: Vec<&Element> = outer.chain([system]).collect();
    MASTERS.iter().find_map(|(kind, element, attribute, master)| {
        let mut found = places
            .iter()
            .filter_map(|place| within(place, kind, element, attribute));
        let step = found.find(|step| *step > 0.0 && *step <= span)?;
        Some((step, *master))
    })
}

/// The attribute of an element somewhere inside of an annotation of a type, or of a draft's `<SimulationInformation>`.
fn within(place: &Element, kind: &str, element: &str, attribute: &str) -> Option<f64> {
    let is = place.name == "Annotation" && place.attribute("type") == Some(kind);
    if is || place.name == "SimulationInformation" {
        return below(place, element, attribute);
    }
    let mut children = place.children.iter();
    children.find_map(|child| within(child, kind, element, attribute))
}

fn below(place: &Element, element: &str, attribute: &str) -> Option<f64> {
    if place.name == element {
        return place.attribute(attribute)?.trim().parse().ok();
    }
    let mut children = place.children.iter();
    children.find_map(|child| below(child, element, attribute))
}
