//! Instances at the other end of shared memory: the same answers, bit by bit, as instances that are called directly.
//!
//! The other end is a thread here, since this library starts no processes; `fmu/tests/isolated.rs` has processes.

use test_support::fmus;

use std::io;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use fmu_importer::remote::{Host, Link, Process, Started, serve};
use fmu_importer::{
    CoSimulation, Error, Experiment, Fmu, InstanceOptions, ModelExchange, Status, Step, Value,
};
use fmus::{Recipe, faulty, oscillator};
use tempfile::TempDir;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Runs instances in threads.
struct Threads(TempDir, Mutex<usize>);

struct Thread(Option<JoinHandle<()>>);

impl Process for Thread {
    fn ended(&mut self) -> Option<String> {
        let thread = self.0.as_ref()?;
        thread.is_finished().then(|| "ended".into())
    }

    fn lost(&mut self, error: &Error) {
        panic!("{error}");
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            thread.join().expect("the server does not panic");
        }
    }
}

impl Host for Threads {
    fn start(&self, _: &str) -> io::Result<Started> {
        let mut number = self.1.lock().unwrap();
        *number += 1;
        let path = self.0.path().join(number.to_string());
        let link = Link::create(&path)?;
        let other = Link::open(&path)?;
        let thread = std::thread::spawn(move || serve(other));
        Ok(Started {
            link,
            process: Box::new(Thread(Some(thread))),
        })
    }
}

fn elsewhere() -> InstanceOptions {
    let host = Threads(tempfile::tempdir().unwrap(), Mutex::new(0));
    InstanceOptions::new().host(Arc::new(host))
}

fn experiment() -> Experiment {
    Experiment::default().until(3.0).with_tolerance(1e-6)
}

/// Both ways to have an instance.
fn slaves(fmu: &Fmu) -> [CoSimulation; 2] {
    [InstanceOptions::new(), elsewhere()].map(|options| fmu.co_simulation_with("slave", options).unwrap())
}

fn models(fmu: &Fmu) -> [ModelExchange; 2] {
    [InstanceOptions::new(), elsewhere()].map(|options| fmu.model_exchange_with("model", options).unwrap())
}

/// The same done with both gives the same.
fn both<I, R: PartialEq + std::fmt::Debug>(instances: &mut [I; 2], mut act: impl FnMut(&mut I) -> R) -> R {
    let [here, there] = instances;
    let (one, other) = (act(here), act(there));
    assert_eq!(one, other);
    one
}

fn said<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    format!("{:?}", result.map_err(|error| error.to_string()))
}

#[test]
fn a_co_simulation_gives_the_same_bits() -> Outcome {
    let test = oscillator();
    let mut slaves = slaves(&Fmu::open(&test.path)?);
    both(&mut slaves, |slave| {
        let label = "a text with ä, and long: ".repeat(2);
        slave.set("d", 0.25).unwrap();
        slave.set("label", label.as_str()).unwrap();
        slave.set("mode", 2).unwrap();
        slave.set("armed", false).unwrap();
        slave.initialize(&experiment()).unwrap();
    });
    let (inputs, outputs) = ([4], [0, 1, 5]);
    let mut all = Vec::new();
    for step in 0..20 {
        let bits = both(&mut slaves, |slave| {
            let mut y = [0.0; 3];
            let inputs = slave.real_variables(&inputs).unwrap();
            let outputs = slave.real_variables(&outputs).unwrap();
            let u = [f64::from(step).sin()];
            let time = f64::from(step) * 0.1;
            let done = slave.advance(&inputs, &u, time, 0.1, true, &outputs, &mut y);
            assert_eq!(done.unwrap(), Step::Done);
            y.map(f64::to_bits)
        });
        all.push(bits);
    }
    all.dedup();
    assert_eq!(all.len(), 20, "the outputs move");
    let values = both(&mut slaves, |slave| {
        ["x", "y", "n", "mode", "flag", "armed", "label"].map(|name| slave.get(name).unwrap())
    });
    assert_eq!(values[3], Value::Integer(2));
    assert!(matches!(&values[6], Value::String(text) if text.starts_with("a text with ä")));
    both(&mut slaves, |slave| {
        let mut along = [0.0];
        slave
            .directional_derivative(&[5], &[4], &[3.0], &mut along)
            .unwrap();
        along.map(f64::to_bits)
    });
    // Refused calls, in the same words.
    let beyond = both(&mut slaves, |slave| said(slave.do_step(3.0, 0.1)));
    assert!(beyond.contains("a gap in time"), "{beyond}");
    both(&mut slaves, |slave| {
        slave.reset().unwrap();
        slave.initialize(&experiment()).unwrap();
        said(slave.terminate())
    });
    Ok(())
}

