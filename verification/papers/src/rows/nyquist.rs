//! Viel 2014, section 2.3 and figures 7 and 8: two lines with held inputs as a loop that is sampled, by its open loop on the
//! unit circle. Nothing is simulated here.

use std::f64::consts::PI;

use fmu_results::plot::{Panel, Plot, Series};

use crate::table::Table;

/// Frequency of a line alone, and the factor of the faster frequency of both.
const OMEGA: f64 = 4568.5;
const PHI: f64 = 1.618_033_988_749_895;
/// Points on the upper half of the circle.
const POINTS: u32 = 4000;

type Complex = (f64, f64);

fn product(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn quotient(a: Complex, b: Complex) -> Complex {
    let size = b.0 * b.0 + b.1 * b.1;
    let top = product(a, (b.0, -b.1));
    (top.0 / size, top.1 / size)
}

/// A line over a step with held inputs: how its effort and flow change by themselves, and by a flow behind and an effort before.
struct Sampled {
    phi: [[f64; 2]; 2],
    by_flow: [f64; 2],
    by_effort: [f64; 2],
}

impl Sampled {
    /// Of a step that is a part of the Nyquist period pi / (omega0 phi1).
    fn new(part: f64, zeta: f64, leak: f64) -> Sampled {
        let x = OMEGA * part * PI / (OMEGA * PHI);
        let a = [[-leak * x, x], [-x, -2.0 * zeta * x]];
        // exp(a) and its integral over the step, by their series.
        let (mut phi, mut sum) = ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]);
        let mut term = phi;
        for k in 1..30 {
            let mut next = [[0.0; 2]; 2];
            for (row, next) in next.iter_mut().enumerate() {
                for (column, next) in next.iter_mut().enumerate() {
                    *next = (a[row][0] * term[0][column] + a[row][1] * term[1][column]) / f64::from(k);
                    phi[row][column] += *next;
                    sum[row][column] += *next / f64::from(k + 1);
                }
            }
            term = next;
        }
        Sampled {
            phi,
            by_flow: [-x * sum[0][0], -x * sum[1][0]],
            by_effort: [x * sum[0][1], x * sum[1][1]],
        }
    }

    /// The open loop of equation 11 at a point of the unit circle.
    fn open_loop(&self, angle: f64) -> Complex {
        let z = (angle.cos(), angle.sin());
        let [[a, b], [c, d]] = self.phi;
        let (p, q) = ((z.0 - a, z.1), (z.0 - d, z.1));
        let determinant = product(p, q);
        let determinant = (determinant.0 - b * c, determinant.1);
        let effort = (q.0 * self.by_flow[0] + b * self.by_flow[1], q.1 * self.by_flow[0]);
        let flow = (
            p.0 * self.by_effort[1] + c * self.by_effort[0],
            p.1 * self.by_effort[1],
        );
        let all = product(quotient(effort, determinant), quotient(flow, determinant));
        (-all.0, -all.1)
    }

    /// The smallest phase margin in degrees where the gain is 1; none where it never is.
    fn margin(&self) -> Option<f64> {
        let mut margin: Option<f64> = None;
        let mut before = f64::NAN;
        for point in 1..POINTS {
            let (re, im) = self.open_loop(PI * f64::from(point) / f64::from(POINTS));
            let beyond = re.hypot(im) - 1.0;
            if before * beyond < 0.0 {
                let mut degrees = 180.0 + im.atan2(re).to_degrees();
                if degrees > 180.0 {
                    degrees -= 360.0;
                }
                let smaller = margin.is_none_or(|margin| degrees.abs() < margin.abs());
                margin = if smaller { Some(degrees) } else { margin };
            }
            before = beyond;
        }
        margin
    }
}

pub fn rows(table: &mut Table) {
    let (zeta, leak) = (0.001, 0.02);
    let margin = |part: f64| Sampled::new(part, zeta, leak).margin().unwrap_or(f64::NAN);
    let source = "001 figures 7, 8";
    let tenth = margin(0.1);
    table.row(
        source,
        "phase margin for H = 0.1 of the Nyquist period, in degrees",
        "unstable",
        format!("{tenth:.2}"),
        "< 0",
        tenth < 0.0,
    );
    let parts: Vec<f64> = (1..=200).map(|k| 1e-4 * f64::from(k)).collect();
    let limit = parts
        .iter()
        .copied()
        .find(|&part| margin(part) < 0.0)
        .unwrap_or(f64::NAN);
    table.row(
        source,
        "the margin is gone from H / Nyquist period on",
        "0.01",
        format!("{limit:.4}"),
        "0.01 +- 10 %",
        (limit / 0.01 - 1.0).abs() <= 0.1,
    );
    let small = margin(0.002);
    table.row(
        source,
        "phase margin for H = 0.002 of the Nyquist period, in degrees",
        "2",
        format!("{small:.2}"),
        "1 to 3",
        (1.0..=3.0).contains(&small),
    );
    let printed = Sampled::new(0.1, zeta, 2.0).margin();
    table.row(
        source,
        "the same with the leak as printed (omega0 tau = 0.5)",
        "unstable",
        if printed.is_none() {
            "gain below 1"
        } else {
            "gain of 1"
        },
        "gain below 1: the print is a slip",
        printed.is_none(),
    );
    let mut panel = Panel::new(Some("degrees"));
    for leak in [0.01, 0.02, 0.04] {
        let at = |&part: &f64| Some((part, Sampled::new(part, zeta, leak).margin()?));
        let points = parts.iter().filter_map(at).collect();
        panel = panel.with(Series::new(&format!("leak {leak}"), points));
    }
    let plot = Plot::new("Phase margin against H / Nyquist period").with(panel);
    table.drawing(
        "figure-8.svg",
        "Figure 8 (right): the phase margin for three leaks.",
        &plot,
    );
    let sampled = Sampled::new(0.1, zeta, leak);
    let circle = (1..POINTS).map(|point| sampled.open_loop(PI * f64::from(point) / f64::from(POINTS)));
    let near = circle
        .filter(|point| point.0.abs() < 3.0 && point.1.abs() < 3.0)
        .collect();
    let panel = Panel::new(None).with(Series::new("open loop, H = 0.1 of the Nyquist period", near));
    let plot = Plot::new("Nyquist plot: imaginary against real part").with(panel);
    table.drawing("figure-7.svg", "Figure 7 (bottom): the open loop near -1.", &plot);
}
