//! The vendor extension: what FMUs made by `fmu-runtime` offer beyond the standard, and the names by which others find it.
//!
//! An importer that knows nothing of it loses nothing: the extension is announced by a vendor annotation and offered by further
//! symbols of the library.

use crate::description::ModelDescription;
use crate::fmi2::calls::Call;

/// The tool of the vendor annotation that announces the extension.
pub const TOOL: &str = "fmu-runtime";

/// The XML inside that annotation: outputs and directional derivatives answer for new inputs at the same communication point
/// without a step, and the library has the functions [`STABILIZE_INPUTS`] and [`GET_STATES`].
pub const ANNOTATION: &str = "<CoSimulation outputsFollowInputsWithoutStep=\"true\" \
                              stabilizeInputs=\"fmuStabilizeInputs\" getStates=\"fmuGetStates\"/>";

/// The same for FMI 3.0: what outputs do, without the further functions. The element has no name of the standard: the checker
/// VDMCheck would take it for the standard's.
pub const ANNOTATION_3: &str = "<Steps outputsFollowInputsWithoutStep=\"true\"/>";

/// What an annotation of any tool contains if outputs may be read again after new inputs, without a step.
const FOLLOWS: &str = "outputsFollowInputsWithoutStep=\"true\"";

/// The tool of the vendor annotation that names the build of an FMU. It is not part of the GUID: another build of the same
/// interface has another mark and the same GUID.
pub const BUILD_TOOL: &str = "fmu-runtime build";

/// `fmuDescribe`: hands out `modelDescription.xml`.
pub const DESCRIBE: &str = "fmuDescribe";

/// `fmuDescribe3`: hands out `modelDescription.xml` of FMI 3.0.
pub const DESCRIBE_3: &str = "fmuDescribe3";

/// `fmuStabilizeInputs`: makes inputs of a co-simulation states of its integration.
pub const STABILIZE_INPUTS: Call = Call::new("fmuStabilizeInputs", "", "IZP", "");

/// `fmuGetStates`: states and their derivatives at a communication point of a co-simulation.
pub const GET_STATES: Call = Call::new("fmuGetStates", "", "ZPFT", "");

/// The functions that are called on an instance.
pub const FUNCTIONS: [&str; 2] = [STABILIZE_INPUTS.name, GET_STATES.name];

/// Whether an FMU was made by `fmu-runtime`.
pub fn is_own(description: &ModelDescription) -> bool {
    let annotations = &description.vendor_annotations;
    annotations.iter().any(|annotation| annotation.tool == TOOL)
}

/// Whether the outputs of a co-simulation may be read again after new inputs, without a step. The standard does not
/// promise it, so the FMU has to announce it.
pub fn outputs_follow_inputs(description: &ModelDescription) -> bool {
    let annotations = &description.vendor_annotations;
    annotations
        .iter()
        .any(|annotation| annotation.xml.contains(FOLLOWS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annotation_announces_what_there_is() {
        assert!(ANNOTATION.contains(FOLLOWS) && ANNOTATION_3.contains(FOLLOWS));
        for name in FUNCTIONS {
            assert!(ANNOTATION.contains(&format!("\"{name}\"")), "{name}");
        }
    }
}
