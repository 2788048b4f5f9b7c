//! SSP archives, written by the tests themselves.

use fmu_master::System;

use crate::relay::{Folder, last, relay as fmu, run};
use crate::zip::{Entry, archive};

pub const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
<ssd:SystemStructureDescription xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\" \
xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\" \
xmlns:ssv=\"http://ssp-standard.org/SSP1/SystemStructureParameterValues\" \
xmlns:ssm=\"http://ssp-standard.org/SSP1/SystemStructureParameterMapping\" name=\"plant\" version=\"1.0\">\n";
pub const TAIL: &str = "\n</ssd:SystemStructureDescription>\n";

/// A component with its usual connectors, in one line.
pub fn component(name: &str, more: &str) -> String {
    format!(
        "<ssd:Component name=\"{name}\" type=\"application/x-fmu-sharedlibrary\" source=\"resources/relay.fmu\"><ssd:Connectors>\
         <ssd:Connector name=\"u\" kind=\"input\"><ssc:Real unit=\"m\"/><ssd:ConnectorGeometry x=\"0\" y=\"0.5\"/></ssd:Connector>\
         <ssd:Connector name=\"y\" kind=\"output\"><ssc:Real/></ssd:Connector>\
         <ssd:Connector name=\"gain\" kind=\"parameter\"><ssc:Real/></ssd:Connector>\
         </ssd:Connectors>{more}</ssd:Component>\n"
    )
}

pub fn parameters(inside: &str) -> String {
    format!("<ssd:ParameterBindings>{inside}</ssd:ParameterBindings>")
}

pub fn inline(parameters: &str) -> String {
    format!(
        "<ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" name=\"p\"><ssv:Parameters>\
         {parameters}</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>"
    )
}

pub fn real(name: &str, value: f64) -> String {
    format!("<ssv:Parameter name=\"{name}\"><ssv:Real value=\"{value}\"/></ssv:Parameter>")
}

pub fn wire(from: &str, to: &str, more: &str) -> String {
    let end = |side: &str, name: &str| match name.split_once('.') {
        Some((element, connector)) => {
            format!("{side}Element=\"{element}\" {side}Connector=\"{connector}\"")
        }
        None => format!("{side}Connector=\"{name}\""),
    };
    format!(
        "<ssd:Connection {} {}>{more}</ssd:Connection>\n",
        end("start", from),
        end("end", to)
    )
}

pub fn system(inside: &str) -> String {
    format!("{HEAD}<ssd:System name=\"root\">\n{inside}</ssd:System>{TAIL}")
}

pub fn elements(inside: &str) -> String {
    format!("<ssd:Elements>\n{inside}</ssd:Elements>\n")
}

pub fn connections(inside: &str) -> String {
    format!("<ssd:Connections>\n{inside}</ssd:Connections>\n")
}

/// An archive with this description, the FMU, and other files.
pub fn open(
    folder: &Folder,
    description: &str,
    files: &[(&str, &[u8])],
) -> Result<System, fmu_master::SystemError> {
    let mut entries = vec![
        Entry::new("SystemStructure.ssd", description.as_bytes()),
        Entry::new("resources/relay.fmu", &fmu("", "")),
    ];
    entries.extend(files.iter().map(|(name, bytes)| Entry::new(name, bytes)));
    System::open(folder.write("plant.ssp", &archive(&entries)))
}

pub fn opened(description: &str, files: &[(&str, &[u8])]) -> System {
    let folder = Folder::new();
    open(&folder, description, files).unwrap_or_else(|error| panic!("{error}\n{description}"))
}

/// The last values of two outputs after a run, with an algorithm that needs no more than one step to settle a chain.
pub fn ends(system: &System, names: [&str; 2]) -> [f64; 2] {
    let results = run(&mut system.assemble().expect("it fits"));
    names.map(|name| last(&results, name))
}
