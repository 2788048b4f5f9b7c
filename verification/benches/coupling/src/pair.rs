//! Prey and predators, by the master and by plain C.

use std::ffi::{CString, c_char, c_int, c_long, c_void};
use std::path::Path;
use std::time::Instant;

use fmu_importer::Fmu;
use fmu_master::settings::{Algorithm, Parallel, Settings};
use fmu_master::{Master, System};

use crate::{Outcome, median};

/// Communication step.
pub(crate) const STEP: f64 = 0.001;

/// Both FMUs have one of each.
const NAMES: [(&str, &str); 2] = [("predators", "prey"), ("prey", "predators")];

pub fn race(plain_c: &Path, fmus: [&Path; 2], rounds: usize, steps: usize) -> Outcome<()> {
    let mut plain_c = PlainC::load(plain_c, fmus, NAMES)?;
    for repeated in [false, true] {
        let mut times = Vec::new();
        for round in 0..rounds {
            // The second one may find a warmer processor: they take turns.
            let first = (round % 2 == 0).then(|| plain_c.run(steps, repeated));
            let ours = by_master(fmus, steps, repeated)?;
            let theirs = match first {
                Some(first) => first?,
                None => plain_c.run(steps, repeated)?,
            };
            if ours.1 != theirs.1 {
                return Err(format!("the loops end at {:?} and {:?}", ours.1, theirs.1).into());
            }
            times.push((ours.0, theirs.0));
        }
        let of = |pick: fn(&(f64, f64)) -> f64| median(&times, pick);
        let nanoseconds = 1e9 / steps as f64;
        println!(
            "{} {} {}",
            of(|times| times.0) * nanoseconds,
            of(|times| times.1) * nanoseconds,
            of(|times| times.0 / times.1)
        );
    }
    Ok(())
}

fn coupled([prey, predator]: [&Path; 2], steps: usize, repeated: bool) -> Outcome<(Master, Vec<f64>)> {
    let settings = Settings::default()
        .step(STEP)
        .stop(steps as f64 * STEP)
        .algorithm(match repeated {
            true => Algorithm::IteratedGaussSeidel,
            false => Algorithm::Jacobi,
        })
        // One repetition, whatever it changes.
        .iterations(2)
        .convergence(f64::MIN_POSITIVE)
        .insist(true)
        .parallel(Parallel::Never);
    let assembled = System::default()
        .component("prey", prey)
        .component("predator", predator)
        .connect("prey.prey", "predator.prey")
        .connect("predator.predators", "prey.predators")
        .settings(settings)
        .assemble()?;
    Ok((assembled.master, assembled.start))
}

/// Seconds for a number of steps, and the last outputs.
fn by_master(fmus: [&Path; 2], steps: usize, repeated: bool) -> Outcome<(f64, [f64; 2])> {
    let (mut master, start) = coupled(fmus, steps, repeated)?;
    master.initialize(&start)?;
    let begin = Instant::now();
    master.run(|_| true)?;
    let seconds = begin.elapsed().as_secs_f64();
    let y = master.outputs();
    Ok((seconds, [y[0], y[1]]))
}

/// The same loop in C, on instances of its own of the same libraries.
pub(crate) struct PlainC {
    library: libloading::Library,
    pair: *mut c_void,
}

impl PlainC {
    /// The two FMUs, each with the names of its input and its output.
    pub(crate) fn load(path: &Path, fmus: [&Path; 2], names: [(&str, &str); 2]) -> Outcome<PlainC> {
        // SAFETY: it is the file that `cargo xtask bench` has compiled.
        let library = unsafe { libloading::Library::new(path)? };
        type Add = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, u32, u32) -> *mut c_void;
        // SAFETY: the signature is that of `verification/benches/c/pair_loop.c`.
        let add = unsafe { library.get::<Add>(b"pair_add")? };
        let mut pair = std::ptr::null_mut();
        for (path, (input, output)) in fmus.into_iter().zip(names) {
            let fmu = Fmu::open(path)?;
            let inside = fmu_importer::platform_folders()[0];
            let library = fmu_importer::library_name(fmu.name());
            let library = fmu.folder()?.join("binaries").join(inside).join(library);
            let texts = [
                CString::new(library.to_string_lossy().as_bytes())?,
                CString::new(fmu.description().guid.as_str())?,
            ];
            let reference = |name: &str| -> Outcome<u32> { Ok(fmu.variable(name)?.value_reference) };
            let (input, output) = (reference(input)?, reference(output)?);
            // SAFETY: both texts end with a zero byte, and the pair is null or from the same function.
            pair = unsafe { add(pair, texts[0].as_ptr(), texts[1].as_ptr(), input, output) };
            if pair.is_null() {
                return Err("the C loop cannot make an instance".into());
            }
        }
        Ok(PlainC { library, pair })
    }

    pub(crate) fn run(&mut self, steps: usize, repeated: bool) -> Outcome<(f64, [f64; 2])> {
        type Loop = unsafe extern "C" fn(*mut c_void, c_long, f64, c_int, *mut f64) -> f64;
        // SAFETY: the signature is that of `verification/benches/c/pair_loop.c`.
        let run = unsafe { self.library.get::<Loop>(b"pair_loop")? };
        let mut y = [0.0; 2];
        // SAFETY: the pair was made by the same library, and there is room for two outputs.
        let seconds = unsafe { run(self.pair, steps as c_long, STEP, repeated.into(), y.as_mut_ptr()) };
        match seconds < 0.0 {
            true => Err("the C loop failed".into()),
            false => Ok((seconds, y)),
        }
    }
}
