//! Numbers and names that several crates must agree on, beyond the standard.

/// An integer with fewer values than this between its bounds is tried with all of them where dependencies are searched for.
/// The macros decide by it whether a model's own comparisons matter, and the runtime whether to use them.
pub const TRIED_INTEGER_VALUES: i64 = 256;

/// An FMU that declares more event indicators than this is refused: memory for them would be reserved before anything runs.
pub const MOST_EVENT_INDICATORS: u64 = 10_000_000;

/// The log categories that the runtime declares for every FMU, with their descriptions. A model cannot declare them again.
/// The names are those that FMI 2.0 proposes (section 2.2.4).
pub const LOG_CATEGORIES: [(&str, &str); 5] = [
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

/// An enumeration of C: a number with named values.
macro_rules! c_enum {
    ($(#[$doc:meta])* $type:ident { $($(#[$value_doc:meta])* $name:ident = $value:literal,)+ }) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $type(pub c_int);

        $($(#[$value_doc])* pub const $name: $type = $type($value);)+

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self {
                    $($name => f.write_str(stringify!($name)),)+
                    Self(unknown) => write!(f, "{}({unknown})", stringify!($type)),
                }
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

pub(crate) use c_enum;
