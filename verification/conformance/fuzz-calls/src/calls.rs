//! One sequence of calls: an instance, mostly on a sensible way through its states, with any other call in between.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use fmu_importer::{BaseType, Fmu};
use fmu_standard::fmi2::calls::State;
use fmu_standard::fmi2::*;

use crate::coverage::{Coverage, Interface, after, is_allowed};
use crate::guarded::Guarded;
use crate::random::Random;

macro_rules! functions {
    ($($name:ident: $type:ident,)+) => {
        /// The functions of the standard.
        #[allow(non_snake_case)]
        pub struct Functions { $($name: $type,)+ }

        impl Functions {
            /// Binds all of them; one that is missing is an error.
            pub fn bind(library: &libloading::Library) -> Result<Functions, libloading::Error> {
                // SAFETY: the standard gives each symbol this type.
                unsafe { Ok(Functions { $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)+ }) }
            }
        }
    };
}

fmu_standard::fmi2_functions!(functions);

/// How many functions act on an instance; those that make and free one are not drawn.
const DRAWN: usize = 42;

/// What is known of the FMU.
pub struct Subject {
    functions: Functions,
    references: [Vec<u32>; 4],
    guid: CString,
    resources: CString,
    states: usize,
    indicators: usize,
    kinds: Vec<fmi2Type>,
    /// An FMU of ours refuses calls at the wrong time, and any number may be passed for a snapshot: it is looked up, never
    /// followed.
    is_ours: bool,
}

impl Subject {
    /// The interfaces that it offers.
    pub fn interfaces(&self) -> Vec<Interface> {
        self.kinds.iter().map(|kind| interface_of(*kind)).collect()
    }

    /// Of an FMU and its loaded library.
    pub fn new(fmu: &Fmu, functions: Functions, resources: CString, is_ours: bool) -> Subject {
        let description = fmu.description();
        let mut references: [Vec<u32>; 4] = Default::default();
        for variable in &description.model_variables {
            references[BaseType::of(&variable.kind) as usize].push(variable.value_reference);
        }
        let has = [
            (description.model_exchange.is_some(), fmi2ModelExchange),
            (description.co_simulation.is_some(), fmi2CoSimulation),
        ];
        Subject {
            functions,
            references,
            is_ours,
            guid: CString::new(description.guid.as_str()).unwrap_or_default(),
            resources,
            states: description.model_structure.derivatives.len(),
            indicators: description.number_of_event_indicators.unwrap_or(0) as usize,
            kinds: has
                .iter()
                .filter(|(has, _)| *has)
                .map(|(_, kind)| *kind)
                .collect(),
        }
    }
}

fn interface_of(kind: fmi2Type) -> Interface {
    match kind == fmi2ModelExchange {
        true => Interface::ModelExchange,
        false => Interface::CoSimulation,
    }
}

unsafe extern "C" {
    /// Nothing is logged: the real logger callback is variadic, and ours ignores all arguments.
    fn abs(value: c_int) -> c_int;
}

/// A logger that does nothing: any C function that reads no memory will do, since no argument is looked at.
fn silent() -> fmi2CallbackLogger {
    // SAFETY: the calling convention lets a callee ignore arguments; the result is not used by callers.
    unsafe { std::mem::transmute::<unsafe extern "C" fn(c_int) -> c_int, fmi2CallbackLogger>(abs) }
}

/// Buffers for the arguments of one call.
pub struct Buffers([Guarded; 5]);

impl Default for Buffers {
    fn default() -> Self {
        Buffers(std::array::from_fn(|_| Guarded::new(1 << 18)))
    }
}

/// One sequence.
pub struct Sequence<'s> {
    subject: &'s Subject,
    random: Random,
    buffers: &'s mut Buffers,
    component: fmi2Component,
    kind: fmi2Type,
    time: f64,
    snapshots: Vec<fmi2FMUstate>,
    serialized: Vec<u8>,
    /// The state of the instance; `None` after a snapshot whose bytes were changed, until a reset.
    state: Option<State>,
    /// The states of the instance when the snapshots were taken.
    states: BTreeMap<fmi2FMUstate, Option<State>>,
    /// The snapshot that the last call of fmi2SetFMUstate was for.
    restored: fmi2FMUstate,
    coverage: &'s mut Coverage,
    /// Names and answers of the calls so far, for the report.
    pub calls: Vec<(&'static str, fmi2Status)>,
}

/// What is wrong, as a sentence.
pub type Complaint = String;

