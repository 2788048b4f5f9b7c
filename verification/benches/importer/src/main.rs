//! What the importer costs, one question per process.
//!
//! `open FMU ROUNDS` prints the seconds of processor time of the fastest opening and the most memory that was used, in
//! bytes. `race FMU LOOP ROUNDS STEPS` prints the nanoseconds of a step by the importer, by the plain C of
//! `verification/benches/c/slave_loop.c`, and the median of their ratios. `lyapunov FMU dense|sparse STOP` prints what a column with
//! its Lyapunov equation takes. `solvers FMU` prints what the solver takes for published problems and a building.

mod lyapunov;
mod solvers;

use std::error::Error;
use std::ffi::{CString, c_char, c_long, c_void};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use fmu_importer::{CoSimulation, Experiment, Fmu};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["open", fmu, rounds] => open(fmu.as_ref(), rounds.parse()?),
        ["race", fmu, plain_c, rounds, steps] => {
            race(fmu.as_ref(), plain_c.as_ref(), rounds.parse()?, steps.parse()?)
        }
        ["lyapunov", fmu, matrices, stop] => lyapunov::run(fmu, matrices, stop.parse()?),
        ["solvers", fmu] => solvers::run(fmu),
        _ => Err(
            "open FMU ROUNDS | lyapunov FMU dense|sparse STOP | solvers FMU | race FMU LOOP ROUNDS STEPS"
                .into(),
        ),
    }
}

fn open(path: &Path, rounds: usize) -> Outcome<()> {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let begin = processor_time()?;
        let fmu = Fmu::open(path)?;
        best = best.min(processor_time()? - begin);
        black_box(fmu.description().model_variables.len());
    }
    println!("{best} {}", peak_memory()?);
    Ok(())
}

/// Seconds that this process had a processor: what else the machine does is left out.
fn processor_time() -> Outcome<f64> {
    let schedule = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds = schedule.split_whitespace().next().ok_or("an empty schedstat")?;
    Ok(1e-9 * nanoseconds.parse::<f64>()?)
}

/// The most memory that this process has had.
fn peak_memory() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    Ok(1024 * kilobytes.ok_or("no VmHWM")?.parse::<u64>()?)
}

/// The input and the output of `verification/benches/c/tunable_dahlquist.c`.
const RATE: [u32; 1] = [1];
const STATE: [u32; 1] = [0];
const STEP: f64 = 0.01;

fn race(path: &Path, plain_c: &Path, rounds: usize, steps: usize) -> Outcome<()> {
    let fmu = Fmu::open(path)?;
    let mut slave = fmu.co_simulation("race")?;
    slave.initialize(&Experiment::default())?;
    let mut plain_c = PlainC::load(plain_c, &fmu)?;

    let mut times = Vec::new();
    let (mut ours, mut theirs) = ((0.0, 0.0), (0.0, 0.0));
    for round in 0..rounds {
        // The second one may find a warmer processor: they take turns.
        if round % 2 == 0 {
            theirs = plain_c.run(steps)?;
        }
        ours = by_importer(&mut slave, steps)?;
        if round % 2 == 1 {
            theirs = plain_c.run(steps)?;
        }
        times.push((ours.0, theirs.0));
    }
    if ours.1 != theirs.1 {
        return Err(format!("the loops end at {} and {}", ours.1, theirs.1).into());
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let of = |pick: fn(&(f64, f64)) -> f64| median(times.iter().map(pick).collect());
    let nanoseconds = 1e9 / steps as f64;
    let (ours, theirs) = (of(|times| times.0), of(|times| times.1));
    println!(
        "{} {} {}",
        ours * nanoseconds,
        theirs * nanoseconds,
        of(|times| times.0 / times.1)
    );
    Ok(())
}

/// Seconds for a number of steps, and the last output.
fn by_importer(slave: &mut CoSimulation, steps: usize) -> Outcome<(f64, f64)> {
    slave.reset()?;
    slave.initialize(&Experiment::default())?;
    let (mut time, mut x) = (0.0, [0.0]);
    let begin = Instant::now();
    for _ in 0..steps {
        slave.set_reals(&RATE, &[1.0 + x[0]])?;
        slave.do_step(time, STEP)?;
        slave.get_reals(&STATE, &mut x)?;
        time += STEP;
    }
    Ok((begin.elapsed().as_secs_f64(), x[0]))
}

/// The same loop in C, on an instance of its own of the same library.
struct PlainC {
    library: libloading::Library,
    slave: *mut c_void,
}

impl PlainC {
    fn load(path: &Path, fmu: &Fmu) -> Outcome<Self> {
        // SAFETY: it is the file that `cargo xtask bench` has compiled.
        let library = unsafe { libloading::Library::new(path)? };
        let name = fmu_importer::library_name(fmu.name());
        let inside = fmu_importer::platform_folders()[0];
        let slave_library = fmu.folder()?.join("binaries").join(inside).join(name);
        let texts = [
            CString::new(slave_library.to_string_lossy().as_bytes())?,
            CString::new(fmu.description().guid.as_str())?,
        ];
        // SAFETY: the signature is that of `verification/benches/c/slave_loop.c`.
        let make = unsafe {
            library.get::<unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void>(b"slave_new")?
        };
        // SAFETY: both texts end with a zero byte.
        let slave = unsafe { make(texts[0].as_ptr(), texts[1].as_ptr()) };
        if slave.is_null() {
            return Err("the C loop cannot make an instance".into());
        }
        Ok(Self { library, slave })
    }

    fn run(&mut self, steps: usize) -> Outcome<(f64, f64)> {
        type Loop = unsafe extern "C" fn(*mut c_void, c_long, f64, *mut f64) -> f64;
        // SAFETY: the signature is that of `verification/benches/c/slave_loop.c`.
        let run = unsafe { self.library.get::<Loop>(b"slave_loop")? };
        let mut x = 0.0;
        // SAFETY: the slave was made by the same library, and `x` is there.
        let seconds = unsafe { run(self.slave, steps as c_long, STEP, &mut x) };
        match seconds < 0.0 {
            true => Err("the C loop failed".into()),
            false => Ok((seconds, x)),
        }
    }
}
