//! The functions of FMI 3.0 that do more than pass on their arguments: conversions, and what only this version has.

use super::dependencies;
use super::extra::{Extra, List};
use super::layout::{Type, first_indicator};
use crate::Next;
use crate::cosim::Stopped;
use crate::instance::{Experiment, Instance, Interface, Outcome, Problem};
use crate::model::Model;
use fmu_standard::fmi3::{
    fmi3Boolean, fmi3DependencyKind, fmi3Float64, fmi3Int32, fmi3Int64, fmi3String, fmi3ValueReference,
};

type References<'a> = &'a [fmi3ValueReference];

/// `fmi3EnterInitializationMode`.
pub fn enter_initialization_mode<M: Model>(instance: &mut Instance<M>, experiment: Experiment) -> Outcome {
    instance.setup_experiment(experiment)?;
    instance.enter_initialization_mode()
}

/// `fmi3ExitInitializationMode`.
pub fn exit_initialization_mode<M: Model>(instance: &mut Instance<M>, extra: &Extra) -> Outcome {
    match instance.interface == Interface::CoSimulation && extra.event_mode_used {
        true => instance.exit_initialization_mode_to_event_mode(),
        false => instance.exit_initialization_mode(),
    }
}

/// `fmi3EnterEventMode`.
pub fn enter_event_mode<M: Model>(instance: &mut Instance<M>, extra: &Extra) -> Outcome {
    match instance.interface == Interface::CoSimulation && !extra.event_mode_used {
        true => Err(Problem::error(
            "not allowed: the instance was made with eventModeUsed = fmi3False",
        )),
        false => instance.enter_event_mode(),
    }
}

/// `fmi3GetFloat64`.
#[inline]
pub fn get_float64<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &mut [fmi3Float64],
) -> Outcome {
    extra.resolve::<M>(List::First, references, Type::Float64, ("nValues", values.len()))?;
    let slots = extra.slots(List::First);
    let first_indicator = first_indicator::<M>() as u32;
    if M::EVENT_INDICATORS == 0 || slots.iter().all(|&slot| slot < first_indicator) {
        return instance.get_reals(slots, values);
    }
    let mut indicators = vec![0.0; M::EVENT_INDICATORS];
    instance.get_event_indicators(&mut indicators)?;
    for (&slot, value) in slots.iter().zip(values) {
        match slot.checked_sub(first_indicator) {
            Some(indicator) => *value = indicators[indicator as usize],
            None => instance.get_reals(&[slot], std::slice::from_mut(value))?,
        }
    }
    Ok(())
}

/// `fmi3SetFloat64`.
#[inline]
pub fn set_float64<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &[fmi3Float64],
) -> Outcome {
    extra.resolve::<M>(List::First, references, Type::Float64, ("nValues", values.len()))?;
    instance.set_reals(extra.slots(List::First), values)
}

/// `fmi3GetInt32`.
pub fn get_int32<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &mut [fmi3Int32],
) -> Outcome {
    extra.resolve::<M>(List::First, references, Type::Int32, ("nValues", values.len()))?;
    instance.get_integers(extra.slots(List::First), values)
}

/// `fmi3SetInt32`.
pub fn set_int32<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &[fmi3Int32],
) -> Outcome {
    extra.resolve::<M>(List::First, references, Type::Int32, ("nValues", values.len()))?;
    instance.set_integers(extra.slots(List::First), values)
}

/// `fmi3GetInt64`: enumerations.
pub fn get_int64<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &mut [fmi3Int64],
) -> Outcome {
    extra.resolve::<M>(
        List::First,
        references,
        Type::Enumeration,
        ("nValues", values.len()),
    )?;
    let mut narrow = vec![0; values.len()];
    instance.get_integers(extra.slots(List::First), &mut narrow)?;
    for (value, narrow) in values.iter_mut().zip(narrow) {
        *value = narrow.into();
    }
    Ok(())
}

