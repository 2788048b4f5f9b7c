//! Messages from model code to whoever runs the model.

/// The log categories of the standard that the runtime itself uses: name and description.
pub const STANDARD_CATEGORIES: &[(&str, &str)] = &[
    (
        "logEvents",
        "Events: initialization, state, time and step events, termination",
    ),
    ("logStatusWarning", "Calls that succeed with a warning"),
    (
        "logStatusDiscard",
        "Calls that are discarded: the caller may go on in another way",
    ),
    ("logStatusError", "Calls that fail"),
    ("logAll", "All messages"),
];
