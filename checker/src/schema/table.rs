//! The schema of `modelDescription.xml` as a table: which element has which attributes and children.

use super::Kind::{self, *};

/// An element.
pub(super) struct Element {
    pub name: &'static str,
    pub attributes: &'static [Attribute],
    pub content: Content,
}

/// An attribute.
pub(super) struct Attribute {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// The rule that a wrong value breaks.
    pub rule: &'static str,
}

/// What is inside an element.
pub(super) enum Content {
    /// These, in this order.
    Sequence(&'static [Slot]),
    /// One element of anyone's making.
    Anything,
    /// The schema says nothing about it.
    Free,
}

/// A place in a sequence: one of some elements, so and so often.
pub(super) struct Slot {
    pub one_of: &'static [&'static Element],
    pub least: usize,
    pub most: usize,
    /// The rule that a missing element breaks.
    pub rule: &'static str,
}

const MANY: usize = usize::MAX;
const NOTHING: Content = Content::Sequence(&[]);

const fn required(name: &'static str, kind: Kind) -> Attribute {
    Attribute {
        name,
        kind,
        required: true,
        rule: "X1",
    }
}

const fn optional(name: &'static str, kind: Kind) -> Attribute {
    Attribute {
        name,
        kind,
        required: false,
        rule: "X1",
    }
}

/// An attribute with a rule of its own.
const fn of_rule(rule: &'static str, attribute: Attribute) -> Attribute {
    Attribute { rule, ..attribute }
}

const fn slot(one_of: &'static [&'static Element], least: usize, most: usize) -> Slot {
    Slot {
        one_of,
        least,
        most,
        rule: "X1",
    }
}

macro_rules! elements {
    ($($constant:ident = $name:literal [$($attribute:expr),* $(,)?] $content:expr;)+) => {
        $(pub(super) static $constant: Element = Element {
            name: $name,
            attributes: &[$($attribute),*],
            content: $content,
        };)+
    };
}