#[test]
fn a_model_gives_the_same_bits_in_all_its_modes() -> Outcome {
    let test = oscillator();
    let mut models = models(&Fmu::open(&test.path)?);
    both(&mut models, |model| {
        model.initialize(&experiment()).unwrap();
        let info = model.new_discrete_states().unwrap();
        assert_eq!(info.next_event_time, Some(1.0));
        model.enter_continuous_time_mode().unwrap();
        (info.new_discrete_states_needed, info.next_event_time)
    });
    for step in 1..10 {
        let time = f64::from(step) * 0.1;
        both(&mut models, |model| {
            model.set_time(time).unwrap();
            model.set_continuous_states(&[time.cos(), -time.sin()]).unwrap();
            let (mut dx, mut x, mut z, mut nominals) = ([0.0; 2], [0.0; 2], [0.0; 1], [0.0; 2]);
            model.derivatives(&mut dx).unwrap();
            model.continuous_states(&mut x).unwrap();
            model.event_indicators(&mut z).unwrap();
            model.nominals_of_continuous_states(&mut nominals).unwrap();
            let completed = model.completed_integrator_step(true).unwrap();
            let numbers = dx.into_iter().chain(x).chain(z).chain(nominals);
            (numbers.map(f64::to_bits).collect::<Vec<_>>(), completed)
        });
    }
    both(&mut models, |model| said(model.enter_event_mode()));
    both(&mut models, |model| said(model.new_discrete_states()));
    Ok(())
}

#[test]
fn snapshots_are_handles_and_bytes_of_the_other_end() -> Outcome {
    let test = oscillator();
    let fmu = Fmu::open(&test.path)?;
    let mut slaves = slaves(&fmu);
    let bytes = both(&mut slaves, |slave| {
        slave.initialize(&experiment()).unwrap();
        let mut begin = slave.snapshot().unwrap();
        slave.do_step(0.0, 0.5).unwrap();
        let later = slave.real("x").unwrap();
        slave.restore(&begin).unwrap();
        assert_eq!(slave.real("x").unwrap(), 1.0);
        slave.do_step(0.0, 0.5).unwrap();
        assert_eq!(slave.real("x").unwrap().to_bits(), later.to_bits());
        slave.snapshot_into(&mut begin).unwrap();
        let serialized = slave.serialize(&begin).unwrap();
        slave.do_step(0.5, 0.5).unwrap();
        let back = slave.deserialize(&serialized).unwrap();
        slave.restore(&back).unwrap();
        assert_eq!(slave.real("x").unwrap().to_bits(), later.to_bits());
        serialized.bytes
    });
    assert!(!bytes.is_empty());
    Ok(())
}

#[test]
fn snapshots_that_are_longer_than_the_shared_memory_arrive_whole() -> Outcome {
    let test = faulty("HUGE_STATE");
    let mut slaves = slaves(&Fmu::open(&test.path)?);
    both(&mut slaves, |slave| {
        slave.initialize(&experiment()).unwrap();
        let snapshot = slave.snapshot().unwrap();
        let serialized = slave.serialize(&snapshot).unwrap();
        assert!(serialized.bytes.len() > 16 << 20);
        slave.do_step(0.0, 0.5).unwrap();
        let back = slave.deserialize(&serialized).unwrap();
        slave.restore(&back).unwrap();
        assert_eq!(slave.real("x").unwrap(), 1.0);
        slave.do_step(0.0, 0.5).unwrap();
        slave.real("x").unwrap().to_bits()
    });
    Ok(())
}

