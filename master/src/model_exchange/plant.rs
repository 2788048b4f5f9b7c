//! The equations of an FMU as a system to integrate: time, inputs and states go in, derivatives come out.

use fmu_importer::partials::{Of, Partials};
use fmu_importer::{BaseType, Error, Fmu, InputDerivatives, ModelExchange, RealVariables, Status};
use fmu_numerics::{Break, Curve, ImplicitSystem, Pattern, System};
use fmu_standard::description::{Causality, Reference, Unknown, Variability};
use fmu_standard::extension::is_own;

use crate::component::ComponentError;
use crate::component::{Curves, feeds_through};

/// What is known of the FMU and does not change.
#[derive(Debug)]
pub(super) struct Facts {
    /// Value references of all coupled inputs and outputs.
    pub inputs: RealVariables,
    pub outputs: RealVariables,
    /// Which inputs may change in continuous time; the others only in event mode.
    pub continuous: Vec<usize>,
    pub curves: RealVariables,
    /// Their positions in the description, and their sizes.
    curve_positions: Vec<usize>,
    pub curve_nominals: Vec<f64>,
    /// Which outputs may change in continuous time, and their value references.
    pub smooth: Vec<usize>,
    pub smooth_references: Vec<u32>,
    /// Which of them depend on inputs at the same time, and their value references.
    pub fed: Vec<usize>,
    pub fed_references: Vec<u32>,
    /// Value references of what derivatives are by: states, continuous inputs, and the independent variable, if it is needed
    /// and declared.
    pub knowns: Vec<u32>,
    pub derivatives: Vec<u32>,
    pub states: usize,
    /// How `fmi2GetDirectionalDerivative` gives derivatives by time of the states' derivatives, and of the outputs.
    pub of_derivatives: ByTime,
    pub of_outputs: ByTime,
    /// Each step of the integrator is announced to the FMU (`completedIntegratorStepNotNeeded` is false).
    pub announces_steps: bool,
}

/// How far directional derivatives go where the independent variable moves, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByTime {
    /// They are not offered, or it is not declared whether time has a part in it.
    Unknown,
    /// Time has no part in it.
    Independent,
    /// The independent variable is one of the knowns.
    Known,
}

impl Facts {
    pub fn new(instance: &ModelExchange, inputs: &[u32], outputs: &[u32]) -> Result<Facts, ComponentError> {
        let fmu = instance.fmu();
        let description = fmu.description();
        let variables = &description.model_variables;
        let continuous = |references: &[u32], causality: Causality| -> Vec<usize> {
            let is = |reference: u32| {
                variables.iter().any(|variable| {
                    variable.value_reference == reference
                        && variable.causality == causality
                        && variable.variability == Variability::Continuous
                        && BaseType::of(&variable.kind) == BaseType::Real
                })
            };
            (0..references.len()).filter(|&at| is(references[at])).collect()
        };
        let moving = continuous(inputs, Causality::Input);
        let smooth = continuous(outputs, Causality::Output);
        let references: Vec<u32> = moving.iter().map(|&at| inputs[at]).collect();
        let position = |reference: &u32| {
            variables.iter().position(|variable| {
                variable.value_reference == *reference && variable.causality == Causality::Input
            })
        };
        let curve_positions: Vec<usize> = references.iter().filter_map(position).collect();
        let size = |&position: &usize| {
            let nominal = fmu.real_attributes(position).and_then(|real| real.nominal);
            nominal.map_or(1.0, usual_size)
        };
        let states = fmu.continuous_states()?;
        let reference = |position: usize| variables[position].value_reference;
        let mut knowns: Vec<u32> = states.iter().map(|one| reference(one.state)).collect();
        knowns.extend(&references);
        let time = variables
            .iter()
            .position(|variable| variable.causality == Causality::Independent);
        if let Some(time) = time {
            knowns.push(reference(time));
        }
        let structure = &description.model_structure;
        let smooth_references: Vec<u32> = smooth.iter().map(|&at| outputs[at]).collect();
        let coupled = |unknown: &&Unknown| {
            description.variable(unknown.variable).is_some_and(|variable| {
                BaseType::of(&variable.kind) == BaseType::Real
                    && smooth_references.contains(&variable.value_reference)
            })
        };
        let exchange = description.model_exchange.as_ref();
        let fed: Vec<usize> = smooth
            .iter()
            .copied()
            .filter(|&output| feeds_through(fmu, outputs[output], inputs))
            .collect();
        Ok(Facts {
            fed_references: fed.iter().map(|&output| outputs[output]).collect(),
            fed,
            of_derivatives: by_time(fmu, time, structure.derivatives.iter()),
            of_outputs: by_time(fmu, time, structure.outputs.iter().filter(coupled)),
            inputs: instance.real_variables(inputs)?,
            outputs: instance.real_variables(outputs)?,
            curves: instance.real_variables(&references)?,
            curve_nominals: curve_positions.iter().map(size).collect(),
            curve_positions,
            continuous: moving,
            derivatives: states.iter().map(|one| reference(one.derivative)).collect(),
            states: states.len(),
            announces_steps: exchange.is_none_or(|me| !me.completed_integrator_step_not_needed),
            smooth,
            smooth_references,
            knowns,
        })
    }

