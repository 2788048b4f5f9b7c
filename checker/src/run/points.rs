//! Knowns and unknowns of `ModelStructure` at one point of a run: set the former, read the latter.

use std::collections::HashMap;

use fmu_standard::description::*;

use super::child::Probe;
use super::drive::Driver;
use crate::described::initial;
use fmu_importer::{BaseType, Error, State, Value};

/// The points at which the structure is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// In initialization mode.
    Initialization,
    /// Model Exchange, in continuous-time mode.
    ContinuousTime,
    /// Model Exchange, in event mode.
    Event,
    /// Co-Simulation, between two steps.
    CommunicationPoint,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Initialization => "in initialization mode",
            Self::ContinuousTime => "in continuous-time mode",
            Self::Event => "in event mode",
            Self::CommunicationPoint => "between two steps",
        }
    }
}

/// Something that can be set.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Its position in `model_variables`.
    pub position: usize,
    pub name: String,
    pub reference: u32,
    kind: Kind,
    /// The size of its usual values.
    pub scale: f64,
    /// Its start value, in initialization mode: it need not be readable there.
    start: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Real,
    Integer,
    Boolean,
    State(usize),
    Time,
}

/// Something that follows.
#[derive(Clone, Debug)]
pub(super) struct Unknown {
    pub name: String,
    pub reference: u32,
    pub base_type: BaseType,
    pub variability: Variability,
    /// What it declares to depend on; `None` means everything.
    pub dependencies: Option<HashMap<usize, DependencyKind>>,
}

impl Unknown {
    /// Whether it declares a dependency on a known; without a list it depends on all.
    pub fn depends_on(&self, known: &Known) -> bool {
        let declared = self.dependencies.as_ref();
        declared.is_none_or(|dependencies| dependencies.contains_key(&known.position))
    }
}

/// The structure in one mode.
pub(super) struct Structure {
    mode: Mode,
    pub knowns: Vec<Known>,
    pub unknowns: Vec<Unknown>,
}

/// Longer lists are sampled.
const KNOWNS: usize = 60;
const UNKNOWNS: usize = 2000;

impl Structure {
    pub fn of(probe: &Probe, mode: Mode) -> Self {
        let description = probe.fmu.description();
        let structure = &description.model_structure;
        let lists: &[&[fmu_standard::description::Unknown]] = match mode {
            Mode::Initialization => &[&structure.initial_unknowns],
            Mode::CommunicationPoint => &[&structure.outputs],
            _ => &[&structure.outputs, &structure.derivatives],
        };
        let unknowns = lists.iter().flat_map(|list| list.iter()).filter_map(|unknown| {
            let found = description.variable(unknown.variable)?;
            Some(Unknown {
                name: found.name.clone(),
                reference: found.value_reference,
                base_type: BaseType::of(&found.kind),
                variability: found.variability,
                dependencies: unknown.depends_on().map(Iterator::collect),
            })
        });
        let unknowns = sample(
            unknowns
                .filter(|unknown| unknown.base_type != BaseType::String)
                .collect(),
            UNKNOWNS,
        );
        let mut knowns = Vec::new();
        for (position, variable) in description.model_variables.iter().enumerate() {
            let state = probe.states.get(&position).copied();
            let start = start_value(&variable.kind).filter(|_| mode == Mode::Initialization);
            if let Some(kind) = known_kind(variable, state, mode)
                && (start.is_some() || mode != Mode::Initialization)
            {
                knowns.push(Known {
                    position,
                    name: variable.name.clone(),
                    reference: variable.value_reference,
                    kind,
                    scale: scale(variable),
                    start,
                });
            }
        }
        Self {
            mode,
            knowns: sample(knowns, KNOWNS),
            unknowns,
        }
    }

    /// The rule that a dependency breaks which is not declared.
    pub fn rule_of_missing(&self, unknown: &Unknown, known: &Known) -> &'static str {
        let is_itself = unknown.base_type == BaseType::Real
            && matches!(known.kind, Kind::State(_))
            && unknown.reference == known.reference;
        match is_itself || self.mode == Mode::Initialization {
            true => "M8a",
            false => "M8",
        }
    }

    /// Its Real part, for derivatives.
    pub fn reals(mut self) -> Self {
        self.knowns
            .retain(|known| matches!(known.kind, Kind::Real | Kind::State(_) | Kind::Time));
        self.unknowns
            .retain(|unknown| unknown.base_type == BaseType::Real);
        self
    }

    /// Values of all unknowns.
    pub fn read(&self, driver: &mut Driver) -> Result<Vec<Value>, Error> {
        let mut values = Vec::with_capacity(self.unknowns.len());
        for unknown in &self.unknowns {
            values.push(match unknown.base_type {
                BaseType::Integer => Value::Integer(driver.integer(unknown.reference)?),
                BaseType::Boolean => Value::Boolean(driver.boolean(unknown.reference)?),
                _ => Value::Real(driver.real(unknown.reference)?),
            });
        }
        Ok(values)
    }

    /// Values of all unknowns, which are Real.
    pub fn read_reals(&self, driver: &mut Driver) -> Result<Vec<f64>, Error> {
        let references: Vec<_> = self.unknowns.iter().map(|unknown| unknown.reference).collect();
        let mut values = vec![0.0; references.len()];
        driver.get_reals(&references, &mut values)?;
        Ok(values)
    }
}

