//! The roles of fields, and which function of the author's gives which variable its value.

use crate::summary::FieldSummary;

/// The role of a field, as far as equations are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    State,
    Input,
    Output,
    Local,
    Parameter,
    /// `#[parameter(calculated)]`.
    Calculated,
    Constant,
    Discrete,
    /// `#[implicit]`.
    Implicit,
    Internal,
    Part,
    /// The field `motor_u` of `Connections`.
    Connection,
}

impl Role {
    /// What a field with this role is called.
    pub fn noun(self) -> &'static str {
        match self {
            Role::State => "state",
            Role::Input => "input",
            Role::Output => "output",
            Role::Local => "local",
            Role::Parameter => "parameter",
            Role::Calculated => "calculated parameter",
            Role::Constant => "constant",
            Role::Discrete => "discrete variable",
            Role::Implicit => "implicit unknown",
            Role::Internal => "internal field",
            Role::Part => "part",
            Role::Connection => "connected input",
        }
    }

    /// `a` or `an`.
    pub fn article(self) -> &'static str {
        match self {
            Role::Input | Role::Output | Role::Implicit | Role::Internal => "an",
            _ => "a",
        }
    }
}

/// A group of values that one function returns, as a struct with one field per variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Group {
    /// Name of the function.
    pub function: &'static str,
    /// Name of the struct.
    pub name: &'static str,
    /// The role of the variables; `None` for those with an initial equation, whatever their role is.
    role: Option<Role>,
    /// What a variable lacks without the function.
    pub lacks: &'static str,
}

pub const CALCULATED: Group = group("calculated", "Calculated", Some(Role::Calculated), "value");
pub const INITIAL: Group = group("initial", "Initial", None, "initial value");
pub const CONNECTIONS: Group = group("connections", "Connections", Some(Role::Connection), "value");
pub const LOCALS: Group = group("locals", "Locals", Some(Role::Local), "value");
pub const DERIVATIVES: Group = group("derivatives", "Derivatives", Some(Role::State), "derivative");
pub const OUTPUTS: Group = group("outputs", "Outputs", Some(Role::Output), "value");
pub const RESIDUALS: Group = group("residuals", "Residuals", Some(Role::Implicit), "residual");

/// All groups, in the order in which they are evaluated.
pub const GROUPS: &[Group] = &[
    CALCULATED,
    INITIAL,
    CONNECTIONS,
    LOCALS,
    DERIVATIVES,
    OUTPUTS,
    RESIDUALS,
];

const fn group(function: &'static str, name: &'static str, role: Option<Role>, lacks: &'static str) -> Group {
    Group {
        function,
        name,
        role,
        lacks,
    }
}

impl Group {
    /// Whether the function gives the value of a variable with this role.
    pub fn gives(&self, role: Role, has_initial_equation: bool) -> bool {
        match self.role {
            Some(of_group) => of_group == role,
            None => has_initial_equation,
        }
    }

    /// Whether the function gives the value of a field.
    pub fn has(&self, field: &FieldSummary) -> bool {
        self.gives(field.role, field.initial)
    }

    /// Whether the function knows the time: all but calculated parameters may depend on it.
    pub fn takes_time(&self) -> bool {
        *self != CALCULATED
    }
}