/// `fmi3SetInt64`: enumerations.
pub fn set_int64<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &[fmi3Int64],
) -> Outcome {
    extra.resolve::<M>(
        List::First,
        references,
        Type::Enumeration,
        ("nValues", values.len()),
    )?;
    let mut narrow = Vec::with_capacity(values.len());
    for &value in values {
        let item = i32::try_from(value);
        narrow
            .push(item.map_err(|_| Problem::discard(format!("{value} is not an item of its enumeration")))?);
    }
    instance.set_integers(extra.slots(List::First), &narrow)
}

/// `fmi3GetBoolean`.
pub fn get_boolean<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &mut [fmi3Boolean],
) -> Outcome {
    extra.resolve::<M>(List::First, references, Type::Boolean, ("nValues", values.len()))?;
    instance.get_booleans(extra.slots(List::First), |index, value| {
        values[index] = value.into()
    })
}

/// `fmi3SetBoolean`: everything but 0 is true.
pub fn set_boolean<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &[fmi3Boolean],
) -> Outcome {
    extra.resolve::<M>(List::First, references, Type::Boolean, ("nValues", values.len()))?;
    instance.set_booleans(extra.slots(List::First), |index| values[index] != 0)
}

/// `fmi3GetString`.
pub fn get_string<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &mut [fmi3String],
) -> Outcome {
    extra.resolve::<M>(List::First, references, Type::String, ("nValues", values.len()))?;
    instance.get_strings(extra.slots(List::First), values)
}

/// `fmi3SetString`.
pub fn set_string<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    values: &[&str],
) -> Outcome {
    extra.resolve::<M>(List::First, references, Type::String, ("nValues", values.len()))?;
    instance.set_strings(extra.slots(List::First), values)
}

/// `fmi3GetNumberOfVariableDependencies`.
pub fn number_of_dependencies<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    reference: fmi3ValueReference,
) -> Outcome<usize> {
    Ok(dependencies::of_variable(instance, extra, reference)?.len())
}

/// Where `fmi3GetVariableDependencies` puts its answer.
pub struct Dependencies<'a> {
    /// `elementIndicesOfDependent`.
    pub elements: &'a mut [usize],
    /// `independents`.
    pub independents: &'a mut [fmi3ValueReference],
    /// `elementIndicesOfIndependents`.
    pub elements_of_independents: &'a mut [usize],
    /// `dependencyKinds`.
    pub kinds: &'a mut [fmi3DependencyKind],
}

/// `fmi3GetVariableDependencies`.
pub fn get_dependencies<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    reference: fmi3ValueReference,
    places: Dependencies<'_>,
) -> Outcome {
    let entries = dependencies::of_variable(instance, extra, reference)?;
    if entries.len() != places.kinds.len() {
        return Err(Problem::error(format!(
            "nDependencies is {}, but the variable has {}",
            places.kinds.len(),
            entries.len()
        )));
    }
    for (index, entry) in entries.iter().enumerate() {
        places.elements[index] = entry.element;
        places.independents[index] = entry.known;
        places.elements_of_independents[index] = entry.known_element;
        places.kinds[index] = entry.kind;
    }
    Ok(())
}

/// `fmi3GetDirectionalDerivative`.
pub fn get_directional_derivative<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    (unknowns, knowns): (References<'_>, References<'_>),
    seed: &[fmi3Float64],
    sensitivity: &mut [fmi3Float64],
) -> Outcome {
    extra.resolve::<M>(
        List::First,
        unknowns,
        Type::Float64,
        ("nSensitivity", sensitivity.len()),
    )?;
    extra.resolve::<M>(List::Second, knowns, Type::Float64, ("nSeed", seed.len()))?;
    let (unknowns, knowns) = (extra.slots(List::First), extra.slots(List::Second));
    instance.get_directional_derivative(unknowns, knowns, seed, sensitivity)
}