impl<'s> Sequence<'s> {
    /// Makes an instance and calls it `length` times.
    pub fn run(
        subject: &'s Subject,
        buffers: &'s mut Buffers,
        seed: u64,
        length: usize,
        coverage: &'s mut Coverage,
    ) -> Result<usize, Complaint> {
        let mut random = Random::new(seed);
        let Some(kind) = random.of(&subject.kinds) else {
            return Err("it has no interface".into());
        };
        let callbacks = Box::new(fmi2CallbackFunctions {
            logger: Some(silent()),
            allocateMemory: None,
            freeMemory: None,
            stepFinished: None,
            componentEnvironment: ptr::null_mut(),
        });
        // SAFETY: texts end with a zero byte, and the callbacks outlive the instance.
        let component = unsafe {
            (subject.functions.fmi2Instantiate)(
                c"fuzz".as_ptr(),
                kind,
                subject.guid.as_ptr(),
                subject.resources.as_ptr(),
                &*callbacks,
                0,
                random.one_in(2).into(),
            )
        };
        if component.is_null() {
            return Err("fmi2Instantiate returned null".into());
        }
        let mut sequence = Sequence {
            subject,
            random,
            buffers,
            component,
            kind,
            time: 0.0,
            snapshots: Vec::new(),
            serialized: Vec::new(),
            state: Some(State::Instantiated),
            states: BTreeMap::new(),
            restored: ptr::null_mut(),
            coverage,
            calls: Vec::new(),
        };
        let result = (0..length).try_for_each(|step| sequence.step(step));
        let count = sequence.calls.len();
        let good = sequence.calls.iter().filter(|(_, status)| *status == fmi2OK);
        good.for_each(|(name, _)| *sequence.coverage.answered.entry(name).or_default() += 1);
        let result = result.map_err(|complaint| {
            let last: Vec<_> = sequence.calls.iter().rev().take(12).collect();
            format!("{complaint}; the last calls, newest first: {last:?}")
        });
        sequence.visit("fmi2FreeInstance");
        // SAFETY: the instance is alive; states that are outstanding go with it.
        unsafe { (subject.functions.fmi2FreeInstance)(component) };
        drop(callbacks);
        result.map(|()| count)
    }

    fn step(&mut self, step: usize) -> Result<(), Complaint> {
        let sensible = match self.random.one_in(3) {
            true => None,
            false => self.sensible(step),
        };
        let function = sensible.unwrap_or_else(|| self.random.below(DRAWN));
        let c = match self.random.one_in(200) {
            true => ptr::null_mut(),
            false => self.component,
        };
        let (name, status) = self.call(function, c);
        self.calls.push((name, status));
        if !(0..=3).contains(&status.0) {
            return Err(format!("{name} returned {status}"));
        }
        if let Some(at) = self.buffers.0.iter().position(|buffer| !buffer.is_intact()) {
            return Err(format!("{name} wrote before its argument {at}"));
        }
        match c.is_null() {
            true => Ok(()),
            false => self.follow(name, status),
        }
    }

    /// Counts a call in the state of the instance.
    fn visit(&mut self, name: &'static str) {
        if let Some(state) = self.state {
            self.coverage.call(interface_of(self.kind), state, name);
        }
    }

    /// Notes the state after a call. FMUs of ours refuse a call that is not allowed in the state, and it changes nothing.
    fn follow(&mut self, name: &'static str, status: fmi2Status) -> Result<(), Complaint> {
        let interface = interface_of(self.kind);
        let is_done = status == fmi2OK || status == fmi2Warning;
        if is_done && name == "fmi2SetFMUstate" {
            self.state = self.states.get(&self.restored).copied().flatten();
            return Ok(());
        }
        let Some(state) = self.state else {
            if is_done && name == "fmi2Reset" {
                self.state = Some(State::Instantiated);
            }
            return Ok(());
        };
        if !is_allowed(name, interface, state) {
            // Other FMUs may answer.
            return match status == fmi2Error || !self.subject.is_ours {
                true => Ok(()),
                false => Err(format!(
                    "{name} returned {status} although the instance is {state}"
                )),
            };
        }
        self.state = match after(name, interface, state, status) {
            Some(state) => Some(state),
            None => self.state_after_an_error(state),
        };
        Ok(())
    }