/// The start value of a variable.
pub(super) fn start_value(kind: &VariableKind) -> Option<Value> {
    Some(match kind {
        VariableKind::Real { start, .. } => Value::Real(start.one()?),
        VariableKind::Integer { start, .. } | VariableKind::Enumeration { start, .. } => {
            Value::Integer(start.one()?.try_into().ok()?)
        }
        VariableKind::Boolean { start, .. } => Value::Boolean(start.one()?),
        VariableKind::String { start, .. } => Value::String(start.one()?),
        VariableKind::Binary { .. } | VariableKind::Clock { .. } => return None,
    })
}

fn sample<T>(list: Vec<T>, most: usize) -> Vec<T> {
    let every = list.len().div_ceil(most).max(1);
    list.into_iter().step_by(every).collect()
}

fn scale(variable: &ModelVariable) -> f64 {
    let VariableKind::Real {
        attributes, start, ..
    } = &variable.kind
    else {
        return 1.0;
    };
    let nominal = attributes.nominal.filter(|nominal| *nominal > 0.0).unwrap_or(1.0);
    nominal.max(start.one().map_or(0.0, f64::abs)).min(1e12)
}

/// How a variable is set in a mode, if it is a known there.
fn known_kind(variable: &ModelVariable, state: Option<usize>, mode: Mode) -> Option<Kind> {
    let plain = match BaseType::of(&variable.kind) {
        BaseType::Real => Kind::Real,
        BaseType::Integer => Kind::Integer,
        BaseType::Boolean => Kind::Boolean,
        BaseType::String => return None,
    };
    let input = variable.causality == Causality::Input;
    let continuous = variable.variability == Variability::Continuous;
    match mode {
        Mode::Initialization => {
            let exact =
                initial(variable) == Some(Initial::Exact) && variable.variability != Variability::Constant;
            (input || exact).then_some(plain)
        }
        Mode::ContinuousTime => match state {
            Some(position) => Some(Kind::State(position)),
            None if variable.causality == Causality::Independent => Some(Kind::Time),
            None => (input && continuous).then_some(plain),
        },
        Mode::Event | Mode::CommunicationPoint => input.then_some(plain),
    }
}

impl Known {
    /// Its value now.
    pub fn get(&self, driver: &mut Driver) -> Result<Value, Error> {
        if let Some(start) = &self.start {
            return Ok(start.clone());
        }
        Ok(match self.kind {
            Kind::Integer => Value::Integer(driver.integer(self.reference)?),
            Kind::Boolean => Value::Boolean(driver.boolean(self.reference)?),
            Kind::Time => Value::Real(driver.time),
            Kind::Real | Kind::State(_) => Value::Real(driver.real(self.reference)?),
        })
    }

    pub fn set(&self, driver: &mut Driver, value: &Value) -> Result<(), Error> {
        match (self.kind, value) {
            (Kind::Integer, Value::Integer(value)) => driver.set_integers(&[self.reference], &[*value]),
            (Kind::Boolean, Value::Boolean(value)) => driver.set_booleans(&[self.reference], &[*value]),
            (Kind::Real, Value::Real(value)) => driver.set_reals(&[self.reference], &[*value]),
            (Kind::Time, Value::Real(value)) => match driver.model_exchange() {
                Some(model) => model.set_time(*value),
                None => Ok(()),
            },
            (Kind::State(position), Value::Real(value)) => {
                let Some(model) = driver.model_exchange() else {
                    return Ok(());
                };
                let mut x = vec![0.0; model.number_of_states()];
                model.continuous_states(&mut x)?;
                if let Some(state) = x.get_mut(position) {
                    *state = *value;
                }
                model.set_continuous_states(&x)
            }
            _ => Ok(()),
        }
    }

    /// Other values that are worth a try.
    pub fn others(&self, value: &Value, step: f64) -> Vec<Value> {
        match *value {
            // Time goes forward, and not beyond the next point.
            Value::Real(time) if self.kind == Kind::Time => vec![Value::Real(time + 0.3 * step)],
            Value::Real(real) => {
                let size = self.scale.max(real.abs());
                let offsets = [1e-3, -1e-3, 0.3, -0.3];
                offsets
                    .iter()
                    .map(|offset| Value::Real(real + offset * size))
                    .collect()
            }
            Value::Integer(integer) => vec![
                Value::Integer(integer.wrapping_add(1)),
                Value::Integer(integer.wrapping_sub(1)),
            ],
            Value::Boolean(boolean) => vec![Value::Boolean(!boolean)],
            Value::String(_) => Vec::new(),
        }
    }
}

impl Probe {
    /// A fresh instance in a mode, some way into the run for those in which there is a run.
    pub fn at(&self, mode: Mode) -> Result<Option<Driver>, Error> {
        if mode == Mode::Initialization {
            let mut driver = self.instance()?;
            driver.setup_experiment(&self.plan.experiment())?;
            driver.enter_initialization_mode()?;
            return Ok(Some(driver));
        }
        let plan = self.plan;
        let mut driver = self.running()?;
        for _ in 0..plan.steps.min(7) {
            driver.advance(&plan, &mut Vec::new())?;
        }
        if !driver.is_running() {
            // Too far: the first point will do.
            drop(driver);
            driver = self.running()?;
        }
        if mode == Mode::Event
            && let Some(model) = driver.model_exchange()
            && model.state() == State::ContinuousTime
        {
            model.enter_event_mode()?;
        }
        Ok((!driver.ended).then_some(driver))
    }
}
