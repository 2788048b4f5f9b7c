//! Signals from outside: what is given to inputs that no component feeds.

/// A signal: its value, first and second derivative at a time.
pub type Signal = Box<dyn Fn(f64) -> [f64; 3] + Send + Sync>;

/// All signals, by number.
#[derive(Default)]
pub struct Signals(Vec<Signal>);

impl Signals {
    /// No signals.
    pub fn new() -> Signals {
        Signals::default()
    }

    /// Adds a signal, and tells its number.
    pub fn add(&mut self, signal: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static) -> usize {
        self.0.push(Box::new(signal));
        self.0.len() - 1
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The derivative of that order (0: the value) of all signals.
    pub fn evaluate(&self, t: f64, order: usize, values: &mut [f64]) {
        for (value, signal) in values.iter_mut().zip(&self.0) {
            *value = signal(t)[order];
        }
    }
}

/// A signal that is linear between given points, and constant before and after them. Of two points at one time the
/// second counts from there on.
pub fn linear(points: Vec<(f64, f64)>) -> impl Fn(f64) -> [f64; 3] + Send + Sync {
    move |t| {
        let next = points.partition_point(|point| point.0 <= t);
        match (next.checked_sub(1).map(|last| points[last]), points.get(next)) {
            (Some((t0, v0)), Some((t1, v1))) => {
                let slope = (v1 - v0) / (t1 - t0);
                [v0 + slope * (t - t0), slope, 0.0]
            }
            (Some((_, value)), None) | (None, Some(&(_, value))) => [value, 0.0, 0.0],
            (None, None) => [0.0; 3],
        }
    }
}