    /// After an error the instance is where it was, or in the state 'error': a call that is allowed in only one of them shows which.
    fn state_after_an_error(&mut self, before: State) -> Option<State> {
        let (c, f) = (self.component, &self.subject.functions);
        // SAFETY: the instance is alive; no values, or room for one.
        let status = unsafe {
            match before {
                State::StepFailed | State::Terminated if self.kind == fmi2CoSimulation => {
                    let mut time = 0.0;
                    (f.fmi2GetRealStatus)(c, fmi2LastSuccessfulTime, &mut time)
                }
                State::Terminated => return None,
                _ => (f.fmi2SetReal)(c, ptr::null(), 0, ptr::null()),
            }
        };
        Some(match status == fmi2Error {
            true => State::Error,
            false => before,
        })
    }

    /// The next call on the usual way through the states.
    fn sensible(&mut self, step: usize) -> Option<usize> {
        let model_exchange = [1, 2, 3, 20, 21, 22, 24, 25, 26, 27, 23];
        let co_simulation = [1, 2, 3, 32, 6, 32, 31, 32];
        let way: &[usize] = match self.kind == fmi2ModelExchange {
            true => &model_exchange,
            false => &co_simulation,
        };
        match step < 3 {
            true => way.get(step).copied(),
            false => Some(way[3 + self.random.below(way.len() - 3)]),
        }
    }

    fn count(&mut self) -> usize {
        match self.random.below(12) {
            0 => 0,
            1 => 2 + self.random.below(40),
            _ => 1 + self.random.below(3),
        }
    }

    fn references(&mut self, base_type: usize, count: usize) -> *mut u32 {
        let mut list = Vec::new();
        for _ in 0..count {
            let known = self.random.of(&self.subject.references[base_type]);
            let value = match self.random.one_in(30) {
                true => None,
                false => known,
            };
            list.push(value.unwrap_or(self.random.bits() as u32));
        }
        self.buffers.0[0].values(&list)
    }

    fn reals(&mut self, buffer: usize, count: usize) -> *mut f64 {
        let list: Vec<f64> = (0..count).map(|_| self.random.real()).collect();
        self.buffers.0[buffer].values(&list)
    }

    fn time(&mut self) -> f64 {
        match self.random.below(8) {
            0 => self.random.real(),
            _ => self.time,
        }
    }

    /// A null pointer now and then.
    fn null<T>(&mut self, pointer: *mut T) -> *mut T {
        match self.random.one_in(40) {
            true => ptr::null_mut(),
            false => pointer,
        }
    }

    fn state(&mut self) -> fmi2FMUstate {
        match self.subject.is_ours && self.random.one_in(6) {
            true => ptr::without_provenance_mut(self.random.below(100)),
            false => self.random.of(&self.snapshots).unwrap_or(ptr::null_mut()),
        }
    }

