//! What an instance must know of each variable, in tables indexed by slot. Made once, shared by all instances of a
//! library.

use super::problem::{Outcome, Problem};
use super::{Mode, Vocabulary};
use crate::ModelError;
use crate::describe::{Base, Described, InitialValue, Role, Values, Variable, described, is_serializable};
use crate::evaluator::Stale;
use crate::model::Model;
use fmu_standard::description::Variability;
use std::ffi::CString;

/// The tables of a model.
pub struct Variables {
    /// Real variables of the model, then the derivatives of its states, then time.
    pub reals: Box<[Entry]>,
    /// Integer and Enumeration variables.
    pub integers: Box<[Entry]>,
    /// Boolean variables.
    pub booleans: Box<[Entry]>,
    /// String variables.
    pub strings: Box<[Entry]>,
    /// Nominal values of the states.
    pub nominals: Box<[f64]>,
    /// For each Real variable of the model the number of the state that it is, or [`NO_STATE`].
    pub state_of: Box<[u32]>,
    /// The slots of the states, in their order.
    pub states: Box<[u32]>,
    /// No variable is continuous, no event indicator: such an FMU may go from event to event.
    pub is_purely_discrete: bool,
    /// All of a run can be written as bytes.
    pub is_serializable: bool,
    /// Log categories, those of the standard first.
    pub categories: Box<[CString]>,
    ranges: Vec<Range>,
    items: Vec<Box<[i32]>>,
}

/// In [`Variables::state_of`]: no state.
pub const NO_STATE: u32 = u32::MAX;

/// The modes of a simulation under way, and those in which discrete variables are unknowns too.
const SIMULATED: u8 = AT_EVENTS | Mode::ContinuousTime.bit() as u8;
const AT_EVENTS: u8 = (Mode::Event.bit() | Mode::StepComplete.bit() | Mode::Terminated.bit()) as u8;
const INITIALIZED: u8 = Mode::Initialization.bit() as u8;

/// One variable.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What must be up to date before it is read.
    pub needs: Stale,
    /// What depends on it when it is set.
    pub spoils: Stale,
    /// The modes in which it may be set, one bit each.
    settable: u8,
    /// The modes in which it is an unknown of directional derivatives, one bit each.
    unknown: u8,
    /// It is an output.
    pub is_output: bool,
    /// It is a parameter, or changes at events only: a known of directional derivatives in some versions.
    pub is_given: bool,
    /// Position in `ranges` plus 1; 0 if any value will do.
    range: u32,
}

/// Which values a variable may have.
struct Range {
    min: f64,
    max: f64,
    /// Position in `items`, for an enumeration.
    items: Option<usize>,
    /// An input outside its range is stored with a warning, a parameter is not stored.
    only_warns: bool,
}

impl Range {
    /// Written so that NaN is outside.
    #[inline]
    fn holds(&self, value: f64) -> bool {
        value >= self.min && value <= self.max
    }
}

impl Entry {
    /// Whether the variable may be set in `mode`.
    #[inline]
    pub fn is_settable_in(self, mode: Mode) -> bool {
        u32::from(self.settable) & mode.bit() != 0
    }

    /// Whether a value that is set in continuous-time mode waits for the next event: discrete inputs and tunable
    /// parameters.
    #[inline]
    pub fn may_wait(self) -> bool {
        self.is_settable_in(Mode::Event) && !self.is_settable_in(Mode::ContinuousTime)
    }

    /// Whether the variable is an input that may have any value at any time.
    #[inline]
    pub fn is_curve(self) -> bool {
        let (between, simulated) = (Mode::StepComplete, Mode::ContinuousTime);
        self.is_settable_in(simulated) && self.is_settable_in(between)
    }

    /// Whether the variable is an unknown of directional derivatives in `mode` (2.1.9 of the standard; local variables
    /// are an extension).
    #[inline]
    pub fn is_unknown_in(self, mode: Mode) -> bool {
        u32::from(self.unknown) & mode.bit() != 0
    }

    /// Whether the variable is a known of directional derivatives in `mode`: what may be set then, and the states.
    #[inline]
    pub fn is_known_in(self, mode: Mode) -> bool {
        match mode {
            Mode::Initialization | Mode::ContinuousTime => self.is_settable_in(mode),
            // A tunable parameter may be set at an event, but is not a known.
            _ => {
                self.is_settable_in(Mode::ContinuousTime)
                    || self.is_settable_in(Mode::Event) && self.spoils == Stale::BY_VARIABLE
            }
        }
    }