    /// The partial derivatives of the states' derivatives by the states and, if they are driven, by the continuous inputs.
    pub fn jacobian(&self, fmu: &Fmu, driven: bool) -> Result<Partials, ComponentError> {
        let unknowns = fmu.description().model_structure.derivatives.iter().collect();
        self.partials(fmu, unknowns, driven)
    }

    /// The partial derivatives of the states' derivatives and of the continuous outputs by the states and the continuous
    /// inputs: A, B, C and D.
    pub fn linear(&self, fmu: &Fmu) -> Result<Partials, ComponentError> {
        let description = fmu.description();
        let (variables, structure) = (&description.model_variables, &description.model_structure);
        let is = |variable: Reference, reference: u32| {
            description.variable(variable).is_some_and(|variable| {
                variable.value_reference == reference && BaseType::of(&variable.kind) == BaseType::Real
            })
        };
        let outputs = self.smooth_references.iter().map(|&reference| {
            let mut listed = structure.outputs.iter();
            let listed = listed.find(|unknown| is(unknown.variable, reference));
            // An output that is not listed may depend on everything.
            listed.cloned().unwrap_or_else(|| {
                let position = (0..variables.len()).find(|&position| is(Reference::to(position), reference));
                Unknown::at(position.unwrap_or_default())
            })
        });
        let outputs: Vec<Unknown> = outputs.collect();
        self.partials(fmu, structure.derivatives.iter().chain(&outputs).collect(), true)
    }

    fn partials(
        &self,
        fmu: &Fmu,
        unknowns: Vec<&Unknown>,
        by_inputs: bool,
    ) -> Result<Partials, ComponentError> {
        let mut knowns: Vec<usize> = fmu.continuous_states()?.iter().map(|one| one.state).collect();
        if by_inputs {
            knowns.extend(&self.curve_positions);
        }
        let of = Of {
            unknowns,
            knowns,
            states: self.states,
        };
        Ok(Partials::new(fmu, &of, true))
    }

    /// The pattern of the Jacobian that the integrator sees. Driven inputs come behind the states, and may depend on
    /// everything.
    pub fn pattern(&self, jacobian: &Partials) -> Pattern {
        let own = jacobian.pattern();
        let (n, all) = (own.rows(), own.columns());
        let driven = (n..all).flat_map(|row| (0..all).map(move |column| (row, column)));
        Pattern::new(all, all, own.iter().chain(driven))
    }

    /// The knowns that a directional derivative along the solution has.
    fn knowns(&self, by_time: ByTime) -> &[u32] {
        match by_time {
            ByTime::Known => &self.knowns,
            _ => &self.knowns[..self.states + self.continuous.len()],
        }
    }
}

/// A nominal value as a size to divide by.
pub(super) fn usual_size(nominal: f64) -> f64 {
    let size = nominal.abs();
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

fn by_time<'a>(
    fmu: &Fmu,
    time: Option<usize>,
    mut unknowns: impl Iterator<Item = &'a Unknown> + Clone,
) -> ByTime {
    let exchange = fmu.description().model_exchange.as_ref();
    let interface = exchange.map(|me| &me.interface);
    let (true, Some(time)) = (
        interface.is_some_and(|interface| interface.provides_directional_derivative),
        time,
    ) else {
        return ByTime::Unknown;
    };
    if unknowns.clone().any(|unknown| unknown.dependencies.is_none()) {
        return ByTime::Unknown;
    }
    let on_time = |unknown: &Unknown| {
        let mut on = unknown.depends_on().into_iter().flatten();
        on.any(|(known, _)| known == time)
    };
    match unknowns.any(on_time) {
        // The standard lets FMUs offer derivatives by the independent variable, and no flag says whether they do.
        true if is_own(fmu.description()) => ByTime::Known,
        true => ByTime::Unknown,
        false => ByTime::Independent,
    }
}