    /// Calls the function of a number.
    fn call(&mut self, function: usize, c: fmi2Component) -> (&'static str, fmi2Status) {
        let subject = self.subject;
        let f = &subject.functions;
        let count = self.count();
        /// Calls it and gives its name.
        macro_rules! call {
            ($name:ident $(, $argument:expr)*) => {{
                if !c.is_null() {
                    self.visit(stringify!($name));
                }
                // SAFETY: the instance is alive or null, and each buffer is as long as the count beside it says, or null.
                let status = unsafe { (f.$name)(c $(, $argument)*) };
                (stringify!($name), status)
            }};
        }
        match function {
            0 => {
                let texts = [c"logAll".as_ptr(), c"nothing".as_ptr()];
                let categories = self.buffers.0[0].values(&texts[..count.min(2)]);
                let on = self.random.one_in(2).into();
                call!(fmi2SetDebugLogging, on, count.min(2), categories)
            }
            1 => {
                let (start, stop) = (
                    if self.random.one_in(10) {
                        self.random.real()
                    } else {
                        0.0
                    },
                    self.random.real(),
                );
                let has_stop = self.random.one_in(4).into();
                let result = call!(
                    fmi2SetupExperiment,
                    self.random.one_in(3).into(),
                    1e-6,
                    start,
                    has_stop,
                    stop
                );
                self.time = if start.is_finite() { start } else { self.time };
                result
            }
            2 => call!(fmi2EnterInitializationMode),
            3 => call!(fmi2ExitInitializationMode),
            4 => match self.random.one_in(3) {
                true => call!(fmi2Terminate),
                false => call!(fmi2EnterContinuousTimeMode),
            },
            5 => {
                let result = call!(fmi2Reset);
                self.time = 0.0;
                result
            }
            6 => {
                let references = self.references(0, count);
                let values = self.buffers.0[1].room::<f64>(count);
                call!(fmi2GetReal, self.null(references), count, self.null(values))
            }
            7 => {
                let references = self.references(1, count);
                let values = self.buffers.0[1].room::<c_int>(count);
                call!(fmi2GetInteger, self.null(references), count, self.null(values))
            }
            8 => {
                let references = self.references(2, count);
                let values = self.buffers.0[1].room::<c_int>(count);
                call!(fmi2GetBoolean, self.null(references), count, self.null(values))
            }
            9 => {
                let references = self.references(3, count);
                let values = self.buffers.0[1].room::<*const c_char>(count);
                let result = call!(fmi2GetString, self.null(references), count, self.null(values));
                if result.1 == fmi2OK {
                    for at in 0..count {
                        // SAFETY: after fmi2OK each pointer is a text that is valid until the next call, or was not set.
                        let text = unsafe { *values.add(at) };
                        if !text.is_null() {
                            // SAFETY: as above.
                            let _ = unsafe { CStr::from_ptr(text) }.to_bytes().len();
                        }
                    }
                }
                result
            }
            10 => {
                let references = self.references(0, count);
                let values = self.reals(1, count);
                call!(fmi2SetReal, self.null(references), count, self.null(values))
            }
            11 | 12 => {
                let references = self.references(function - 10, count);
                let list: Vec<c_int> = (0..count).map(|_| self.random.bits() as c_int % 7).collect();
                let values = self.buffers.0[1].values(&list);
                match function {
                    11 => call!(fmi2SetInteger, self.null(references), count, self.null(values)),
                    _ => call!(fmi2SetBoolean, self.null(references), count, self.null(values)),
                }
            }
            13 => {
                let references = self.references(3, count);
                let text = self.buffers.0[2].place(b"\xff\xfe text %s %n\0").cast::<c_char>();
                let list: Vec<*const c_char> = (0..count).map(|_| self.null(text).cast_const()).collect();
                let values = self.buffers.0[1].values(&list);
                call!(fmi2SetString, self.null(references), count, self.null(values))
            }
            14 => {
                let old = match self.snapshots.len() > 3 || self.random.one_in(4) {
                    true => self.state(),
                    false => ptr::null_mut(),
                };
                let state = self.buffers.0[1].values(&[old]);
                let result = call!(fmi2GetFMUstate, state);
                // SAFETY: the buffer has room for one pointer.
                let new = unsafe { *state };
                if result.1 == fmi2OK {
                    self.states.insert(new, self.state);
                    if !self.snapshots.contains(&new) {
                        self.snapshots.push(new);
                    }
                }
                result
            }
            15 => {
                self.restored = self.state();
                call!(fmi2SetFMUstate, self.restored)
            }
            16 => {
                let old = self.state();
                let state = self.buffers.0[1].values(&[old]);
                let result = call!(fmi2FreeFMUstate, state);
                if result.1 == fmi2OK {
                    self.snapshots.retain(|other| *other != old);
                }
                result
            }
            17 | 18 => {
                let state = self.state();
                let size = self.buffers.0[1].room::<usize>(1);
                let result = call!(fmi2SerializedFMUstateSize, state, size);
                let size = match result.1 == fmi2OK {
                    // SAFETY: the buffer has room for one number.
                    true => unsafe { *size },
                    false if self.random.one_in(2) => return result,
                    false => 8,
                };
                if size > 200_000 {
                    return result;
                }
                let size = size.saturating_sub(usize::from(self.random.one_in(20)));
                let bytes = self.buffers.0[2].room::<c_char>(size);
                let result = call!(fmi2SerializeFMUstate, state, bytes, size);
                if result.1 == fmi2OK {
                    self.serialized = self.buffers.0[2].bytes();
                }
                result
            }
            19 => {
                let mut bytes = self.serialized.clone();
                self.forge(&mut bytes);
                let place = self.buffers.0[2].values(&bytes).cast::<c_char>();
                let state = self.buffers.0[1].values(&[ptr::null_mut()]);
                let result = call!(fmi2DeSerializeFMUstate, place, bytes.len(), state);
                // SAFETY: the buffer has room for one pointer.
                let new = unsafe { *state };
                if result.1 == fmi2OK {
                    self.states.insert(new, None);
                    self.snapshots.push(new);
                }
                result
            }
            20 => call!(fmi2EnterEventMode),
            21 => {
                let info = self.buffers.0[1].room::<fmi2EventInfo>(1);
                call!(fmi2NewDiscreteStates, self.null(info))
            }
            22 => call!(fmi2EnterContinuousTimeMode),
            23 => {
                let (event, end) = (
                    self.buffers.0[1].room::<c_int>(1),
                    self.buffers.0[2].room::<c_int>(1),
                );
                call!(
                    fmi2CompletedIntegratorStep,
                    self.random.one_in(2).into(),
                    self.null(event),
                    self.null(end)
                )
            }
            24 => {
                self.time += 0.01 * self.random.below(5) as f64;
                let time = self.time();
                call!(fmi2SetTime, time)
            }
            25..=30 => {
                let right = if function == 28 {
                    self.subject.indicators
                } else {
                    self.subject.states
                };
                let count = if self.random.one_in(20) { count } else { right };
                let values = match function {
                    25 => self.reals(1, count),
                    _ => self.buffers.0[1].room::<f64>(count),
                };
                let values = self.null(values);
                match function {
                    25 => call!(fmi2SetContinuousStates, values, count),
                    26 => call!(fmi2GetDerivatives, values, count),
                    28 => call!(fmi2GetEventIndicators, values, count),
                    29 => call!(fmi2GetNominalsOfContinuousStates, values, count),
                    _ => call!(fmi2GetContinuousStates, values, count),
                }
            }
            31 => {
                let references = self.references(0, count);
                let orders: Vec<c_int> = (0..count).map(|_| self.random.below(5) as c_int - 1).collect();
                let orders = self.buffers.0[2].values(&orders);
                let values = self.reals(1, count);
                call!(
                    fmi2SetRealInputDerivatives,
                    self.null(references),
                    count,
                    self.null(orders),
                    self.null(values)
                )
            }
            32 => {
                let step = match self.random.below(12) {
                    0 => self.random.real().min(0.5),
                    _ => 0.01,
                };
                let time = self.time();
                let result = call!(fmi2DoStep, time, step, self.random.one_in(2).into());
                if result.1 == fmi2OK {
                    self.time += step;
                }
                result
            }
            33 => {
                let references = self.references(0, count);
                let orders: Vec<c_int> = (0..count).map(|_| self.random.below(5) as c_int).collect();
                let orders = self.buffers.0[2].values(&orders);
                let values = self.buffers.0[1].room::<f64>(count);
                call!(
                    fmi2GetRealOutputDerivatives,
                    self.null(references),
                    count,
                    self.null(orders),
                    self.null(values)
                )
            }
            34 => call!(fmi2CancelStep),
            35..=39 => {
                let kind = fmi2StatusKind(self.random.below(6) as c_int - 1);
                let value = self.buffers.0[1].room::<u64>(1);
                match function {
                    35 => call!(fmi2GetStatus, kind, value.cast()),
                    36 => call!(fmi2GetRealStatus, kind, value.cast()),
                    37 => call!(fmi2GetIntegerStatus, kind, value.cast()),
                    38 => call!(fmi2GetBooleanStatus, kind, value.cast()),
                    _ => call!(fmi2GetStringStatus, kind, value.cast()),
                }
            }
            40 => {
                let knowns = 1 + self.random.below(4);
                let unknowns = self.references(0, count);
                let list: Vec<u32> = (0..knowns)
                    .map(|_| self.random.of(&self.subject.references[0]).unwrap_or(0))
                    .collect();
                let known = self.buffers.0[1].values(&list);
                let seed = self.reals(2, knowns);
                let result = self.buffers.0[3].room::<f64>(count);
                call!(
                    fmi2GetDirectionalDerivative,
                    unknowns,
                    count,
                    known,
                    knowns,
                    seed,
                    result
                )
            }
            _ => {
                // SAFETY: both take no arguments and return a text that lasts.
                let texts = unsafe { [(f.fmi2GetVersion)(), (f.fmi2GetTypesPlatform)()] };
                let all = texts.iter().all(|text| !text.is_null());
                ("fmi2GetVersion", if all { fmi2OK } else { fmi2Fatal })
            }
        }
    }

    /// Changes bytes of a snapshot; half of the time with a check sum that fits.
    fn forge(&mut self, bytes: &mut Vec<u8>) {
        const SUM: usize = 8;
        match self.random.below(8) {
            0 => return,
            1 => bytes.truncate(self.random.below(bytes.len() + 1)),
            _ => {
                for _ in 0..1 + self.random.below(3) {
                    let at = self.random.below(bytes.len());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << self.random.below(8);
                    }
                }
            }
        }
        if bytes.len() > SUM && self.random.one_in(2) {
            let end = bytes.len() - SUM;
            // The check sum of a snapshot of ours: FNV-1a over everything before it.
            let sum = bytes[..end].iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
                (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
            });
            bytes[end..].copy_from_slice(&sum.to_le_bytes());
        }
    }
}
