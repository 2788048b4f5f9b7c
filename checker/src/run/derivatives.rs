//! R20, R20a and M9: directional derivatives and constant factors, against differences.

use fmu_standard::description::{DependencyKind, Variability};

use super::child::Probe;
use super::drive::Driver;
use super::points::{Known, Mode, Structure};
use super::steps::Steps;
use fmu_importer::{Error, Value};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    let modes: &[Mode] = if probe.is_model_exchange() {
        &[Mode::Initialization, Mode::ContinuousTime, Mode::Event]
    } else {
        &[Mode::Initialization, Mode::CommunicationPoint]
    };
    if probe.interface.provides_directional_derivative {
        for mode in modes.iter().copied() {
            steps.add(
                "R20",
                format!("directional derivatives {}", mode.name()),
                move |probe| compare(probe, mode),
            );
        }
    }
    if probe.is_model_exchange() {
        steps.add("M9", "factors of kind constant", constant_factors);
    }
}

/// Values of the unknowns with a known changed by an offset; the known is put back.
fn shifted(
    driver: &mut Driver,
    structure: &Structure,
    known: &Known,
    at: f64,
    by: f64,
) -> Result<Vec<f64>, Error> {
    known.set(driver, &Value::Real(at + by))?;
    let values = structure.read_reals(driver);
    known.set(driver, &Value::Real(at))?;
    values
}

fn compare(probe: &mut Probe, mode: Mode) -> Result<(), Error> {
    let mut structure = Structure::of(probe, mode).reals();
    structure.unknowns.retain(|unknown| match unknown.variability {
        Variability::Continuous => true,
        // Discrete outputs are unknowns at events alone.
        Variability::Discrete => mode != Mode::ContinuousTime,
        // Others are unknowns while they are computed.
        _ => mode == Mode::Initialization,
    });
    let unknowns: Vec<u32> = structure
        .unknowns
        .iter()
        .map(|unknown| unknown.reference)
        .collect();
    let Some(mut driver) = probe.at(mode)? else {
        return Ok(());
    };
    let mut columns = Vec::new();
    for known in &structure.knowns {
        let Value::Real(at) = known.get(&mut driver)? else {
            continue;
        };
        let mut column = vec![0.0; unknowns.len()];
        driver.directional_derivative(&unknowns, &[known.reference], &[1.0], &mut column)?;
        // Between two steps no slave need answer what would follow from other inputs: only that the answers fit
        // together can be said there.
        let result = match mode {
            Mode::CommunicationPoint => Ok(()),
            _ => check_column(probe, &mut driver, &structure, known, at, &column),
        };
        undeclared(probe, &structure, known, &column);
        match result {
            Ok(()) => columns.push((known.reference, column)),
            // The known cannot go there; another instance for the others.
            Err(Error::Call { .. } | Error::NotAllowed { .. }) => {
                // One at a time: some FMUs allow no more.
                drop(driver);
                match probe.at(mode)? {
                    Some(fresh) => driver = fresh,
                    None => return Ok(()),
                }
            }
            Err(error) => return Err(error),
        }
    }
    linearity(probe, &mut driver, &unknowns, &columns)
}

fn check_column(
    probe: &mut Probe,
    driver: &mut Driver,
    structure: &Structure,
    known: &Known,
    at: f64,
    column: &[f64],
) -> Result<(), Error> {
    let center = structure.read_reals(driver)?;
    let scale = known.scale.max(at.abs());
    // Two sizes: where they disagree, differences say nothing.
    let mut slopes = Vec::new();
    for size in [1e-6, 1e-5] {
        let delta = size * scale;
        let up = shifted(driver, structure, known, at, delta)?;
        let down = shifted(driver, structure, known, at, -delta)?;
        slopes.push((delta, up, down));
    }
    for (position, unknown) in structure.unknowns.iter().enumerate() {
        let exact = column[position];
        let within = |part: f64, rounding: f64| {
            slopes.iter().any(|(delta, up, down)| {
                let (up, middle, down) = (up[position], center[position], down[position]);
                let sides = [(up - middle) / delta, (middle - down) / delta];
                let (least, most) = (sides[0].min(sides[1]), sides[0].max(sides[1]));
                // Rounding of the values, and the curvature between the sides.
                let noise = rounding * (up.abs() + middle.abs() + down.abs());
                let room = noise + part * least.abs().max(most.abs()).max(exact.abs());
                exact >= least - room && exact <= most + room
            })
        };
        let (fine, coarse) = (1e-13 / slopes[0].0, NUMERICAL / scale);
        let finite = slopes
            .iter()
            .all(|(_, up, down)| up[position].is_finite() && down[position].is_finite());
        let central: Vec<f64> = slopes
            .iter()
            .map(|(delta, up, down)| (up[position] - down[position]) / (2.0 * delta))
            .collect();
        let consistent =
            (central[0] - central[1]).abs() <= 0.01 * central[0].abs().max(central[1].abs()) + 1e-9;
        let rule = match (within(1e-4, fine), within(NUMERICAL_PART, coarse.max(fine))) {
            (true, _) => None,
            (false, true) => Some("R20a"),
            (false, false) => Some("R20"),
        };
        if let Some(rule) = rule.filter(|_| finite && consistent) {
            let (name, by) = (&unknown.name, &known.name);
            let problem = format!(
                "the derivative of `{name}` by `{by}` is {exact}, differences give {}",
                central[0]
            );
            probe.found(rule, problem);
        }
    }
    Ok(())
}