/// The coupled inputs as curves. Those that are discrete are constant, and jump at events.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    pub curves: Vec<Curve>,
    /// When the step at hand has begun.
    t0: f64,
    /// Something was given for the step to come: what is not given is constant.
    fresh: bool,
    /// Some curve is more than a constant in the step at hand.
    moving: bool,
}

impl Inputs {
    /// Inputs that have these values and do not move.
    pub fn at(t: f64, u: &[f64]) -> Inputs {
        Inputs {
            curves: u.iter().map(|u| Curve::constant(*u)).collect(),
            t0: t,
            fresh: false,
            moving: false,
        }
    }

    /// Something is given for the step to come: the curves of the last one are over.
    fn renew(&mut self) {
        if !std::mem::replace(&mut self.fresh, true) {
            self.curves
                .iter_mut()
                .for_each(|curve| curve.derivatives.fill(0.0));
        }
    }

    pub fn set(&mut self, u: &[f64]) {
        self.renew();
        for (curve, u) in self.curves.iter_mut().zip(u) {
            curve.u = *u;
        }
    }

    pub fn set_derivative(&mut self, input: usize, order: usize, value: f64) {
        self.renew();
        self.curves[input].derivatives[order - 1] = value;
    }

    /// Some inputs are states of the integration: where they are is where they were given, or where it has led to.
    pub fn drive(&mut self, driven: &[usize], u: &[f64]) {
        for (&input, u) in driven.iter().zip(u) {
            self.curves[input] = Curve::constant(*u);
        }
    }

    /// A communication step begins. Returns how curves deviate from the end of the last step, if they do.
    pub fn begin(&mut self, t: f64) -> Option<Break> {
        self.renew();
        self.fresh = false;
        self.t0 = t;
        self.moving = self.curves.iter().any(Curve::moves);
        self.curves.iter().filter_map(Curve::broken).max()
    }

    /// A communication step has ended: the same curves, around `t`.
    pub fn end(&mut self, t: f64) {
        self.curves.iter_mut().for_each(|curve| curve.end(t - self.t0));
        self.t0 = t;
    }

    /// The value of an input at a time of the step at hand.
    pub fn value(&self, input: usize, t: f64) -> f64 {
        self.curves[input].derivative(0, t - self.t0)
    }

    /// How fast an input changes at a time of the step at hand.
    fn slope(&self, input: usize, t: f64) -> f64 {
        self.curves[input].derivative(1, t - self.t0)
    }
}

/// Room for what evaluations compute on the way.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    u: Vec<f64>,
    seed: Vec<f64>,
    x: Vec<f64>,
    slopes: [Vec<f64>; 2],
}

/// The FMU during a communication step. Behind its own states, the state vector has the driven inputs.
pub(super) struct Plant<'a> {
    pub instance: &'a mut ModelExchange,
    pub facts: &'a Facts,
    pub inputs: &'a Inputs,
    pub jacobian: &'a mut Partials,
    /// The sizes of the states.
    pub nominals: &'a [f64],
    /// The end of the communication step: nothing is evaluated beyond it.
    pub end: f64,
    pub scratch: &'a mut Scratch,
    /// What drives the continuous inputs, if they are states of the integration.
    pub driver: Option<&'a mut Curves>,
}

