//! X1 to X14: the root of the description.

use std::collections::HashSet;

use super::Places;
use super::described::Described;
use super::rules::{
    Check::{Behaviour, Description, Schema},
    Rule, table,
};
use super::schema::date_time;
use fmu_standard::shared::MOST_EVENT_INDICATORS;

pub(super) static RULES: &[Rule] = table! {
    "X1" Error "2.2"
        "modelDescription.xml keeps to the schema"
        "importers that validate, such as FMPy, refuse the FMU"
        "write the element or attribute as the schema has it"
        => Schema;
    "X2" Error "2.2.1"
        "fmiVersion is 2.0, also for 2.0.1 to 2.0.5"
        "importers refuse the FMU, or read it by another version's rules"
        "write fmiVersion=\"2.0\""
        => Schema;
    "X3" Error "2.2.1"
        "There is an interface: ModelExchange, CoSimulation or both"
        "there is nothing to instantiate"
        "add the element of the interface that the library implements"
        => Description(interface);
    "X4" Warning "2.2.1"
        "guid is not empty"
        "a library of another export cannot be distinguished from the right one"
        "generate a new one with every export"
        => Description(guid);
    "X4a" Warning "2.1.5"
        "The library accepts the guid of the description and no other"
        "a library of another export runs with this description unnoticed"
        "compare the guid in fmi2Instantiate and return null if it differs; export the model again"
        => Behaviour;
    "X5" Warning "2.2.1"
        "modelIdentifier is an identifier of C and so the name of a file and of functions"
        "the functions of source code FMUs cannot have this prefix"
        "use letters, digits and underscores alone, and no digit first"
        => Description(model_identifier);
    "X6" Error "2.2.1"
        "generationDateAndTime is a date and time"
        "importers that validate, such as FMPy, refuse the FMU"
        "write it like 2024-05-31T12:00:00Z"
        => Schema;
    "X6a" Note "2.2.1"
        "generationDateAndTime is in UTC, with Z at its end"
        "the time of the export is ambiguous"
        "write it like 2024-05-31T12:00:00Z"
        => Description(utc);
    "X7" Error "2.2.1"
        "variableNamingConvention is flat or structured"
        "importers that validate, such as FMPy, refuse the FMU"
        "write one of the two, or leave it out for flat"
        => Schema;
    "X8" Error "2.2.1"
        "numberOfEventIndicators is a whole number that is not negative"
        "importers allocate too little or refuse the FMU"
        "write the number, or leave it out for 0"
        => Schema;
    "X8a" Note "2.2.1"
        "An FMU for Co-Simulation alone has no event indicators"
        "none known"
        "leave numberOfEventIndicators out"
        => Description(indicators_without_model_exchange);
    "X8b" Error "2.2.1"
        "Sizes that the description claims are those of a model"
        "importers ask for more memory than there is, or refuse the FMU"
        "export the model again; write the number of its event indicators"
        => Description(claims);
    "X9" Warning "2.2"
        "No number is NaN or infinite"
        "importers calculate with it, or refuse it because it is not a number"
        "leave the attribute out"
        => Schema;
    "X10" Note "2.2.4"
        "Names of LogCategories are unique"
        "a category cannot be chosen by its name"
        "take the repetition out"
        => Description(log_categories);
    "X11" Note "2.2.6"
        "Names of tools in VendorAnnotations are unique"
        "a tool finds the annotations of another, or half of its own"
        "put all annotations of a tool into one element"
        => Description(vendor_annotations);
    "X12" Warning "2.2.5"
        "DefaultExperiment makes sense: it ends after it begins, with a positive step that fits and a positive tolerance"
        "a run with default settings fails or makes no sense"
        "correct the values, or leave them out"
        => Description(default_experiment);
    "X13" Note "2.2.1"
        "Names in SourceFiles are unique"
        "a source file is compiled twice"
        "take the repetition out"
        => Description(source_files);
    "X14" Error "2.2"
        "modelDescription.xml has only characters that XML allows"
        "XML parsers refuse the file, and importers with them"
        "take control characters out of names and descriptions, also those written as references such as &#27;"
        => Schema;
};

