//! Sets start values so that they remain set, whenever an FMU loads its defaults.
//!
//! The standard lets parameters and start values be set as soon as there is an instance. But some FMUs load their
//! defaults in `fmi2SetupExperiment` or in `fmi2EnterInitializationMode`, which loses what was set before, and others
//! evaluate parameters in these functions, which ignores what is set after. So each value is set before and after
//! `fmi2SetupExperiment`, and in initialization mode if it reads back differently; setting it twice is legal and
//! does no harm. Only values that a person set are read back.

use fmu_standard::description::{Causality, Initial};
use fmu_standard::legality::effective_initial;

use super::{Instance, State, Value};
use crate::{BaseType, Error};

/// A value for the start of a simulation.
#[derive(Clone, Debug)]
pub(super) struct StartValue {
    name: String,
    value_reference: u32,
    value: Value,
    causality: Causality,
    /// It may be set in initialization mode as well.
    exact: bool,
}

impl Instance {
    /// Sets the variable with a name for the start of a simulation, before initialization begins: at once or, if it is an
    /// input, which the standard does not allow to be set earlier, as soon as it has begun. The value is set again where an FMU
    /// loads its defaults later; [`Instance::lost_values`] says what it ignores all the same.
    ///
    /// ```no_run
    /// use fmu_importer::{Experiment, Fmu};
    ///
    /// let mut motor = Fmu::open("DCMotor.fmu")?.co_simulation("motor")?;
    /// motor.set_start("voltage", 12.0)?;
    /// motor.initialize(&Experiment::default())?;
    /// assert_eq!(motor.real("voltage")?, 12.0);
    /// # Ok::<(), fmu_importer::Error>(())
    /// ```
    pub fn set_start(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Error> {
        let variable = self.fmu.variable(name)?;
        let (causality, value_reference) = (variable.causality, variable.value_reference);
        let initial = effective_initial(causality, variable.variability, variable.initial);
        let base_type = BaseType::of(&variable.kind);
        let value = match (value.into(), base_type) {
            (Value::Integer(value), BaseType::Real) => Value::Real(value.into()),
            (value, _) => value,
        };
        if value.base_type() != base_type {
            return Err(Error::WrongType {
                name: name.into(),
                expected: value.base_type(),
                found: base_type,
            });
        }
        if self.state != State::Instantiated {
            return self.set(name, value);
        }
        if causality != Causality::Input {
            let before = self.warned;
            self.set(name, value.clone())?;
            self.note_warning(before, name, &value);
        }
        // Of several names of one variable, and of several values, the last one counts.
        self.start_values
            .retain(|other| (other.value.base_type(), other.value_reference) != (base_type, value_reference));
        self.start_values.push(StartValue {
            name: name.into(),
            value_reference,
            value,
            causality,
            exact: initial == Some(Initial::Exact),
        });
        Ok(())
    }

    /// Sets the start values of another instance of the same FMU, before initialization begins.
    pub fn start_like(&mut self, other: &Instance) -> Result<(), Error> {
        let values = other.start_values.iter();
        values
            .map(|start| (start.name.clone(), start.value.clone()))
            .try_for_each(|(name, value)| self.set_start(&name, value))
    }

    /// A sentence for each value of [`Instance::set_start`] that the FMU has not taken over; complete once it is
    /// initialized.
    pub fn lost_values(&self) -> &[String] {
        &self.lost_values
    }

    /// Names the start value that the first warning is about, if setting it was the reason.
    fn note_warning(&mut self, before: u64, name: &str, value: &Value) {
        if let (0, 1.., Some(words)) = (before, self.warned, &mut self.first_warning) {
            *words = format!("{name} = {value}, {words}");
        }
    }

    /// Sets start values again after `fmi2SetupExperiment`, which may have loaded defaults.
    pub(super) fn set_again(&mut self) -> Result<(), Error> {
        let values = std::mem::take(&mut self.start_values);
        let mut outer = values.iter().filter(|start| start.causality != Causality::Input);
        let result = outer.try_for_each(|start| self.set_value(start.value_reference, &start.value));
        self.start_values = values;
        result
    }

    /// Sets inputs and, in initialization mode, whatever `fmi2EnterInitializationMode` has overwritten.
    pub(super) fn set_in_initialization(&mut self) -> Result<(), Error> {
        let values = std::mem::take(&mut self.start_values);
        for start in &values {
            if start.causality == Causality::Input {
                let before = self.warned;
                self.set_value(start.value_reference, &start.value)?;
                self.note_warning(before, &start.name, &start.value);
            }
        }
        for start in values.iter().filter(|start| start.exact) {
            if self.read_back(start).is_some() {
                self.set_value(start.value_reference, &start.value)?;
            }
        }
        for start in values
            .iter()
            .filter(|start| start.exact && start.causality != Causality::Parameter)
        {
            self.judge(start, "the start value");
        }
        self.start_values = values;
        Ok(())
    }

    /// Looks at parameters after initialization, which must not change them.
    pub(super) fn look_at_parameters(&mut self) {
        let values = std::mem::take(&mut self.start_values);
        for start in &values {
            if start.causality == Causality::Parameter {
                self.judge(start, "the parameter");
            }
        }
        self.start_values = values;
    }

    fn judge(&mut self, start: &StartValue, what: &str) {
        if let Some(found) = self.read_back(start) {
            let (name, set) = (&start.name, &start.value);
            let sentence = format!("{what} {name} was set to {set}, but the FMU goes on with {found}");
            self.lost_values.push(sentence);
        }
    }

    /// What the FMU has in place of a start value. Nothing if it has that value or does not say: an FMU that refuses
    /// the question goes on as if it had not been asked.
    fn read_back(&mut self, start: &StartValue) -> Option<Value> {
        let state = self.state;
        let found = self.value(start.value.base_type(), start.value_reference);
        if self.state == State::Error {
            self.state = state;
        }
        let same = |found: &Value| match (found, &start.value) {
            (Value::Real(found), Value::Real(set)) => found == set || found.is_nan() && set.is_nan(),
            (found, set) => found == set,
        };
        found.ok().filter(|found| !same(found))
    }
}
