//! Runs the loop that the first argument names, as often as the second says: for an instruction count, of which the
//! difference between many and few rounds is that of the rounds alone.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use derivatives_bench::{HeatRod, UpperPendulum, VanDerPol, arguments, by_hand, large};
use fmu_runtime::ModelError;
use fmu_runtime::fmi2::full_description;
use fmu_runtime::jacobian::Jacobian;
use fmu_runtime::model::Model;
use fmu_runtime::tangent::{Tangent, Unknowns};

const CELLS: usize = 1000;
const MANY: usize = 10_000;

fn main() -> Result<(), ModelError> {
    let (name, rounds) = arguments();
    match name.as_str() {
        "van-der-pol/hand" => {
            let mut model = by_hand::VanDerPol {
                x0: 2.0,
                x1: 0.5,
                mu: 1.0,
                u: 0.0,
            };
            repeat(rounds, || {
                let derivatives = black_box(&mut model).derivatives(0.0);
                black_box(&derivatives);
            });
        }
        "van-der-pol/plain" => {
            let mut model = VanDerPol::default();
            repeat(rounds, || {
                let derivatives = black_box(&mut model).derivatives(0.0);
                black_box(&derivatives);
            });
        }
        "heat-rod/hand" => {
            let rod = large::rod::<CELLS>()?;
            let mut model = by_hand::HeatRod {
                temperature: rod.temperature,
                left: rod.left,
                right: rod.right,
                rate: rod.rate,
            };
            repeat(rounds, || {
                let derivatives = black_box(&mut model).derivatives(0.0);
                black_box(&derivatives);
            });
        }
        "heat-rod/plain" => {
            let mut model = large::rod::<CELLS>()?;
            repeat(rounds, || {
                let derivatives = black_box(&mut *model).derivatives(0.0);
                black_box(&derivatives);
            });
        }
        "van-der-pol/evaluate" => evaluate(rounds, &mut VanDerPol::default())?,
        "van-der-pol/seed" => seed(rounds, &VanDerPol::default())?,
        "upper-pendulum/evaluate" => evaluate(rounds, &mut UpperPendulum::default())?,
        "upper-pendulum/seed" => seed(rounds, &UpperPendulum::default())?,
        "heat-rod/evaluate" => evaluate(rounds, &mut *large::rod::<CELLS>()?)?,
        "heat-rod/seed" => seed(rounds, &*large::rod::<CELLS>()?)?,
        "heat-rod/lanes" => lanes(rounds)?,
        "heat-rod/jacobian" => jacobian(rounds, false)?,
        "heat-rod/entries" => jacobian(rounds, true)?,
        "small-stack" => {
            large::on_a_small_stack(large::evaluate_all::<MANY>)?;
            println!("ok");
        }
        "trace/1000" => trace::<CELLS>()?,
        "trace/10000" => trace::<MANY>()?,
        other => return Err(ModelError::new(format!("no loop is called '{other}'"))),
    }
    Ok(())
}

fn repeat(rounds: u64, mut body: impl FnMut()) {
    for _ in 0..rounds {
        body();
    }
}

/// One evaluation as an integrator asks for it: states in, derivatives out.
fn evaluate<M: Model>(rounds: u64, model: &mut M) -> Result<(), ModelError> {
    let mut x = vec![0.0; M::COUNTS.states];
    let mut dx = x.clone();
    model.states(&mut x);
    for _ in 0..rounds {
        let model = black_box(&mut *model);
        model.set_states(black_box(&x));
        model.update_locals(0.0)?;
        model.eval_derivatives(0.0, &mut dx)?;
        black_box(&dx);
    }
    Ok(())
}

/// The same over dual numbers with one lane.
fn seed<M: Model>(rounds: u64, model: &M) -> Result<(), ModelError> {
    let mut tangent = Tangent::<M, 1>::new(model);
    tangent.load(model, 0.0);
    for state in 0..M::COUNTS.states {
        tangent.seed_state(state, 0, 1.0);
    }
    for _ in 0..rounds {
        let tangent = black_box(&mut tangent);
        tangent.evaluate(Unknowns::DERIVATIVES)?;
        black_box(tangent.derivatives());
    }
    Ok(())
}

/// The same with four lanes: all columns of the Jacobian, still by their colours.
fn lanes(rounds: u64) -> Result<(), ModelError> {
    let rod = large::rod::<CELLS>()?;
    let mut tangent = Tangent::<HeatRod<CELLS>, 4>::new(&rod);
    tangent.load(&rod, 0.0);
    for state in 0..CELLS {
        tangent.seed_state(state, state % 3, 1.0);
    }
    for _ in 0..rounds {
        let tangent = black_box(&mut tangent);
        tangent.evaluate(Unknowns::DERIVATIVES)?;
        black_box(tangent.derivatives());
    }
    Ok(())
}

/// The Jacobian at given states, compressed; with `entries`, each of them copied to its row as well.
fn jacobian(rounds: u64, entries: bool) -> Result<(), ModelError> {
    let rod = large::rod::<CELLS>()?;
    let coloring = large::coloring::<CELLS>()?;
    let mut values = vec![0.0; coloring.pattern().entries()];
    let mut jacobian = Jacobian::new(&*rod, coloring.into());
    for _ in 0..rounds {
        let jacobian = black_box(&mut jacobian);
        jacobian.evaluate(0.0, black_box(&rod.temperature))?;
        if entries {
            jacobian.entries(|entry, value| values[entry] = value);
            black_box(&values);
        }
    }
    Ok(())
}

/// Prints the seconds that the dependencies take, and by how many kilobytes the memory in use grows meanwhile.
fn trace<const N: usize>() -> Result<(), ModelError> {
    let before = kilobytes("VmRSS:");
    let begin = Instant::now();
    let (description, notes) = full_description::<HeatRod<N>>(Path::new(""))?;
    let seconds = begin.elapsed().as_secs_f64();
    assert!(notes.is_empty(), "{notes:?}");
    for row in &description.model_structure.derivatives {
        let on = row.dependencies.as_ref().map_or(0, Vec::len);
        assert!((1..=3).contains(&on), "{on} dependencies");
    }
    println!("{seconds} {}", kilobytes("VmHWM:") - before);
    Ok(())
}

/// A figure of this process, where the system reports it: the memory in use now, or at most so far.
fn kilobytes(which: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(which));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0.0)
}
