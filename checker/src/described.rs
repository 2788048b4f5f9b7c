//! The description as the rules about it see it: with names resolved and lines at hand.

use std::collections::{HashMap, HashSet};

use fmu_standard::description::*;
use fmu_standard::legality;

use super::Place;
use super::schema::Lines;
use fmu_importer::{BaseType, Variables};

/// A description and what follows from it.
pub(crate) struct Described {
    pub model: ModelDescription,
    pub lines: Lines,
    pub index: Variables,
    /// Positions of continuous-time states: what the derivatives listed in `ModelStructure` are derivatives of.
    pub states: HashSet<usize>,
    units: HashMap<String, usize>,
    types: HashMap<String, usize>,
}

/// A list of `ModelStructure`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListOf {
    Outputs,
    Derivatives,
    InitialUnknowns,
}

impl ListOf {
    pub const ALL: [Self; 3] = [Self::Outputs, Self::Derivatives, Self::InitialUnknowns];

    pub fn name(self) -> &'static str {
        match self {
            Self::Outputs => "Outputs",
            Self::Derivatives => "Derivatives",
            Self::InitialUnknowns => "InitialUnknowns",
        }
    }
}

impl Described {
    pub fn new(model: ModelDescription, lines: Lines) -> Self {
        fn first<'a>(names: impl Iterator<Item = &'a String>) -> HashMap<String, usize> {
            let mut positions = HashMap::new();
            for (position, name) in names.enumerate() {
                positions.entry(name.clone()).or_insert(position);
            }
            positions
        }
        let index = Variables::new(&model);
        let units = first(model.unit_definitions.iter().map(|unit| &unit.name));
        let types = first(model.type_definitions.iter().map(|simple| &simple.name));
        let mut described = Self {
            model,
            lines,
            index,
            states: HashSet::new(),
            units,
            types,
        };
        let derivatives = &described.model.model_structure.derivatives;
        let states = derivatives.iter().filter_map(|unknown| {
            let derivative = unknown.variable.position()?;
            described.state_of(&described.model.model_variables[derivative])
        });
        described.states = states.collect();
        described
    }

    /// All variables with their positions.
    pub fn variables(&self) -> impl Iterator<Item = (usize, &ModelVariable)> {
        self.model.model_variables.iter().enumerate()
    }

    /// The position of the variable that another is the derivative of.
    pub fn state_of(&self, variable: &ModelVariable) -> Option<usize> {
        let VariableKind::Real { derivative, .. } = variable.kind else {
            return None;
        };
        derivative?.position()
    }

    pub fn unit(&self, name: &str) -> Option<&Unit> {
        self.units
            .get(name)
            .map(|position| &self.model.unit_definitions[*position])
    }

    pub fn simple_type(&self, name: &str) -> Option<&SimpleType> {
        self.types
            .get(name)
            .map(|position| &self.model.type_definitions[*position])
    }

    pub fn list(&self, list: ListOf) -> &[Unknown] {
        let structure = &self.model.model_structure;
        match list {
            ListOf::Outputs => &structure.outputs,
            ListOf::Derivatives => &structure.derivatives,
            ListOf::InitialUnknowns => &structure.initial_unknowns,
        }
    }

    /// Which interfaces there are, with their names.
    pub fn interfaces(&self) -> impl Iterator<Item = (&'static str, &Interface)> {
        let me = self
            .model
            .model_exchange
            .as_ref()
            .map(|me| ("ModelExchange", &me.interface));
        let cs = self
            .model
            .co_simulation
            .as_ref()
            .map(|cs| ("CoSimulation", &cs.interface));
        me.into_iter().chain(cs)
    }

    // Attributes with those of the declared type where the variable has none (2.2.7, declaredType).

    /// The attributes of a Real variable that count.
    pub fn real(&self, kind: &VariableKind) -> Option<RealAttributes> {
        let VariableKind::Real {
            declared_type,
            attributes: own,
            ..
        } = kind
        else {
            return None;
        };
        let simple = declared_type.as_deref().and_then(|name| self.simple_type(name));
        Some(match simple.map(|simple| &simple.kind) {
            Some(TypeKind::Real(inherited)) => own.clone().or(inherited),
            _ => own.clone(),
        })
    }

    /// The range of an Integer or Enumeration variable that counts.
    pub fn integer_range(&self, kind: &VariableKind) -> Option<(Option<i128>, Option<i128>)> {
        let (declared_type, own) = match kind {
            VariableKind::Integer {
                declared_type,
                attributes,
                ..
            } => (declared_type.as_deref(), attributes),
            VariableKind::Enumeration {
                declared_type,
                attributes,
                ..
            } => (Some(declared_type.as_str()), attributes),
            _ => return None,
        };
        let simple = declared_type.and_then(|name| self.simple_type(name));
        let inherited = match simple.map(|simple| &simple.kind) {
            Some(TypeKind::Integer(attributes)) => (attributes.min, attributes.max),
            _ => (None, None),
        };
        Some((own.min.or(inherited.0), own.max.or(inherited.1)))
    }

    // Places.

    pub fn at_variable(&self, position: usize) -> Place {
        let name = &self.model.model_variables[position].name;
        self.at(self.lines.variables.get(position), format!("variable `{name}`"))
    }

    pub fn at_unit(&self, position: usize) -> Place {
        let name = &self.model.unit_definitions[position].name;
        self.at(self.lines.units.get(position), format!("unit `{name}`"))
    }

    pub fn at_type(&self, position: usize) -> Place {
        let name = &self.model.type_definitions[position].name;
        self.at(self.lines.types.get(position), format!("type `{name}`"))
    }

    /// A place in `ModelStructure`; the item names the variable where there is one.
    pub fn at_unknown(&self, list: ListOf, position: usize) -> Place {
        let lines = match list {
            ListOf::Outputs => &self.lines.outputs,
            ListOf::Derivatives => &self.lines.derivatives,
            ListOf::InitialUnknowns => &self.lines.initial_unknowns,
        };
        let unknown = self
            .list(list)
            .get(position)
            .and_then(|unknown| self.model.variable(unknown.variable));
        let name = unknown.map_or(String::new(), |variable| format!(" `{}`", variable.name));
        self.at(lines.get(position), format!("{}{name}", list.name()))
    }

    pub fn at_element(&self, element: &str) -> Place {
        self.at(None, element.into())
    }

    fn at(&self, line: Option<&usize>, item: String) -> Place {
        Place {
            file: "modelDescription.xml".into(),
            line: line.copied(),
            item,
        }
    }
}

/// `initial` as it counts.
pub(crate) fn initial(variable: &ModelVariable) -> Option<Initial> {
    legality::effective_initial(variable.causality, variable.variability, variable.initial)
}

/// Whether the environment may set a variable at some time.
pub(crate) fn is_settable(variable: &ModelVariable) -> bool {
    if variable.variability == Variability::Constant {
        return false;
    }
    match variable.causality {
        Causality::Parameter | Causality::Input => true,
        Causality::Independent => false,
        _ => matches!(initial(variable), Some(Initial::Exact | Initial::Approx)),
    }
}

/// What makes variables aliases of each other.
pub(crate) fn alias_key(variable: &ModelVariable) -> (BaseType, u32) {
    (BaseType::of(&variable.kind), variable.value_reference)
}