    /// Whether the variable is a parameter or a discrete state that is a known of directional derivatives in `mode`, in the
    /// versions that have these. In initialization mode equations may determine it.
    #[inline]
    pub fn is_given_in(self, mode: Mode) -> bool {
        self.is_given && (mode != Mode::Initialization || self.is_settable_in(mode))
    }

    const fn read_only(needs: Stale, unknown: u8) -> Entry {
        Entry {
            needs,
            spoils: Stale::NOTHING,
            settable: 0,
            unknown,
            is_output: false,
            is_given: false,
            range: 0,
        }
    }
}

impl Variables {
    /// Lets the model describe itself.
    pub fn of<M: Model>(vocabulary: &Vocabulary) -> Result<Variables, ModelError> {
        let described = described::<M>()?;
        let mut tables = [const { Vec::new() }; 4];
        let (mut ranges, mut items, mut nominals) = (Vec::new(), Vec::new(), Vec::new());
        let mut state_of = Vec::new();
        for variable in &described.variables {
            let mut entry = entry(variable);
            if vocabulary.states_can_be_set_at_events && variable.field.role == Role::State && !M::HAS_EVENT {
                entry.settable |= Mode::Event.bit() as u8;
            }
            if let Some(range) = range(&described, variable, &mut items) {
                ranges.push(range);
                entry.range = ranges.len() as u32;
            }
            let is_state = variable.field.role == Role::State;
            for _ in 0..variable.start.len() {
                if variable.base() == Base::Real {
                    state_of.push(if is_state { nominals.len() as u32 } else { NO_STATE });
                }
                if is_state {
                    nominals.push(variable.nominal());
                }
                tables[variable.base() as usize].push(entry);
            }
        }
        let [mut reals, integers, booleans, strings] = tables;
        let derivative = Entry::read_only(Stale::FOR_DERIVATIVES, SIMULATED | INITIALIZED);
        reals.extend(vec![derivative; M::COUNTS.states]);
        reals.push(Entry::read_only(Stale::NOTHING, 0));
        let is_continuous = |variable: &Variable| variable.variability() == Variability::Continuous;
        let standard = crate::log::STANDARD_CATEGORIES.iter();
        let categories = standard.chain(described.about.log_categories);
        Ok(Variables {
            reals: reals.into(),
            integers: integers.into(),
            booleans: booleans.into(),
            strings: strings.into(),
            nominals: nominals.into(),
            states: states_in(&state_of),
            state_of: state_of.into(),
            is_purely_discrete: M::EVENT_INDICATORS == 0 && !described.variables.iter().any(is_continuous),
            is_serializable: is_serializable::<M>(),
            categories: categories
                .filter_map(|(name, _)| CString::new(*name).ok())
                .collect(),
            ranges,
            items,
        })
    }

    /// Whether the variable may have the value: an error where not, a warning where it may be stored nevertheless.
    #[inline]
    pub fn check(&self, entry: Entry, value: f64) -> Outcome {
        match entry.range.checked_sub(1) {
            None => Ok(()),
            Some(index) => self.check_range(&self.ranges[index as usize], value),
        }
    }

    /// Whether [`Variables::check`] accepts a Real value without a warning.
    #[inline(always)]
    pub fn has_room_for(&self, entry: Entry, value: f64) -> bool {
        let range = entry
            .range
            .checked_sub(1)
            .map(|index| &self.ranges[index as usize]);
        range.is_none_or(|range| range.holds(value))
    }

    fn check_range(&self, range: &Range, value: f64) -> Outcome {
        if let Some(items) = range.items {
            let items = &self.items[items];
            if !items.iter().any(|&item| f64::from(item) == value) {
                return Err(Problem::discard(format!(
                    "{value} is not an item of its enumeration, which has {items:?}"
                )));
            }
        }
        if range.holds(value) {
            return Ok(());
        }
        let sentence = format!("{value} is outside its range from {} to {}", range.min, range.max);
        Err(match range.only_warns {
            true => Problem::warning(sentence),
            false => Problem::discard(sentence),
        })
    }
}

/// The slots of the states, which are counted in the order of their slots.
fn states_in(state_of: &[u32]) -> Box<[u32]> {
    let numbered = (0..).zip(state_of);
    let states = numbered.filter(|(_, state)| **state != NO_STATE);
    states.map(|(slot, _)| slot).collect()
}