/// What differences may be off, which the standard allows an FMU to answer with (2.1.9): a part of the derivative for
/// its curvature, and a part of the values over the size of the known for their rounding.
const NUMERICAL_PART: f64 = 0.02;
const NUMERICAL: f64 = 1e-6;

/// Where no dependency is declared, the derivative is zero.
fn undeclared(probe: &mut Probe, structure: &Structure, known: &Known, column: &[f64]) {
    for (unknown, exact) in structure.unknowns.iter().zip(column) {
        if *exact != 0.0 && !unknown.depends_on(known) {
            let rule = structure.rule_of_missing(unknown, known);
            let (name, by) = (&unknown.name, &known.name);
            probe.found(
                rule,
                format!("the derivative of `{name}` by `{by}` is {exact}, and no dependency is declared"),
            );
        }
    }
}

/// A direction of several knowns gives the sum of their columns.
fn linearity(
    probe: &mut Probe,
    driver: &mut Driver,
    unknowns: &[u32],
    columns: &[(u32, Vec<f64>)],
) -> Result<(), Error> {
    // The columns must all be of one point.
    if columns.len() < 2 {
        return Ok(());
    }
    let knowns: Vec<u32> = columns.iter().map(|(known, _)| *known).collect();
    let seed: Vec<f64> = (0..knowns.len())
        .map(|position| 1.0 - 0.37 * (position % 7) as f64)
        .collect();
    let mut direct = vec![0.0; unknowns.len()];
    let mut fresh = vec![0.0; unknowns.len()];
    let (mut sum, mut size) = (vec![0.0; unknowns.len()], vec![0.0; unknowns.len()]);
    driver.directional_derivative(unknowns, &knowns, &seed, &mut direct)?;
    for (known, seed) in knowns.iter().zip(&seed) {
        driver.directional_derivative(unknowns, &[*known], &[1.0], &mut fresh)?;
        for ((sum, size), column) in sum.iter_mut().zip(&mut size).zip(&fresh) {
            *sum += seed * column;
            *size += (seed * column).abs();
        }
    }
    let off = |k: &usize, part: f64| (direct[*k] - sum[*k]).abs() > part * size[*k];
    let mut bad: Vec<usize> = (0..unknowns.len()).filter(|k| off(k, 1e-9)).collect();
    bad.sort_by_key(|k| !off(k, NUMERICAL_PART));
    if let Some(position) = bad.first() {
        let rule = if off(position, NUMERICAL_PART) {
            "R20"
        } else {
            "R20a"
        };
        let (direct, sum) = (direct[*position], sum[*position]);
        probe.found(
            rule,
            format!("a direction of several knowns gives {direct}, the sum over the knowns {sum}"),
        );
    }
    Ok(())
}

fn constant_factors(probe: &mut Probe) -> Result<(), Error> {
    let structure = Structure::of(probe, Mode::ContinuousTime).reals();
    let constant = |known: &Known, position: usize| {
        let unknown = &structure.unknowns[position];
        let kind = unknown
            .dependencies
            .as_ref()
            .and_then(|all| all.get(&known.position));
        kind == Some(&DependencyKind::Constant)
    };
    for known in &structure.knowns {
        if !(0..structure.unknowns.len()).any(|position| constant(known, position)) {
            continue;
        }
        let mut factors = Vec::new();
        // At the first point, and on the way.
        for on_the_way in [false, true] {
            let driver = match on_the_way {
                false => Some(probe.running()?),
                true => probe.at(Mode::ContinuousTime)?,
            };
            let Some(mut driver) = driver.filter(Driver::is_running) else {
                continue;
            };
            let Value::Real(at) = known.get(&mut driver)? else {
                continue;
            };
            let delta = 1e-2 * known.scale;
            let shifts = shifted(&mut driver, &structure, known, at, delta)
                .and_then(|up| Ok((up, shifted(&mut driver, &structure, known, at, -delta)?)));
            if let Ok((up, down)) = shifts {
                factors.push((delta, up, down));
            }
        }
        let [first, second] = &factors[..] else { continue };
        for (position, unknown) in structure.unknowns.iter().enumerate() {
            if !constant(known, position) {
                continue;
            }
            let factor = |(delta, up, down): &(f64, Vec<f64>, Vec<f64>)| {
                let noise = 1e-13 * (up[position].abs() + down[position].abs()) / delta;
                ((up[position] - down[position]) / (2.0 * delta), noise)
            };
            let ((a, noise_a), (b, noise_b)) = (factor(first), factor(second));
            if (a - b).abs() > 1e-6 * a.abs().max(b.abs()) + noise_a + noise_b {
                let (name, by) = (&unknown.name, &known.name);
                let problem =
                    format!("the factor of `{by}` in `{name}` is declared constant, and is {a}, then {b}");
                probe.found("M9", problem);
            }
        }
    }
    Ok(())
}