#[test]
fn messages_of_the_fmu_arrive_with_names_and_belong_to_errors() -> Outcome {
    let test = oscillator();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let to = heard.clone();
    let options = elsewhere()
        .logging(true)
        .on_message(move |message| to.lock().unwrap().push(message.clone()));
    let mut slave = Fmu::open(&test.path)?.co_simulation_with("slave", options)?;
    slave.initialize(&experiment())?;
    slave.set_debug_logging(true, &["logAll"])?;
    let error = slave.do_step(5.0, 0.1).unwrap_err().to_string();
    assert_eq!(
        error,
        "fmi2DoStep of instance slave returned fmi2Error: a gap in time"
    );
    let heard = heard.lock().unwrap();
    assert!(!heard.is_empty());
    assert!(heard.iter().all(|message| message.instance == "slave"));
    assert_eq!(heard.last().map(|message| message.status), Some(Status::Error));
    Ok(())
}

#[test]
fn an_fmu_that_exists_once_in_a_process_has_several_instances_elsewhere() -> Outcome {
    let description = fmus::DESCRIPTION.replace(
        "modelIdentifier=\"oscillator\" canHandle",
        "canBeInstantiatedOnlyOncePerProcess=\"true\" modelIdentifier=\"oscillator\" canHandle",
    );
    let test = Recipe {
        description,
        ..Default::default()
    }
    .build();
    let fmu = Fmu::open(&test.path)?;
    let first = fmu.co_simulation("first")?;
    assert!(matches!(fmu.co_simulation("second"), Err(Error::OnlyOnce { .. })));
    let second = fmu.co_simulation_with("second", elsewhere())?;
    let third = fmu.co_simulation_with("third", elsewhere())?;
    drop((first, second, third));
    Ok(())
}

#[test]
fn what_cannot_be_loaded_or_made_is_said_in_the_same_words() -> Outcome {
    let other_guid = Recipe {
        description: fmus::DESCRIPTION.replace("{oscillator}", "{other}"),
        ..Default::default()
    }
    .build();
    let fmu = Fmu::open(&other_guid.path)?;
    let one = fmu.co_simulation("slave").map(drop).unwrap_err().to_string();
    assert!(one.contains("made no instance"), "{one}");
    let other = fmu.co_simulation_with("slave", elsewhere()).map(drop);
    assert_eq!(one, other.unwrap_err().to_string());
    let broken = Recipe {
        library: format!("binaries/{}/other.so", fmu_importer::platform_folders()[0]),
        more: vec![test_support::zip::Entry::new(
            &format!("binaries/{}/oscillator.so", fmu_importer::platform_folders()[0]),
            b"no library",
        )],
        ..Default::default()
    }
    .build();
    let fmu = Fmu::open(&broken.path)?;
    let one = fmu.co_simulation("slave").map(drop).unwrap_err().to_string();
    assert!(one.starts_with("cannot load "), "{one}");
    let other = fmu.co_simulation_with("slave", elsewhere()).map(drop);
    assert_eq!(one, other.unwrap_err().to_string());
    Ok(())
}

#[test]
fn texts_that_cannot_be_read_are_an_error_of_the_call() -> Outcome {
    let test = faulty("BAD_TEXT");
    let mut slaves = slaves(&Fmu::open(&test.path)?);
    let answer = both(&mut slaves, |slave| {
        slave.initialize(&experiment()).unwrap();
        said(slave.get("label"))
    });
    assert!(answer.contains("memory that cannot be read"), "{answer}");
    Ok(())
}

/// A process that ends while it is asked.
struct Ends;

impl Host for Ends {
    fn start(&self, _: &str) -> io::Result<Started> {
        let folder = tempfile::tempdir()?;
        let link = Link::create(&folder.path().join("link"))?;
        Ok(Started {
            link,
            process: Box::new(Gone),
        })
    }
}

struct Gone;

impl Process for Gone {
    fn ended(&mut self) -> Option<String> {
        Some("crashed: on purpose".into())
    }

    fn lost(&mut self, error: &Error) {
        panic!("{error}");
    }
}

#[test]
fn a_process_that_ends_is_an_error_with_its_place() -> Outcome {
    let test = oscillator();
    let fmu = Fmu::open(&test.path)?;
    let error = fmu
        .co_simulation_with("slave", InstanceOptions::new().host(Arc::new(Ends)))
        .map(drop)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`slave` in the start of its library crashed: on purpose"
    );
    Ok(())
}