impl Plant<'_> {
    /// Brings the FMU to a point of the step.
    pub fn place(&mut self, t: f64, x: &[f64]) -> Result<(), Error> {
        let (x, driven) = x.split_at(self.facts.states);
        self.instance.set_time(t)?;
        if !x.is_empty() {
            self.instance.set_continuous_states(x)?;
        }
        if !driven.is_empty() {
            self.instance.set_known_reals(&self.facts.curves, driven)?;
        } else if self.inputs.moving {
            self.set_inputs(t)?;
        }
        Ok(())
    }

    /// The derivatives of the driven inputs `u`, where the states `x` have the derivatives `dx`.
    pub(super) fn drive(
        &mut self,
        t: f64,
        u: &[f64],
        x: &[f64],
        dx: &[f64],
        du: &mut [f64],
    ) -> Result<(), Error> {
        match &mut self.driver {
            Some(driver) if !u.is_empty() => match driver.derivatives(t, u, x, dx, du) {
                true => Ok(()),
                // A shorter step may do.
                false => Err(Error::Call {
                    instance: self.instance.name().to_owned(),
                    function: "the linear model around",
                    status: Status::Discard,
                    messages: Vec::new(),
                }),
            },
            _ => Ok(()),
        }
    }

    /// Sets the continuous inputs to what was given for the step to come.
    pub fn set_given_inputs(&mut self) -> Result<(), Error> {
        let (u, inputs) = (&mut self.scratch.u, self.inputs);
        u.clear();
        u.extend(self.facts.continuous.iter().map(|&input| inputs.curves[input].u));
        match u.is_empty() {
            true => Ok(()),
            false => self.instance.set_known_reals(&self.facts.curves, u),
        }
    }

    /// Sets the continuous inputs to where their curves are.
    fn set_inputs(&mut self, t: f64) -> Result<(), Error> {
        let (u, inputs) = (&mut self.scratch.u, self.inputs);
        u.clear();
        u.extend(self.facts.continuous.iter().map(|&input| inputs.value(input, t)));
        match u.is_empty() {
            true => Ok(()),
            false => self.instance.set_known_reals(&self.facts.curves, u),
        }
    }

    /// How some variables change along the solution, where the states and the driven inputs have the derivatives `dx`:
    /// exact, where the FMU offers that, as `by_time` says.
    pub fn along(
        &mut self,
        unknowns: &[u32],
        by_time: ByTime,
        t: f64,
        dx: &[f64],
        result: &mut [f64],
    ) -> Result<(), Error> {
        let (seed, inputs) = (&mut self.scratch.seed, self.inputs);
        seed.clear();
        seed.extend_from_slice(dx);
        if dx.len() == self.facts.states {
            seed.extend(self.facts.continuous.iter().map(|&input| inputs.slope(input, t)));
        }
        let knowns = self.facts.knowns(by_time);
        if by_time == ByTime::Known {
            seed.push(1.0);
        }
        self.instance
            .directional_derivative(unknowns, knowns, seed, result)
    }

    /// A step for differences along the solution: no state moves by more than a part of 1.5e-8, and time by more than rounding
    /// takes from it.
    pub fn little_further(&self, t: f64, x: &[f64], dx: &[f64]) -> f64 {
        let rates = x.iter().zip(dx).zip(self.nominals);
        let fastest = rates.map(|((x, dx), nominal)| dx.abs() / (x.abs() + nominal));
        let fastest = fastest.fold(1.0 / (1.0 + t.abs()), f64::max);
        let step = f64::EPSILON.sqrt() / fastest;
        if t + step > self.end { -step } else { step }
    }

    /// The derivative of `f` along the solution by a difference: time, states and inputs go a little further.
    fn difference(&mut self, t: f64, x: &[f64], dx: &[f64], ddx: &mut [f64]) -> Result<(), Error> {
        let step = self.little_further(t, x, dx);
        let mut scratch = std::mem::take(self.scratch);
        scratch.x.clear();
        scratch.x.extend(x.iter().zip(dx).map(|(x, dx)| x + step * dx));
        let [before, after] = &mut scratch.slopes;
        before.resize(x.len(), 0.0);
        after.resize(x.len(), 0.0);
        let result = self
            .rhs(t, x, before)
            .and_then(|()| self.rhs(t + step, &scratch.x, after));
        for (ddx, (before, after)) in ddx.iter_mut().zip(before.iter().zip(&*after)) {
            *ddx = (after - before) / step;
        }
        let u = std::mem::take(&mut self.scratch.u);
        *self.scratch = Scratch { u, ..scratch };
        result
    }
}

impl System for Plant<'_> {
    type Error = Error;

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Error> {
        self.place(t, x)?;
        let (x, u) = x.split_at(self.facts.states);
        let (dx, du) = dx.split_at_mut(self.facts.states);
        if !dx.is_empty() {
            self.instance.derivatives(dx)?;
        }
        self.drive(t, u, x, dx, du)
    }
}

impl ImplicitSystem for Plant<'_> {
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), Error> {
        self.place(t, x)?;
        match x.len() == self.facts.states {
            true => self.jacobian.evaluate(self.instance, x, values),
            false => self.driven_jacobian(t, x, values),
        }
    }

    fn second_derivative(&mut self, t: f64, x: &[f64], dx: &[f64], ddx: &mut [f64]) -> Result<(), Error> {
        let facts = self.facts;
        match facts.of_derivatives {
            ByTime::Unknown => self.difference(t, x, dx, ddx),
            by_time => {
                self.place(t, x)?;
                let (own, driven) = ddx.split_at_mut(facts.states);
                if !own.is_empty() {
                    self.along(&facts.derivatives, by_time, t, dx, own)?;
                }
                match driven.is_empty() {
                    true => Ok(()),
                    false => self.driven_second_derivative(t, x, dx, own, driven),
                }
            }
        }
    }
}
