//! External events: indicators over outputs, with an action on the states of components (Pannu 2015, 2.2 and 3.3).

/// Something that happens to components from outside, such as a wall in the way of a pendulum.
///
/// It happens when its indicator falls to zero or below. It happens again only after the indicator was positive in
/// between, so that a body that is reversed right behind a wall does not hit it a second time on its way out.
pub struct ExternalEvent {
    /// `component.variable` of the outputs that the indicator reads.
    pub(super) reads: Vec<String>,
    /// `component.variable` of the states that the action changes.
    pub(super) changes: Vec<String>,
    indicator: Indicator,
    action: Action,
    pub(super) outputs: Vec<usize>,
    pub(super) states: Vec<usize>,
    y: Vec<f64>,
    pub(super) x: Vec<f64>,
    armed: bool,
    pub(super) happened: usize,
}

type Indicator = Box<dyn Fn(f64, &[f64]) -> f64>;
type Action = Box<dyn FnMut(f64, &mut [f64])>;

/// What is reported of an event that has happened and is not to happen yet again.
const AWAY: f64 = 1.0;

impl ExternalEvent {
    /// `indicator(t, y)` of some outputs, and `action(t, x)` on some states.
    ///
    /// ```
    /// use fmu_master::aggregate::ExternalEvent;
    ///
    /// let wall = ExternalEvent::new(
    ///     &["pendulum.x"],
    ///     |_, y| y[0] - 0.3,
    ///     &["pendulum.omega"],
    ///     |_, x| x[0] = -x[0],
    /// );
    /// ```
    pub fn new(
        reads: &[&str],
        indicator: impl Fn(f64, &[f64]) -> f64 + 'static,
        changes: &[&str],
        action: impl FnMut(f64, &mut [f64]) + 'static,
    ) -> ExternalEvent {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        ExternalEvent {
            reads: owned(reads),
            changes: owned(changes),
            indicator: Box::new(indicator),
            action: Box::new(action),
            outputs: Vec::new(),
            states: Vec::new(),
            y: vec![0.0; reads.len()],
            x: vec![0.0; changes.len()],
            armed: false,
            happened: 0,
        }
    }

    fn value(&mut self, time: f64, y: &[f64]) -> f64 {
        for (own, &output) in self.y.iter_mut().zip(&self.outputs) {
            *own = y[output];
        }
        (self.indicator)(time, &self.y)
    }

    /// The indicator as the solver sees it.
    pub(super) fn reported(&mut self, time: f64, y: &[f64]) -> f64 {
        let value = self.value(time, y);
        if self.armed { value } else { AWAY }
    }

    /// Where the indicator is positive, the event may happen.
    pub(super) fn arm(&mut self, time: f64, y: &[f64]) {
        self.armed |= self.value(time, y) > 0.0;
    }

    /// Happens to the states `x`.
    pub(super) fn act(&mut self, time: f64, x: &mut [f64]) {
        self.armed = false;
        self.happened += 1;
        for (own, &state) in self.x.iter_mut().zip(&self.states) {
            *own = x[state];
        }
        (self.action)(time, &mut self.x);
        for (own, &state) in self.x.iter().zip(&self.states) {
            x[state] = *own;
        }
    }
}