fn interface(described: &Described, places: &mut Places) {
    if described.interfaces().next().is_none() {
        places.add(
            described.at_element("element `fmiModelDescription`"),
            "there is none",
        );
    }
}

fn guid(described: &Described, places: &mut Places) {
    if described.model.guid.trim().is_empty() {
        places.add(described.at_element("attribute `guid`"), "it is empty");
    }
}

fn model_identifier(described: &Described, places: &mut Places) {
    for (interface, attributes) in described.interfaces() {
        let identifier = &attributes.model_identifier;
        if !fmu_standard::naming::is_c_identifier(identifier) {
            let problem = format!("modelIdentifier is \"{identifier}\"");
            places.add(described.at_element(&format!("element `{interface}`")), problem);
        }
    }
}

fn utc(described: &Described, places: &mut Places) {
    if let Some(date) = &described.model.generation_date_and_time
        && date_time(date.trim()) == Some(false)
    {
        places.add(
            described.at_element("attribute `generationDateAndTime`"),
            format!("it is \"{date}\""),
        );
    }
}

fn claims(described: &Described, places: &mut Places) {
    let count = described.model.number_of_event_indicators.unwrap_or(0);
    if count > MOST_EVENT_INDICATORS {
        places.add(
            described.at_element("attribute `numberOfEventIndicators`"),
            format!("it is {count}; more than {MOST_EVENT_INDICATORS} are not supported"),
        );
    }
}

fn indicators_without_model_exchange(described: &Described, places: &mut Places) {
    let count = described.model.number_of_event_indicators.unwrap_or(0);
    if count > 0 && described.model.model_exchange.is_none() && described.model.co_simulation.is_some() {
        places.add(
            described.at_element("attribute `numberOfEventIndicators`"),
            format!("it is {count}"),
        );
    }
}

/// What occurs more than once, each named once.
pub(super) fn repeated<'t>(names: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let (mut seen, mut repeated) = (HashSet::new(), Vec::new());
    for name in names {
        if !seen.insert(name) && !repeated.contains(&name) {
            repeated.push(name);
        }
    }
    repeated
}

fn log_categories(described: &Described, places: &mut Places) {
    for name in repeated(
        described
            .model
            .log_categories
            .iter()
            .map(|category| category.name.as_str()),
    ) {
        places.add(
            described.at_element("element `LogCategories`"),
            format!("`{name}` occurs more than once"),
        );
    }
}

fn vendor_annotations(described: &Described, places: &mut Places) {
    let tools = described
        .model
        .vendor_annotations
        .iter()
        .map(|annotation| annotation.tool.as_str());
    for name in repeated(tools) {
        places.add(
            described.at_element("element `VendorAnnotations`"),
            format!("`{name}` occurs more than once"),
        );
    }
    for (position, variable) in described.variables() {
        for name in repeated(
            variable
                .annotations
                .iter()
                .map(|annotation| annotation.tool.as_str()),
        ) {
            places.add(
                described.at_variable(position),
                format!("annotations of `{name}` occur more than once"),
            );
        }
    }
}

fn default_experiment(described: &Described, places: &mut Places) {
    let Some(experiment) = &described.model.default_experiment else {
        return;
    };
    let mut odd = |problem: String| places.add(described.at_element("element `DefaultExperiment`"), problem);
    let start = experiment.start_time.unwrap_or(0.0);
    if let Some(stop) = experiment.stop_time {
        if stop <= start {
            odd(format!("stopTime {stop} is not after startTime {start}"));
        } else if let Some(step) = experiment.step_size
            && step > stop - start
        {
            odd(format!("stepSize {step} is longer than the experiment"));
        }
    }
    if let Some(step) = experiment.step_size
        && step <= 0.0
    {
        odd(format!("stepSize {step} is not positive"));
    }
    if let Some(tolerance) = experiment.tolerance
        && tolerance <= 0.0
    {
        odd(format!("tolerance {tolerance} is not positive"));
    }
}

fn source_files(described: &Described, places: &mut Places) {
    for (interface, attributes) in described.interfaces() {
        for name in repeated(attributes.source_files.iter().map(String::as_str)) {
            let place = described.at_element(&format!("SourceFiles of `{interface}`"));
            places.add(place, format!("`{name}` occurs more than once"));
        }
    }
}
