//! Whether the model description says what the packager is about to promise.

use fmu_standard::description::{Interface, ModelDescription};
use fmu_standard::naming::is_c_identifier;

use super::Error;

/// Reads a model description and checks it: it parses, its GUID or instantiation token is the fingerprint of its interface, and both interfaces
/// name the one library that there will be.
pub fn description(crate_name: &str, xml: &str) -> Result<ModelDescription, Error> {
    let problem = |problem: String| Error::Description {
        name: crate_name.to_owned(),
        problem,
    };
    let description = fmu_standard::xml::read_any_version(xml)
        .map_err(|error| problem(format!("cannot be read: {error}")))?;
    let fingerprint = fmu_standard::identity(&description);
    if description.guid != fingerprint {
        return Err(problem(format!(
            "has the GUID {}, but its interface gives {fingerprint}; the model and the packager must use the same version \
             of the crate fmi",
            description.guid
        )));
    }
    let identifiers: Vec<&str> = interfaces(&description)
        .map(|interface| interface.model_identifier.as_str())
        .collect();
    match identifiers[..] {
        [] => {
            return Err(problem(
                "offers neither Model Exchange nor Co-Simulation".to_owned(),
            ));
        }
        [one, other] if one != other => {
            return Err(problem(format!("names two libraries, {one} and {other}")));
        }
        [identifier, ..] if !is_c_identifier(identifier) => {
            return Err(problem(format!(
                "has the model identifier `{identifier}`, which is not an identifier of C"
            )));
        }
        _ => {}
    }
    if description.model_name.is_empty() || description.model_name.contains(['/', '\\', ':', '\0']) {
        return Err(problem(format!(
            "has the model name `{}`, which is not a file name",
            description.model_name
        )));
    }
    Ok(description)
}

/// The name of the library.
pub(crate) fn model_identifier(description: &ModelDescription) -> &str {
    interfaces(description)
        .next()
        .map_or(description.model_name.as_str(), |interface| {
            &interface.model_identifier
        })
}

fn interfaces(description: &ModelDescription) -> impl Iterator<Item = &Interface> {
    let exchange = description
        .model_exchange
        .as_ref()
        .map(|exchange| &exchange.interface);
    exchange.into_iter().chain(
        description
            .co_simulation
            .as_ref()
            .map(|simulation| &simulation.interface),
    )
}
