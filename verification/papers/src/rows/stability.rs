//! Andersson 2016, section 6.1: for which feed-through a coupling is stable however small the step, measured.

use fmu_master::settings::{Correction, Quadratic, Settings};
use fmu_results::plot::{Panel, Plot, Series};

use crate::bench::{Bench, Result, Run};
use crate::reference::{integrate, order};
use crate::table::Table;

/// Steps of a measurement, and their size: small against all that the states do meanwhile.
const STEPS: u32 = 1500;
const STEP: f64 = 2e-5;

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "The tables have conditions, no numbers. A coupling counts as unstable where its error grows tenfold over the second half \
         of 1500 steps of 20 us; that sign and the margin of 5 % are ours.",
    );
    table.note(
        "Table 6.5 contradicts the equations that it is for. By 6.71 b, c and e the input at the end of a step is bound for \
         L (C x + D (u + H u') + H C x' + H D u'): D H u' counts twice. Equation 6.73 c has it once, which leads to rho(DL) <= 1. \
         Counted twice, ends follow s_(n+1) = DL (2 s_n - s_(n-1)), which is the condition of linear extrapolation by differences, \
         equation 6.41; that is what is measured.",
    );
    limits(bench, table)?;
    corrected(bench, table)?;
    convergence(bench, table)?;
    drawing(bench, table)
}

/// Example 6.1.1 with d1 = sqrt|p| and d2 = p / d1: the eigenvalues of DL are the square roots of p.
fn linear_example(bench: &Bench, p: f64, change: impl FnOnce(&mut Settings)) -> Result<Run> {
    let d1 = p.abs().sqrt();
    let d2 = if p < 0.0 { -d1 } else { d1 };
    let mut system = bench.system("linear-example")?.set("one.d", d1).set("two.d", d2);
    change(&mut system.settings);
    bench.run(&system)
}

/// The outputs of 6.24 to 6.26, solved for each other.
fn outputs(p: f64, x: &[f64]) -> [f64; 2] {
    let d1 = p.abs().sqrt();
    let d2 = if p < 0.0 { -d1 } else { d1 };
    let y1 = (x[0] - 5.0 * d1 * x[1]) / (1.0 - d1 * d2);
    [y1, -5.0 * x[1] + d2 * y1]
}

fn reference(p: f64, times: &[f64]) -> Vec<Vec<f64>> {
    let states = integrate(times, &[1.0, 1.0], 1e-4, |_, x, dx| {
        let y = outputs(p, x);
        dx[0] = -x[0] + y[1];
        dx[1] = -x[1] + 3.0 * y[0];
    });
    states.iter().map(|x| outputs(p, x).to_vec()).collect()
}

/// The way inputs are extrapolated.
struct Scheme {
    order: u32,
    differences: bool,
    smoothing: bool,
    quadratic: Quadratic,
    /// The value at the end of a step as a combination of the present and earlier ones.
    ahead: &'static [f64],
}

const SCHEMES: [Scheme; 7] = [
    Scheme {
        order: 0,
        differences: false,
        smoothing: false,
        quadratic: Quadratic::Parabola,
        ahead: &[1.0],
    },
    Scheme {
        order: 1,
        differences: false,
        smoothing: false,
        quadratic: Quadratic::Parabola,
        ahead: &[1.0],
    },
    Scheme {
        order: 2,
        differences: false,
        smoothing: false,
        quadratic: Quadratic::Parabola,
        ahead: &[1.0],
    },
    Scheme {
        order: 1,
        differences: true,
        smoothing: false,
        quadratic: Quadratic::Parabola,
        ahead: &[2.0, -1.0],
    },
    Scheme {
        order: 2,
        differences: true,
        smoothing: false,
        quadratic: Quadratic::Parabola,
        ahead: &[3.0, -3.0, 1.0],
    },
    Scheme {
        order: 2,
        differences: true,
        smoothing: false,
        quadratic: Quadratic::Differences,
        ahead: &[2.5, -2.0, 0.5],
    },
    Scheme {
        order: 1,
        differences: false,
        smoothing: true,
        quadratic: Quadratic::Parabola,
        // By equations 6.71 b, c and e, which 6.73 c and table 6.5 lose a term of.
        ahead: &[2.0, -1.0],
    },
];

