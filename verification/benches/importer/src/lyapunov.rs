//! The robustness of a chromatographic column to its input: its Lyapunov equation P' = A P + P Aᵀ + B Bᵀ, solved beside
//! the FMU (Andersson, Åkesson and Führer 2016, 6.5, equations 21 to 24).

use fmu_importer::simulate::{ExtraEquations, Inputs, Matrices, Plant, Simulation};
use fmu_importer::{Error, Fmu};

/// P, column by column, as unknowns.
struct Lyapunov {
    n: usize,
    /// No entry of the Jacobian is exactly zero, so that a full matrix costs what it costs where zeros are not skipped:
    /// that is what the published figure compares with.
    full: bool,
}

/// In place of zero.
const ALMOST_ZERO: f64 = 1e-30;

impl Lyapunov {
    /// B Bᵀ, added to P' or as the first P.
    fn add_disturbance(plant: &mut Plant, n: usize, p: &mut [f64]) -> Result<(), Error> {
        let (pattern, b) = plant.b()?;
        for input in 0..pattern.columns() {
            let rows = pattern.column(input);
            let values = &b[pattern.range(input)];
            for (row, value) in rows.iter().zip(values) {
                for (column, other) in rows.iter().zip(values) {
                    p[column * n + row] += value * other;
                }
            }
        }
        Ok(())
    }
}

impl ExtraEquations for Lyapunov {
    fn unknowns(&self) -> usize {
        self.n * self.n
    }

    fn start(&mut self, plant: &mut Plant) -> Result<Vec<f64>, Error> {
        let mut p = vec![0.0; self.n * self.n];
        Self::add_disturbance(plant, self.n, &mut p)?;
        Ok(p)
    }

    fn derivatives(&mut self, plant: &mut Plant, p: &[f64], dp: &mut [f64]) -> Result<(), Error> {
        let n = self.n;
        dp.fill(0.0);
        let (pattern, a) = plant.a()?;
        for ((row, column), value) in pattern.iter().zip(a) {
            for k in 0..n {
                // A P, and P Aᵀ.
                dp[k * n + row] += value * p[k * n + column];
                dp[row * n + k] += value * p[column * n + k];
            }
        }
        Self::add_disturbance(plant, n, dp)
    }

    fn pattern(&self, plant: &Plant) -> Vec<(usize, usize)> {
        let n = self.n;
        let blocks = plant.a_pattern().iter();
        blocks
            .flat_map(|(row, column)| {
                (0..n).flat_map(move |k| [(k * n + row, k * n + column), (row * n + k, column * n + k)])
            })
            .collect()
    }

    fn jacobian(
        &mut self,
        plant: &mut Plant,
        _: &[f64],
        entry: &mut dyn FnMut(usize, usize, f64),
    ) -> Result<(), Error> {
        // I ⊗ A + A ⊗ I.
        let n = self.n;
        if self.full {
            (0..n * n).for_each(|column| (0..n * n).for_each(|row| entry(row, column, ALMOST_ZERO)));
        }
        let (pattern, a) = plant.a()?;
        for ((row, column), value) in pattern.iter().zip(a) {
            for k in 0..n {
                entry(k * n + row, k * n + column, *value);
                entry(row * n + k, column * n + k, *value);
            }
        }
        Ok(())
    }

    fn nominal(&self) -> f64 {
        // P begins with the square of a tank's 1 / T, and becomes small behind the tanks.
        10.0
    }
}

/// Prints unknowns, seconds, calls of `fmi2GetDirectionalDerivative`, steps, and the state at the end of the column.
pub fn run(fmu: &str, matrices: &str, stop: f64) -> Result<(), Box<dyn std::error::Error>> {
    let fmu = Fmu::open(fmu)?;
    let n = fmu.continuous_states()?.len();
    let dense = matrices == "dense";
    let simulation = Simulation::new(&fmu)
        .stop(stop)
        .output_step(stop / 10.0)
        .tolerance(1e-4)
        .inputs(Inputs::function("u", |t| 1.0 - (-3.0 * t).exp()))
        .matrices(if dense { Matrices::Dense } else { Matrices::Sparse })
        .compressed(!dense)
        .extra_equations(Lyapunov { n, full: dense });
    let (results, summary) = simulation.run()?;
    let names = results.columns();
    let last = results
        .numbers(&names[names.len() - 1].name)
        .and_then(|values| values.last());
    println!(
        "{} {} {} {} {}",
        n + n * n,
        summary.total.as_secs_f64(),
        summary.directional_derivatives,
        summary.solver.steps,
        last.unwrap_or(&f64::NAN)
    );
    Ok(())
}
