//! What a call costs that goes to another process, and what waiting for it costs.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fmu_importer::remote::{Host, Link, Process, Started};
use fmu_importer::{CoSimulation, Experiment, Fmu, InstanceOptions};

use crate::{Outcome, median};

/// Starts this program again; each process first sleeps for a while.
struct Processes {
    folder: PathBuf,
    delay: Duration,
    started: AtomicUsize,
    /// The numbers of the processes.
    numbers: Arc<Mutex<Vec<u32>>>,
}

struct Running(Child);

impl Process for Running {
    fn ended(&mut self) -> Option<String> {
        let status = self.0.try_wait().ok()?;
        status.map(|status| status.to_string())
    }

    fn lost(&mut self, error: &fmu_importer::Error) {
        eprintln!("error: {error}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It was asked to end when its instance was freed.
        let _ = self.0.wait();
    }
}

impl Host for Processes {
    fn start(&self, _: &str) -> io::Result<Started> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("link-{}-{number}", std::process::id()));
        let link = Link::create(&path)?;
        let child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .arg(&path)
            .arg(self.delay.as_millis().to_string())
            .spawn()?;
        if let Ok(mut numbers) = self.numbers.lock() {
            numbers.push(child.id());
        }
        Ok(Started {
            link,
            process: Box::new(Running(child)),
        })
    }
}

/// The other side.
pub fn serve(path: &Path, delay: u64) -> Outcome<()> {
    let link = Link::open(path)?;
    std::fs::remove_file(path)?;
    std::thread::sleep(Duration::from_millis(delay));
    fmu_importer::remote::serve(link);
    Ok(())
}

/// Nanoseconds that a thread has run.
fn processor_time(of: &str) -> Outcome<f64> {
    let text = std::fs::read_to_string(format!("/proc/{of}/schedstat"))?;
    let first = text.split_whitespace().next().ok_or("no time in schedstat")?;
    Ok(first.parse()?)
}

/// Measures and prints microseconds per call (one instance; four by turns; four at once), microseconds per step with
/// inputs and outputs, and the shares of a core that both sides take while they wait.
pub fn measure(fmu: &Path, folder: &Path, calls: usize) -> Outcome<()> {
    let fmu = Fmu::open(fmu)?;
    let numbers = Arc::new(Mutex::new(Vec::new()));
    let start = |delay: u64| -> Outcome<CoSimulation> {
        let host = Processes {
            folder: folder.into(),
            delay: Duration::from_millis(delay),
            started: AtomicUsize::new(numbers.lock().map_or(0, |numbers| numbers.len())),
            numbers: numbers.clone(),
        };
        let options = InstanceOptions::new().host(Arc::new(host));
        let mut slave = fmu.co_simulation_with("slave", options)?;
        slave.initialize(&Experiment::default())?;
        Ok(slave)
    };
    let mut one = start(0)?;
    let output = fmu.description().model_structure.outputs[0].variable;
    let output = fmu
        .description()
        .variable(output)
        .ok_or("no output")?
        .value_reference;
    let outputs = one.real_variables(&[output])?;
    let per_call = |slaves: &mut [CoSimulation], calls: usize| -> Outcome<f64> {
        let begin = Instant::now();
        for _ in 0..calls {
            for slave in &mut *slaves {
                slave.get_known_reals(&outputs, &mut [0.0])?;
            }
        }
        Ok(1e6 * begin.elapsed().as_secs_f64() / (calls * slaves.len()) as f64)
    };
    let rounds = 11;
    let median_of = |measure: &mut dyn FnMut() -> Outcome<f64>| -> Outcome<f64> {
        let values: Vec<f64> = (0..rounds).map(|_| measure()).collect::<Outcome<_>>()?;
        Ok(median(&values, |value| *value))
    };
    let alone = median_of(&mut || per_call(std::slice::from_mut(&mut one), calls))?;
    let (mut time, step) = (0.0, 1e-6);
    let (inputs, nothing) = (one.real_variables(&[])?, []);
    let per_step = median_of(&mut || {
        let begin = Instant::now();
        for _ in 0..calls {
            one.advance(&inputs, &nothing, time, step, true, &outputs, &mut [0.0])?;
            time += step;
        }
        Ok(1e6 * begin.elapsed().as_secs_f64() / calls as f64)
    })?;
    let mut four = Vec::new();
    for _ in 0..4 {
        four.push(start(0)?);
    }
    let by_turns = median_of(&mut || per_call(&mut four, calls))?;
    let at_once = median_of(&mut || {
        let begin = Instant::now();
        std::thread::scope(|scope| {
            let threads: Vec<_> = four
                .iter_mut()
                .map(|slave| {
                    let per_call = &per_call;
                    scope.spawn(move || {
                        per_call(std::slice::from_mut(slave), calls).map_err(|error| error.to_string())
                    })
                })
                .collect();
            for thread in threads {
                thread.join().map_err(|_| "a thread panicked")??;
            }
            Ok::<(), Box<dyn std::error::Error>>(())
        })?;
        Ok(1e6 * begin.elapsed().as_secs_f64() / calls as f64)
    })?;
    // The main threads of the other processes, while nothing is asked.
    let waiting: Vec<String> = match numbers.lock() {
        Ok(numbers) => numbers.iter().map(u32::to_string).collect(),
        Err(_) => return Err("a thread panicked".into()),
    };
    let of_all = || {
        waiting
            .iter()
            .map(|process| processor_time(process))
            .sum::<Outcome<f64>>()
    };
    let (before, begin) = (of_all()?, Instant::now());
    std::thread::sleep(Duration::from_secs(1));
    let idle = (of_all()? - before) / begin.elapsed().as_nanos() as f64 / waiting.len() as f64;
    // This thread, while it waits for an answer that takes a second.
    let (before, begin) = (processor_time("thread-self")?, Instant::now());
    let slow = start(1000)?;
    let elapsed = begin.elapsed();
    let waiting = (processor_time("thread-self")? - before) / elapsed.as_nanos() as f64;
    drop(slow);
    println!("{alone} {per_step} {by_turns} {at_once} {idle} {waiting}");
    Ok(())
}
