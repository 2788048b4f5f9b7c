//! Signals from outside: what is given to inputs that no component feeds.

/// A signal: its value, first and second derivative at a time.
pub type Signal = Box<dyn Fn(f64) -> [f64; 3] + Send + Sync>;

/// All signals, by number.
#[derive(Default)]
pub struct Signals {
    all: Vec<Signal>,
    corners: Vec<Corner>,
    sloping: bool,
}

/// A time at which a signal is not smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// When.
    pub time: f64,
    /// The number of the signal.
    pub signal: usize,
    /// Its value jumps; if not, only its slope does.
    pub jump: bool,
}

impl Signals {
    /// No signals.
    pub fn new() -> Signals {
        Signals::default()
    }

    /// Adds a signal that is smooth, and returns its number.
    pub fn add(&mut self, signal: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static) -> usize {
        self.all.push(Box::new(signal));
        self.all.len() - 1
    }

    /// Adds a signal that is smooth except at `kinks` and `jumps`, and returns its number.
    pub fn add_with_corners(
        &mut self,
        signal: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static,
        kinks: &[f64],
        jumps: &[f64],
    ) -> usize {
        let number = self.add(signal);
        for (times, jump) in [(kinks, false), (jumps, true)] {
            let corner = |&time: &f64| Corner {
                time,
                signal: number,
                jump,
            };
            self.corners.extend(times.iter().map(corner));
        }
        number
    }

    /// Adds a signal that is [`linear`] between points, with its jumps and kinks, and returns its number.
    ///
    /// ```
    /// use fmu_master::signals::Signals;
    ///
    /// let mut signals = Signals::new();
    /// signals.add_linear(vec![(0.0, 0.0), (1.0, 2.0), (2.0, 4.0), (2.0, 1.0)]);
    /// let corners: Vec<(f64, bool)> = signals.corners().iter().map(|corner| (corner.time, corner.jump)).collect();
    /// // The line goes on over the point at 1.
    /// assert_eq!(corners, [(0.0, false), (2.0, true)]);
    /// ```
    pub fn add_linear(&mut self, points: Vec<(f64, f64)>) -> usize {
        let signal = self.all.len();
        self.sloping |= points
            .windows(2)
            .any(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1);
        let found = corners(&points);
        self.corners
            .extend(found.map(|(time, jump)| Corner { time, signal, jump }));
        self.add(linear(points))
    }

    /// All times at which a signal is not smooth, as far as is known.
    pub fn corners(&self) -> &[Corner] {
        &self.corners
    }

    /// Whether one of those that are linear between points is not constant between all of them.
    pub fn is_sloping(&self) -> bool {
        self.sloping
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The derivative of that order (0: the value) of all signals.
    #[inline]
    pub fn evaluate(&self, t: f64, order: usize, values: &mut [f64]) {
        for (value, signal) in values.iter_mut().zip(&self.all) {
            *value = signal(t)[order];
        }
    }
}

/// The jumps (true) and kinks of a signal that is linear between points.
fn corners(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, bool)> {
    // Slopes that differ by rounding only are those of one line.
    let differ = |one: f64, other: f64| (one - other).abs() > 1e-12 * one.abs().max(other.abs());
    let slope = |from: usize| match (points[from], points.get(from + 1)) {
        ((t0, v0), Some((t1, v1))) if *t1 > t0 => (v1 - v0) / (t1 - t0),
        _ => 0.0,
    };
    let groups = points.chunk_by(|one, next| one.0 == next.0);
    let mut first = 0;
    let mut before = 0.0;
    groups.filter_map(move |group| {
        let last = first + group.len() - 1;
        let after = slope(last);
        let jump = group[0].1 != group[group.len() - 1].1;
        let corner = jump || differ(before, after);
        (first, before) = (last + 1, after);
        corner.then_some((group[0].0, jump))
    })
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