/// `fmi3GetAdjointDerivative`.
pub fn get_adjoint_derivative<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    (unknowns, knowns): (References<'_>, References<'_>),
    seed: &[fmi3Float64],
    sensitivity: &mut [fmi3Float64],
) -> Outcome {
    extra.resolve::<M>(List::First, unknowns, Type::Float64, ("nSeed", seed.len()))?;
    extra.resolve::<M>(
        List::Second,
        knowns,
        Type::Float64,
        ("nSensitivity", sensitivity.len()),
    )?;
    let (unknowns, knowns) = (extra.slots(List::First), extra.slots(List::Second));
    instance.get_adjoint_derivative(unknowns, knowns, seed, sensitivity)
}

/// Where `fmi3UpdateDiscreteStates` puts its answer.
pub struct Update<'a> {
    /// `discreteStatesNeedUpdate`.
    pub needed: &'a mut fmi3Boolean,
    /// `terminateSimulation`.
    pub terminate: &'a mut fmi3Boolean,
    /// `nominalsOfContinuousStatesChanged`.
    pub nominals_changed: &'a mut fmi3Boolean,
    /// `valuesOfContinuousStatesChanged`.
    pub states_changed: &'a mut fmi3Boolean,
    /// `nextEventTimeDefined`.
    pub next_event_time_defined: &'a mut fmi3Boolean,
    /// `nextEventTime`.
    pub next_event_time: &'a mut fmi3Float64,
}

/// `fmi3UpdateDiscreteStates`.
pub fn update_discrete_states<M: Model>(instance: &mut Instance<M>, update: Update<'_>) -> Outcome {
    let pass = instance.new_discrete_states()?;
    *update.needed = (pass.next == Next::Iterate).into();
    *update.terminate = (pass.next == Next::Terminate).into();
    *update.nominals_changed = false.into();
    *update.states_changed = pass.states_changed.into();
    *update.next_event_time_defined = pass.next_event_time.is_some().into();
    *update.next_event_time = pass.next_event_time.unwrap_or(0.0);
    Ok(())
}

/// `fmi3GetOutputDerivatives`: one order per value reference.
pub fn get_output_derivatives<M: Model>(
    instance: &mut Instance<M>,
    extra: &mut Extra,
    references: References<'_>,
    orders: &[fmi3Int32],
    values: &mut [fmi3Float64],
) -> Outcome {
    extra.resolve::<M>(List::First, references, Type::Float64, ("nValues", values.len()))?;
    let mut orders_of_elements = Vec::with_capacity(values.len());
    for (&reference, &order) in references.iter().zip(orders) {
        let length = extra.address(reference).map_or(0, |address| address.length);
        orders_of_elements.extend((0..length).map(|_| order));
    }
    instance.get_output_derivatives(extra.slots(List::First), &orders_of_elements, values)
}

/// Where `fmi3DoStep` puts its answer.
pub struct StepEnd<'a> {
    /// `eventHandlingNeeded`.
    pub event_handling_needed: &'a mut fmi3Boolean,
    /// `terminateSimulation`.
    pub terminate: &'a mut fmi3Boolean,
    /// `earlyReturn`.
    pub early_return: &'a mut fmi3Boolean,
    /// `lastSuccessfulTime`.
    pub last_successful_time: &'a mut fmi3Float64,
}

/// `fmi3DoStep`.
pub fn do_step<M: Model>(
    instance: &mut Instance<M>,
    extra: &Extra,
    (point, step): (f64, f64),
    end: StepEnd<'_>,
) -> Outcome {
    let stopped = instance.do_step_to_event(point, step, extra.stops())?;
    let time = instance.run.evaluator.time();
    let is_early = time < point + step && stopped != Stopped::End;
    *end.event_handling_needed = (stopped == Stopped::BeforeEvent).into();
    *end.terminate = (stopped == Stopped::Termination).into();
    *end.early_return = (is_early && extra.early_return_allowed).into();
    *end.last_successful_time = time;
    Ok(())
}