/// A variable's name, for messages: looked up where needed rather than kept.
pub fn name_of<M: Model>(base: Base, slot: usize) -> String {
    let Ok(described) = described::<M>() else {
        return String::new();
    };
    let elements = described.elements();
    let is_it = |(variable, element): &&(&Variable, usize)| {
        variable.base() == base && variable.slot + element == slot
    };
    if let Some((variable, element)) = elements.iter().find(is_it) {
        return variable.element_name(*element);
    }
    // Behind the model's own Real variables: derivatives, then time.
    let state = described
        .states()
        .get(slot.saturating_sub(M::COUNTS.reals))
        .copied();
    match state.map(|state| elements[state]) {
        Some((state, element)) => format!("der({})", state.element_name(element)),
        None => "time".to_owned(),
    }
}

/// When it may be set (conditions 1, 3, 4, 5 and 6 of the tables of the standard), what it needs, what it spoils.
fn entry(variable: &Variable) -> Entry {
    let field = &variable.field;
    let is_input = field.role == Role::Input;
    let is_constant = field.role == Role::Constant;
    let starts = |initial: InitialValue| !is_constant && !is_input && field.initial == initial;
    let is_tunable = field.role == Role::Parameter && field.tunable;
    let conditions = [
        (
            Mode::Instantiated,
            // Hosts set start values of inputs here, although the standard has them in initialization mode only.
            starts(InitialValue::Start) || starts(InitialValue::Guess) || is_input,
        ),
        (Mode::Initialization, starts(InitialValue::Start) || is_input),
        (Mode::Event, is_input || is_tunable),
        (
            Mode::ContinuousTime,
            variable.is_continuous_input() || field.role == Role::State,
        ),
        (Mode::StepComplete, is_input || is_tunable),
    ];
    let settable = conditions
        .into_iter()
        .filter(|(_, holds)| *holds)
        .fold(0, |set, (mode, _)| set | mode.bit() as u8);
    Entry {
        needs: match field.role {
            Role::Calculated => Stale::FOR_CALCULATED,
            Role::Local | Role::Implicit => Stale::FOR_LOCALS,
            Role::Output => Stale::FOR_OUTPUTS,
            Role::State | Role::Discrete if field.initial != InitialValue::Start => Stale::FOR_INITIAL,
            Role::State | Role::Discrete | Role::Input | Role::Parameter | Role::Constant => Stale::NOTHING,
        },
        spoils: match field.role == Role::Parameter {
            true => Stale::BY_PARAMETER,
            false => Stale::BY_VARIABLE,
        },
        settable,
        unknown: unknown(variable),
        is_output: field.is_output(),
        is_given: matches!(field.role, Role::Parameter | Role::Discrete),
        range: 0,
    }
}

/// The modes in which the variable is an unknown of directional derivatives.
fn unknown(variable: &Variable) -> u8 {
    let field = &variable.field;
    let is_calculated = field.initial != InitialValue::Start;
    let initially = if is_calculated { INITIALIZED } else { 0 };
    match field.role {
        _ if variable.base() != Base::Real => 0,
        Role::Constant => 0,
        _ if field.is_output() && variable.variability() == Variability::Continuous => SIMULATED | initially,
        _ if field.is_output() => AT_EVENTS | initially,
        Role::Calculated => INITIALIZED,
        Role::Local | Role::Implicit => SIMULATED | INITIALIZED,
        Role::State => initially,
        _ => 0,
    }
}

fn range(described: &Described, variable: &Variable, items: &mut Vec<Box<[i32]>>) -> Option<Range> {
    let field = &variable.field;
    let (min, max) = (field.attributes.min, field.attributes.max);
    // An integrator must be free to try any state.
    if field.role == Role::State {
        return None;
    }
    let items = match &variable.start {
        Values::Enumeration(_, name) => {
            let values: Box<[i32]> = described.items(name).iter().map(|(_, value, _)| *value).collect();
            let known = items.iter().position(|known| *known == values);
            Some(known.unwrap_or_else(|| {
                items.push(values);
                items.len() - 1
            }))
        }
        _ => None,
    };
    if min.is_none() && max.is_none() && items.is_none() {
        return None;
    }
    Some(Range {
        min: min.unwrap_or(f64::NEG_INFINITY),
        max: max.unwrap_or(f64::INFINITY),
        items,
        only_warns: field.role != Role::Parameter,
    })
}