elements! {
    ROOT = "fmiModelDescription" [
        of_rule("X2", required("fmiVersion", Fixed("2.0"))),
        required("modelName", Text),
        required("guid", Line),
        optional("description", Text),
        optional("author", Text),
        optional("version", Line),
        optional("copyright", Text),
        optional("license", Text),
        optional("generationTool", Line),
        of_rule("X6", optional("generationDateAndTime", DateTime)),
        of_rule("X7", optional("variableNamingConvention", Word(&["flat", "structured"]))),
        of_rule("X8", optional("numberOfEventIndicators", Unsigned)),
    ] Content::Sequence(&[
        slot(&[&MODEL_EXCHANGE, &CO_SIMULATION], 0, 2),
        slot(&[&UNIT_DEFINITIONS], 0, 1),
        slot(&[&TYPE_DEFINITIONS], 0, 1),
        slot(&[&LOG_CATEGORIES], 0, 1),
        slot(&[&DEFAULT_EXPERIMENT], 0, 1),
        slot(&[&VENDOR_ANNOTATIONS], 0, 1),
        slot(&[&MODEL_VARIABLES], 1, 1),
        slot(&[&MODEL_STRUCTURE], 1, 1),
    ]);
    MODEL_EXCHANGE = "ModelExchange" [
        required("modelIdentifier", Line),
        optional("needsExecutionTool", Boolean),
        optional("completedIntegratorStepNotNeeded", Boolean),
        optional("canBeInstantiatedOnlyOncePerProcess", Boolean),
        optional("canNotUseMemoryManagementFunctions", Boolean),
        optional("canGetAndSetFMUstate", Boolean),
        optional("canSerializeFMUstate", Boolean),
        optional("providesDirectionalDerivative", Boolean),
    ] Content::Sequence(&[slot(&[&SOURCE_FILES], 0, 1)]);
    CO_SIMULATION = "CoSimulation" [
        required("modelIdentifier", Line),
        optional("needsExecutionTool", Boolean),
        optional("canHandleVariableCommunicationStepSize", Boolean),
        optional("canInterpolateInputs", Boolean),
        optional("maxOutputDerivativeOrder", Unsigned),
        optional("canRunAsynchronuously", Boolean),
        optional("canBeInstantiatedOnlyOncePerProcess", Boolean),
        optional("canNotUseMemoryManagementFunctions", Boolean),
        optional("canGetAndSetFMUstate", Boolean),
        optional("canSerializeFMUstate", Boolean),
        optional("providesDirectionalDerivative", Boolean),
    ] Content::Sequence(&[slot(&[&SOURCE_FILES], 0, 1)]);
    SOURCE_FILES = "SourceFiles" [] Content::Sequence(&[slot(&[&FILE], 1, MANY)]);
    FILE = "File" [required("name", Line)] NOTHING;

    UNIT_DEFINITIONS = "UnitDefinitions" []
        Content::Sequence(&[Slot { one_of: &[&UNIT], least: 1, most: MANY, rule: "X1" }]);
    UNIT = "Unit" [required("name", Line)]
        Content::Sequence(&[slot(&[&BASE_UNIT], 0, 1), slot(&[&DISPLAY_UNIT], 0, MANY)]);
    BASE_UNIT = "BaseUnit" [
        optional("kg", Int), optional("m", Int), optional("s", Int), optional("A", Int), optional("K", Int),
        optional("mol", Int), optional("cd", Int), optional("rad", Int), optional("factor", Double),
        optional("offset", Double),
    ] NOTHING;
    DISPLAY_UNIT = "DisplayUnit" [
        required("name", Line), optional("factor", Double), optional("offset", Double),
    ] NOTHING;

    TYPE_DEFINITIONS = "TypeDefinitions" [] Content::Sequence(&[slot(&[&SIMPLE_TYPE], 1, MANY)]);
    SIMPLE_TYPE = "SimpleType" [required("name", Line), optional("description", Text)] Content::Sequence(&[
        slot(&[&REAL_TYPE, &INTEGER_TYPE, &BOOLEAN_TYPE, &STRING_TYPE, &ENUMERATION_TYPE], 1, 1),
    ]);
    REAL_TYPE = "Real" [
        optional("quantity", Line), optional("unit", Line), optional("displayUnit", Line),
        optional("relativeQuantity", Boolean), optional("min", Double), optional("max", Double),
        optional("nominal", Double), optional("unbounded", Boolean),
    ] NOTHING;
    INTEGER_TYPE = "Integer" [optional("quantity", Line), optional("min", Int), optional("max", Int)] NOTHING;
    BOOLEAN_TYPE = "Boolean" [] Content::Free;
    STRING_TYPE = "String" [] Content::Free;
    ENUMERATION_TYPE = "Enumeration" [optional("quantity", Line)]
        Content::Sequence(&[Slot { one_of: &[&ITEM], least: 1, most: MANY, rule: "T3" }]);
    ITEM = "Item" [required("name", Line), required("value", Int), optional("description", Text)] NOTHING;

    LOG_CATEGORIES = "LogCategories" [] Content::Sequence(&[slot(&[&CATEGORY], 1, MANY)]);
    CATEGORY = "Category" [required("name", Line), optional("description", Text)] NOTHING;
    DEFAULT_EXPERIMENT = "DefaultExperiment" [
        optional("startTime", Double), optional("stopTime", Double), optional("tolerance", Double),
        optional("stepSize", Double),
    ] NOTHING;
    VENDOR_ANNOTATIONS = "VendorAnnotations" [] Content::Sequence(&[slot(&[&TOOL], 1, MANY)]);
    ANNOTATIONS = "Annotations" [] Content::Sequence(&[slot(&[&TOOL], 1, MANY)]);
    TOOL = "Tool" [required("name", Line)] Content::Anything;

    MODEL_VARIABLES = "ModelVariables" [] Content::Sequence(&[slot(&[&SCALAR_VARIABLE], 1, MANY)]);
    SCALAR_VARIABLE = "ScalarVariable" [
        required("name", Line),
        required("valueReference", Unsigned),
        optional("description", Text),
        optional("causality", Word(&[
            "parameter", "calculatedParameter", "input", "output", "local", "independent",
        ])),
        optional("variability", Word(&["constant", "fixed", "tunable", "discrete", "continuous"])),
        optional("initial", Word(&["exact", "approx", "calculated"])),
        optional("canHandleMultipleSetPerTimeInstant", Boolean),
    ] Content::Sequence(&[
        slot(&[&REAL, &INTEGER, &BOOLEAN, &STRING, &ENUMERATION], 1, 1),
        slot(&[&ANNOTATIONS], 0, 1),
    ]);
    REAL = "Real" [
        optional("declaredType", Line), optional("quantity", Line), optional("unit", Line),
        optional("displayUnit", Line), optional("relativeQuantity", Boolean), optional("min", Double),
        optional("max", Double), optional("nominal", Double), optional("unbounded", Boolean),
        optional("start", Double), optional("derivative", Unsigned), optional("reinit", Boolean),
    ] NOTHING;
    INTEGER = "Integer" [
        optional("declaredType", Line), optional("quantity", Line), optional("min", Int), optional("max", Int),
        optional("start", Int),
    ] NOTHING;
    BOOLEAN = "Boolean" [optional("declaredType", Line), optional("start", Boolean)] NOTHING;
    STRING = "String" [optional("declaredType", Line), optional("start", Text)] NOTHING;
    ENUMERATION = "Enumeration" [
        of_rule("T3", required("declaredType", Line)), optional("quantity", Line), optional("min", Int),
        optional("max", Int), optional("start", Int),
    ] NOTHING;

    MODEL_STRUCTURE = "ModelStructure" [] Content::Sequence(&[
        slot(&[&OUTPUTS], 0, 1), slot(&[&DERIVATIVES], 0, 1), slot(&[&INITIAL_UNKNOWNS], 0, 1),
    ]);
    OUTPUTS = "Outputs" [] Content::Sequence(&[Slot { one_of: &[&UNKNOWN], least: 1, most: MANY, rule: "X1" }]);
    DERIVATIVES = "Derivatives" [] Content::Sequence(&[slot(&[&UNKNOWN], 1, MANY)]);
    INITIAL_UNKNOWNS = "InitialUnknowns" [] Content::Sequence(&[slot(&[&UNKNOWN], 1, MANY)]);
    UNKNOWN = "Unknown" [
        required("index", Unsigned), optional("dependencies", UnsignedList),
        of_rule("M6", optional("dependenciesKind", Words(&[
            "dependent", "constant", "fixed", "tunable", "discrete",
        ]))),
    ] NOTHING;
}
