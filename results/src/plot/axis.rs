//! Ranges and ticks.

/// A range of values with ticks at round numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<f64>,
    decimals: usize,
    scientific: bool,
}

impl Axis {
    /// Covers all finite values; `margin` is left on both sides, as a part of the range.
    pub fn new(values: impl Iterator<Item = f64>, margin: f64, wanted: usize) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // A line that is constant but for roundings is drawn as constant.
        let size = low.abs().max(high.abs());
        if high - low <= 1e-9 * size || high == low {
            let half = if size > 0.0 { 0.5 * size } else { 0.5 };
            (low, high) = (low - half, high + half);
        }
        let room = margin * (high - low);
        (low, high) = (low - room, high + room);
        let step = round_step((high - low) / wanted as f64);
        let first = (low / step).ceil();
        let count = ((high / step).floor() - first) as i64;
        let ticks = (0..=count.clamp(0, 100))
            .map(|k| (first + k as f64) * step)
            .collect();
        let scientific = !(1e-3..1e6).contains(&size) && size > 0.0;
        Self {
            low,
            high,
            ticks,
            decimals: (-step.log10().floor()).max(0.0) as usize,
            scientific,
        }
    }

    /// With ticks at whole numbers only.
    pub fn at_whole_numbers(mut self) -> Self {
        let whole = |tick: &f64| (tick - tick.round()).abs() < 1e-9;
        if self.step() < 1.0 {
            let (first, last) = (self.low.ceil() as i64, self.high.floor() as i64);
            self.ticks = (first..=last).map(|tick| tick as f64).collect();
        }
        if self.ticks.iter().all(whole) {
            self.decimals = 0;
        }
        self
    }

    /// A tick's text.
    pub fn text(&self, value: f64) -> String {
        if value == 0.0 {
            return "0".into();
        }
        if self.scientific {
            // Enough digits to distinguish two ticks.
            let digits = (value.abs() / self.step()).log10().ceil().clamp(0.0, 12.0) as usize;
            let text = format!("{value:.digits$e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let mantissa = match mantissa.contains('.') {
                true => mantissa.trim_end_matches('0').trim_end_matches('.'),
                false => mantissa,
            };
            return format!("{mantissa}e{exponent}").replace('-', "\u{2212}");
        }
        format!("{value:.*}", self.decimals).replace('-', "\u{2212}")
    }

    fn step(&self) -> f64 {
        match self.ticks[..] {
            [a, b, ..] => b - a,
            _ => self.high - self.low,
        }
    }

    /// Where a value is between 0 and 1.
    pub fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// The next of 1, 2, 5, 10, ... times a power of ten.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let digit = least / power;
    let round = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|round| digit <= round * (1.0 + 1e-9))
        .unwrap_or(10.0);
    round * power
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn ticks_are_round() {
        let axis = Axis::new([0.0, 3.0].into_iter(), 0.0, 6);
        let texts: Vec<_> = axis.ticks.iter().map(|tick| axis.text(*tick)).collect();
        assert_eq!(texts, ["0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]);
    }

    #[test]
    fn tiny_and_huge_numbers_have_few_digits() {
        for (high, expected) in [
            (3e-7, ["0", "1e\u{2212}7", "2e\u{2212}7", "3e\u{2212}7"]),
            (1.5e9, ["0", "5e8", "1e9", "1.5e9"]),
        ] {
            let axis = Axis::new([0.0, high].into_iter(), 0.0, 3);
            let texts: Vec<_> = axis.ticks.iter().map(|tick| axis.text(*tick)).collect();
            assert_eq!(texts, expected);
        }
    }

    #[test]
    fn whole_numbers_have_no_ticks_between_them() {
        for (values, expected) in [
            (vec![0.0, 1.0], &["0", "1"][..]),
            (vec![3.0], &["2", "3", "4"]),
            (vec![-2.0, 1.0], &["\u{2212}2", "\u{2212}1", "0", "1"]),
            (vec![0.0, 40.0], &["0", "10", "20", "30", "40"]),
        ] {
            let axis = Axis::new(values.into_iter(), 0.05, 5).at_whole_numbers();
            let texts: Vec<_> = axis.ticks.iter().map(|tick| axis.text(*tick)).collect();
            assert_eq!(texts, expected);
        }
    }

    #[test]
    fn odd_ranges_have_an_axis_too() {
        for values in [
            vec![],
            vec![f64::NAN],
            vec![2.0, 2.0],
            vec![0.0],
            vec![1e-300, 3e-300],
            vec![-1e300, 1e300],
        ] {
            let axis = Axis::new(values.iter().copied(), 0.05, 5);
            assert!(axis.low < axis.high && !axis.ticks.is_empty(), "{values:?}");
            assert!(axis.ticks.len() < 15, "{values:?} {axis:?}");
        }
    }
}