/// Tables 6.1 and 6.5, without correction: the largest |d1 d2| of each sign.
fn limits(bench: &Bench, table: &mut Table) -> Result<()> {
    for scheme in &SCHEMES {
        for sign in [1.0, -1.0] {
            let expected = theory(scheme, sign);
            let (mut low, mut high) = (0.0, 2.0 * expected);
            for _ in 0..if bench.smoke { 6 } else { 9 } {
                let middle = 0.5 * (low + high);
                match stable(bench, scheme, sign * middle)? {
                    true => low = middle,
                    false => high = middle,
                }
            }
            let measured = 0.5 * (low + high);
            let derivatives = match (scheme.order, scheme.differences, scheme.smoothing) {
                (0, ..) => "",
                (_, true, _) if scheme.quadratic == Quadratic::Differences => {
                    ", differences of equation 6.30"
                }
                (_, true, _) => ", differences",
                (_, false, false) => ", analytical",
                (_, false, true) => ", analytical, smoothing",
            };
            let source = match (scheme.smoothing, scheme.quadratic) {
                (true, _) => "000 table 6.5",
                (false, Quadratic::Parabola) => "000 table 6.1",
                (false, Quadratic::Differences) => "000 equation 6.30",
            };
            let published = match (scheme.order, scheme.differences) {
                _ if scheme.smoothing => "rho(DL) <= 1 (slip)",
                (2, _) => "",
                (_, false) => "rho(DL) <= 1",
                (_, true) => "eq. 6.41",
            };
            let side = if sign > 0.0 { "> 0" } else { "< 0" };
            table.row(
                source,
                format!(
                    "order {}{derivatives}: stable up to |d1 d2|, d1 d2 {side}",
                    scheme.order
                ),
                published,
                format!("{measured:.4}"),
                format!("{expected:.4} +- 5 %"),
                (measured / expected - 1.0).abs() <= 0.05,
            );
            let refuses = |p: f64| -> Result<Option<String>> {
                let run = linear_example(bench, sign * p, |settings| scheme.set(settings, 3, false))?;
                Ok(run.sentence())
            };
            let (below, above) = (refuses(0.95 * expected)?, refuses(1.05 * expected)?);
            let says = above.as_deref().unwrap_or_default();
            let foreseen = below.is_none() && says.contains("one.y") && says.contains("two.y");
            table.row(
                source,
                format!(
                    "order {}{derivatives}, d1 d2 {side}: foreseen before the first step",
                    scheme.order
                ),
                "",
                if foreseen { "yes" } else { "no" },
                "5 % below: runs, above: refused",
                foreseen,
            );
        }
    }
    Ok(())
}

impl Scheme {
    fn set(&self, settings: &mut Settings, steps: u32, insist: bool) {
        (settings.extrapolation, settings.differences) = (self.order, self.differences);
        (settings.smoothing, settings.quadratic) = (self.smoothing, self.quadratic);
        (settings.step, settings.stop) = (STEP, STEP * f64::from(steps));
        settings.insist = insist;
    }
}

/// Whether what the coupling does to small errors stays small over many tiny steps: unstable is what grows, over the
/// second half of the steps, by more than the states could make it.
fn stable(bench: &Bench, scheme: &Scheme, p: f64) -> Result<bool> {
    let run = linear_example(bench, p, |settings| scheme.set(settings, STEPS, true))?;
    if run.error.is_some() {
        return Ok(false);
    }
    let reference = reference(p, run.times());
    let (one, two) = (run.values("one.y")?, run.values("two.y")?);
    let off = |at: usize| (one[at] - reference[at][0]).abs() + (two[at] - reference[at][1]).abs();
    let last = run.times().len() - 1;
    Ok(off(last) < 10.0 * off(last / 2))
}

/// The largest |p| for which no root of z^k = lambda (a0 z^(k-1) + a1 z^(k-2) + ...) leaves the unit circle, where lambda are
/// the square roots of p: where a root is on the circle, lambda = z^k / (a0 z^(k-1) + ...), so the smallest lambda^2 on the
/// circle that is real and of that sign.
fn theory(scheme: &Scheme, sign: f64) -> f64 {
    let samples = 200_000;
    let square = |k: u32| {
        let angle = std::f64::consts::PI * f64::from(k) / f64::from(samples);
        // 1 / lambda = a0 / z + a1 / z^2 + ...
        let (mut re, mut im) = (0.0, 0.0);
        for (power, a) in (1..).zip(scheme.ahead) {
            let turned = -angle * f64::from(power);
            (re, im) = (re + a * turned.cos(), im + a * turned.sin());
        }
        let (re2, im2) = (re * re - im * im, 2.0 * re * im);
        let size = re2 * re2 + im2 * im2;
        (re2 / size, -im2 / size)
    };
    let mut smallest = f64::INFINITY;
    let mut before = square(0);
    for k in 1..=samples {
        let now = square(k);
        // Real where the imaginary part is zero, or changes its sign without a jump.
        let crosses = before.1 * now.1 <= 0.0 && now.1.abs() < 1e-2 * now.0.abs();
        if (crosses || now.1.abs() < 1e-9 * now.0.abs()) && now.0 * sign > 0.0 {
            smallest = f64::min(smallest, now.0.abs());
        }
        before = now;
    }
    smallest
}

