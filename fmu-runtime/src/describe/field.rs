//! One field of a model as `#[model]` resolved it: role, flags, attributes.

/// The role that an author gives to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `#[state]`: a continuous state, whose derivative `fn derivatives` returns.
    State,
    /// `#[input]`: set by the environment.
    Input,
    /// `#[output]`: returned by `fn outputs`.
    Output,
    /// `#[local]`: returned by `fn locals`. An input of a part that the model around it drives is a local variable, too.
    Local,
    /// `#[parameter]`: set before the simulation.
    Parameter,
    /// `#[parameter(calculated)]`: returned by `fn calculated`.
    Calculated,
    /// `#[constant]`.
    Constant,
    /// `#[discrete]`: changed by `fn event`.
    Discrete,
    /// `#[implicit]`: determined by `fn residuals`.
    Implicit,
}

/// How the value of a variable at the start of a simulation is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialValue {
    /// By its start value.
    Start,
    /// By equations that use the start value as a first guess: `initial = "approx"`.
    Guess,
    /// By equations alone: `initial = "calculated"`.
    Calculated,
}

/// Everything that `#[model]` knows of a field at compile time: all but its shape and start values.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name of the field.
    pub name: &'static str,
    /// Doc comment.
    pub description: &'static str,
    /// What the field is for.
    pub role: Role,
    /// A state, local, discrete variable or constant that is an output, too.
    pub output: bool,
    /// A number that changes at events only, although its role would let it change at any time.
    pub discrete: bool,
    /// A parameter that may change during a simulation, at events.
    pub tunable: bool,
    /// How the value at the start is determined.
    pub initial: InitialValue,
    /// `declared_type`: an entry of `types(...)`.
    pub declared_type: Option<&'static str>,
    /// Unit, range and so on; those of the declared type where the field has none.
    pub attributes: Attributes,
}

impl Field {
    /// Whether the variable is an output of the model.
    pub fn is_output(&self) -> bool {
        self.output || self.role == Role::Output
    }

    /// The function that determines the value during initialization, if it runs before implicit unknowns are known.
    pub(crate) fn evaluated_before_unknowns(&self) -> Option<&'static str> {
        match self.role {
            Role::Calculated => Some("calculated"),
            Role::State | Role::Discrete if self.initial != InitialValue::Start => Some("initial"),
            _ => None,
        }
    }

    /// Whether equations determine the value at every point in time, so that it has no memory.
    pub fn is_computed(&self) -> bool {
        matches!(
            self.role,
            Role::Output | Role::Local | Role::Calculated | Role::Implicit
        )
    }
}

/// What describes a number: unit, range, magnitude.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    /// `unit`.
    pub unit: Option<&'static str>,
    /// `display_unit`.
    pub display_unit: Option<&'static str>,
    /// `quantity`.
    pub quantity: Option<&'static str>,
    /// `min`; exact for integers too.
    pub min: Option<f64>,
    /// `max`; exact for integers too.
    pub max: Option<f64>,
    /// `nominal`.
    pub nominal: Option<f64>,
    /// `unbounded`.
    pub unbounded: Option<bool>,
    /// `relative_quantity`.
    pub relative_quantity: Option<bool>,
}

/// A type that variables refer to by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    /// Its name.
    pub name: &'static str,
    /// Its description.
    pub description: &'static str,
    /// What it defines.
    pub kind: TypeKind,
}

/// What a type definition defines.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// An entry of `types(...)`: attributes of an `f64`.
    Real(Attributes),
    /// An enum: name, value and description of each item.
    Enumeration(&'static [(&'static str, i32, &'static str)]),
}