/// Linear and consistent correction: no limit.
fn corrected(bench: &Bench, table: &mut Table) -> Result<()> {
    let both = [Correction::Linear, Correction::Consistent];
    let smoothed = both.map(|correction| (correction, true));
    for (correction, smoothing) in both
        .map(|correction| (correction, false))
        .into_iter()
        .chain(smoothed)
    {
        let (source, words) = match smoothing {
            false => ("000 table 6.1", ""),
            true => ("000 table 6.5", ", smoothing"),
        };
        for p in [9.0, -9.0] {
            let run = linear_example(bench, p, |settings| {
                (settings.correction, settings.extrapolation) = (correction, 1);
                settings.smoothing = smoothing;
                (settings.step, settings.stop) = (1e-3, 0.5);
            })?;
            let run = run.whole()?;
            let off = run.deviation(&["one.y", "two.y"], &reference(p, run.times()))?;
            table.row(
                source,
                format!("d1 d2 = {p}, {} correction{words}", correction.as_str()),
                "stable",
                format!("off by {:.3} %", 100.0 * off),
                "<= 1 %",
                off <= 0.01,
            );
        }
    }
    Ok(())
}

/// Errors of the outputs at t = 1 as H goes to 0, for d1 d2 = -0.01, where everything is stable, and the orders to expect.
///
/// Differences of second order have no history in the first steps, which leaves order 2.
fn convergence(bench: &Bench, table: &mut Table) -> Result<()> {
    let (p, steps) = (-0.01, [0.02, 0.01, 0.005, 0.0025]);
    // Equation 6.30 is of first order: the input has an error of second order in the step, as with linear extrapolation.
    let thesis = Quadratic::Differences;
    for (extrapolation, differences, correction, promised, quadratic) in [
        (0, false, Correction::None, 1.0),
        (0, false, Correction::Linear, 1.0),
        (1, false, Correction::None, 2.0),
        (1, true, Correction::None, 2.0),
        (1, false, Correction::Linear, 2.0),
        (1, false, Correction::Consistent, 2.0),
        (2, false, Correction::None, 3.0),
        (2, true, Correction::None, 2.0),
        (2, true, Correction::Linear, 2.0),
        (2, false, Correction::Linear, 3.0),
        (2, false, Correction::Consistent, 3.0),
    ]
    .map(|(order, differences, correction, promised)| {
        (order, differences, correction, promised, Quadratic::Parabola)
    })
    .into_iter()
    .chain([(2, true, Correction::None, 2.0, thesis)])
    {
        let mut errors = Vec::new();
        for step in steps {
            let run = linear_example(bench, p, |settings| {
                (settings.extrapolation, settings.correction) = (extrapolation, correction);
                (settings.differences, settings.quadratic) = (differences, quadratic);
                (settings.step, settings.stop) = (step, 1.0);
            })?;
            let run = run.whole()?;
            let expected = outputs_at_end(p, &run);
            errors.push((run.last("one.y")? - expected[0]).abs() + (run.last("two.y")? - expected[1]).abs());
        }
        let found = order(&steps, &errors);
        let derivatives = match (extrapolation, differences) {
            (0, _) => "",
            (_, true) if quadratic == thesis => ", differences of equation 6.30",
            (_, true) => ", differences",
            (_, false) => ", analytical",
        };
        table.row(
            "000 section 6.1",
            format!(
                "order {extrapolation}{derivatives}, correction {}: convergence",
                correction.as_str()
            ),
            "",
            format!("{found:.2} ({:.1e})", errors[errors.len() - 1]),
            format!(">= {}", promised - 0.1),
            found >= promised - 0.1,
        );
    }
    Ok(())
}

fn outputs_at_end(p: f64, run: &Run) -> Vec<f64> {
    reference(p, run.times()).pop().unwrap_or_default()
}

/// As figure 6.1: the same system for a radius below, at and above 1.
fn drawing(bench: &Bench, table: &mut Table) -> Result<()> {
    let mut panel = Panel::new(None);
    for p in [0.5, 1.1] {
        let run = linear_example(bench, -p, |settings| {
            (settings.step, settings.stop, settings.insist) = (0.005, 0.5, true);
        })?;
        panel = panel.with(Series::new(&format!("y1, d1 d2 = -{p}"), run.points("one.y")?));
    }
    let plot = Plot::new("Example 6.1.1 without correction").with(panel);
    table.drawing(
        "linear-example.svg",
        "Example 6.1.1 for stable and unstable d1 d2, insisting.",
        &plot,
    );
    Ok(())
}
