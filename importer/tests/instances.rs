//! Instances of a C FMU, driven through the public interface.

use test_support::fmus;

use std::sync::{Arc, Mutex};

use fmu_importer::{Error, Experiment, Fmu, InstanceOptions, State, Status, Step, Value};
use fmus::{faulty, oscillator};
use test_support::allocations::{Counting, count};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Undamped, from x = 1 at rest: x = cos(2 t).
fn undamped(instance: &mut fmu_importer::Instance) -> Result<(), Error> {
    instance.set("d", 0.0)?;
    instance.initialize(&Experiment::default().until(3.0))
}

#[test]
fn co_simulation_follows_the_closed_form() -> Outcome {
    let test = oscillator();
    let mut slave = Fmu::open(&test.path)?.co_simulation("slave")?;
    undamped(&mut slave)?;
    for step in 0..30 {
        assert_eq!(slave.do_step(f64::from(step) * 0.1, 0.1)?, Step::Done);
    }
    assert!((slave.real("x")? - 6.0_f64.cos()).abs() < 1e-9);
    assert!((slave.real(1_u32)? + 2.0 * 6.0_f64.sin()).abs() < 1e-9);
    assert_eq!(slave.get("n")?, Value::Integer(3));
    assert_eq!(slave.get("label")?, Value::String("oscillator".into()));
    let error = slave.do_step(3.0, 0.1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "fmi2DoStep of instance slave returned fmi2Error: beyond the stop time"
    );
    assert_eq!(slave.state(), State::Error);
    slave.reset()?;
    assert_eq!(slave.state(), State::Instantiated);
    Ok(())
}

#[test]
fn model_exchange_goes_through_its_modes() -> Outcome {
    let test = oscillator();
    let mut model = Fmu::open(&test.path)?.model_exchange("model")?;
    assert_eq!(
        (model.number_of_states(), model.number_of_event_indicators()),
        (2, 1)
    );
    undamped(&mut model)?;
    let info = model.new_discrete_states()?;
    assert!(!info.new_discrete_states_needed);
    assert_eq!(info.next_event_time, Some(1.0));
    model.enter_continuous_time_mode()?;
    model.set_time(0.5)?;
    model.set_continuous_states(&[0.25, -3.0])?;
    let (mut dx, mut x, mut z, mut nominal) = ([0.0; 2], [0.0; 2], [0.0; 1], [0.0; 2]);
    model.derivatives(&mut dx)?;
    model.continuous_states(&mut x)?;
    model.event_indicators(&mut z)?;
    model.nominals_of_continuous_states(&mut nominal)?;
    assert_eq!((dx, x, nominal), ([-3.0, -1.0], [0.25, -3.0], [1.0, 1.0]));
    assert!((z[0] - 0.25).abs() < 1e-9);
    assert!(!model.completed_integrator_step(true)?.enter_event_mode);
    let mut slope = [0.0; 2];
    model.directional_derivative(&[7, 5], &[0, 4], &[1.0, 10.0], &mut slope)?;
    assert_eq!(slope, [-4.0 + 10.0, 20.0]);
    model.enter_event_mode()?;
    assert_eq!(model.state(), State::Event);
    model.terminate()?;
    assert_eq!(model.get("x")?, Value::Real(0.25));
    Ok(())
}

#[test]
fn the_state_machine_refuses_before_the_fmu_is_called() -> Outcome {
    let test = oscillator();
    let fmu = Fmu::open(&test.path)?;
    let mut slave = fmu.co_simulation("slave")?;
    let error = slave.do_step(0.0, 0.1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "fmi2DoStep is not allowed: instance slave is instantiated and not yet initialized"
    );
    assert!(matches!(slave.real("x"), Err(Error::NotAllowed { .. })));
    // A call that was refused has not touched the instance.
    slave.initialize(&Experiment::default())?;
    assert!(matches!(
        slave.enter_initialization_mode(),
        Err(Error::NotAllowed { .. })
    ));
    let mut model = fmu.model_exchange("model")?;
    model.initialize(&Experiment::default())?;
    assert!(matches!(
        model.set_continuous_states(&[0.0, 0.0]),
        Err(Error::NotAllowed { .. })
    ));
    Ok(())
}

#[test]
fn wrong_names_types_references_and_lengths_are_sentences() -> Outcome {
    let test = oscillator();
    let mut slave = Fmu::open(&test.path)?.co_simulation("slave")?;
    slave.initialize(&Experiment::default())?;
    let sentence = |error: Error| error.to_string();
    assert_eq!(
        slave.real("lable").map_err(sentence),
        Err("Oscillator has no variable `lable`; did you mean `label`?".into())
    );
    assert_eq!(
        slave.real("label").map_err(sentence),
        Err("variable `label` is String, not Real".into())
    );
    assert_eq!(
        slave.integer(2_u32).map_err(sentence),
        Err("Oscillator has no Integer variable with value reference 2".into())
    );
    assert_eq!(
        slave.get_reals(&[0, 1], &mut [0.0]).map_err(sentence),
        Err("fmi2GetReal needs 2 values, 1 are given".into())
    );
    assert_eq!(
        slave.set("u", "three").map_err(sentence),
        Err("variable `u` is Real, not String".into())
    );
    assert!(matches!(
        slave.set_strings(&[0], &["a\0b"]),
        Err(Error::ZeroByte(_))
    ));
    assert_eq!(slave.state(), State::StepComplete);
    Ok(())
}

#[test]
fn a_discarded_value_leaves_the_instance_as_it_was() -> Outcome {
    let test = oscillator();
    let mut slave = Fmu::open(&test.path)?.co_simulation("slave")?;
    let error = slave.set("k", -1.0).unwrap_err();
    assert!(error.is_discard());
    assert_eq!(
        error.to_string(),
        "fmi2SetReal of instance slave returned fmi2Discard: k must not be negative"
    );
    slave.initialize(&Experiment::default())?;
    assert_eq!(slave.real("k")?, 4.0);
    Ok(())
}

#[test]
fn a_discarded_step_tells_how_far_it_came() -> Outcome {
    let test = faulty("DISCARD");
    let mut slave = Fmu::open(&test.path)?.co_simulation("slave")?;
    slave.initialize(&Experiment::default())?;
    assert_eq!(slave.do_step(0.0, 0.5)?, Step::Done);
    let step = slave.do_step(0.5, 0.5)?;
    assert_eq!(
        step,
        Step::Discarded {
            last_successful_time: Some(0.5),
            terminated: false
        }
    );
    assert_eq!(slave.state(), State::StepFailed);
    slave.terminate()?;
    Ok(())
}

#[test]
fn a_fatal_error_ends_all_instances_of_the_fmu() -> Outcome {
    let test = faulty("FATAL");
    let fmu = Fmu::open(&test.path)?;
    let (mut first, mut second) = (fmu.co_simulation("first")?, fmu.co_simulation("second")?);
    first.initialize(&Experiment::default())?;
    second.initialize(&Experiment::default())?;
    assert!(matches!(
        first.do_step(0.0, 0.1),
        Err(Error::Call {
            status: Status::Fatal,
            ..
        })
    ));
    assert!(matches!(
        second.real("x"),
        Err(Error::NotAllowed {
            state: State::Fatal,
            ..
        })
    ));
    Ok(())
}

#[test]
fn an_unknown_status_is_an_error() -> Outcome {
    let test = faulty("UNKNOWN_STATUS");
    let mut slave = Fmu::open(&test.path)?.co_simulation("slave")?;
    slave.initialize(&Experiment::default())?;
    assert!(matches!(
        slave.real("x"),
        Err(Error::InvalidStatus { status: 42, .. })
    ));
    assert_eq!(slave.state(), State::Error);
    Ok(())
}

#[test]
fn snapshots_replay_bit_for_bit_and_survive_in_bytes() -> Outcome {
    let test = oscillator();
    let fmu = Fmu::open(&test.path)?;
    let mut slave = fmu.co_simulation("slave")?;
    slave.initialize(&Experiment::default())?;
    slave.do_step(0.0, 0.3)?;
    let mut snapshot = slave.snapshot()?;
    let bytes = slave.serialize(&snapshot)?;
    let go_on = |slave: &mut fmu_importer::CoSimulation| -> Result<u64, Error> {
        slave.do_step(0.3, 0.7)?;
        Ok(slave.real("x")?.to_bits())
    };
    let first = go_on(&mut slave)?;
    slave.terminate()?;
    slave.restore(&snapshot)?;
    assert_eq!(slave.state(), State::StepComplete);
    assert_eq!(go_on(&mut slave)?, first);

    let mut other = fmu.co_simulation("other")?;
    assert!(matches!(
        other.restore(&snapshot),
        Err(Error::ForeignSnapshot { .. })
    ));
    let revived = other.deserialize(&bytes)?;
    other.restore(&revived)?;
    assert_eq!(go_on(&mut other)?, first);

    slave.snapshot_into(&mut snapshot)?;
    slave.do_step(1.0, 0.1)?;
    slave.restore(&snapshot)?;
    assert_eq!(slave.real("x")?.to_bits(), first);
    drop(slave);
    drop(snapshot);
    let short = fmu_importer::SerializedSnapshot {
        bytes: bytes.bytes[1..].into(),
        state: bytes.state,
    };
    assert!(matches!(other.deserialize(&short), Err(Error::Call { .. })));
    Ok(())
}

#[test]
fn a_state_that_no_memory_can_hold_is_refused() -> Outcome {
    let test = faulty("ENDLESS_STATE");
    let mut slave = Fmu::open(&test.path)?.co_simulation("slave")?;
    slave.initialize(&Experiment::default())?;
    let snapshot = slave.snapshot()?;
    assert!(matches!(slave.serialize(&snapshot), Err(Error::Nonsense { .. })));
    Ok(())
}

#[test]
fn instances_move_to_other_threads_and_do_not_disturb_each_other() -> Outcome {
    let test = oscillator();
    let fmu = Fmu::open(&test.path)?;
    let run = |x0: f64| {
        let fmu = fmu.clone();
        move || -> Result<u64, Error> {
            let mut slave = fmu.co_simulation("slave")?;
            slave.set("x", x0)?;
            slave.initialize(&Experiment::default())?;
            for step in 0..50 {
                slave.do_step(f64::from(step) * 0.02, 0.02)?;
            }
            Ok(slave.real("x")?.to_bits())
        }
    };
    let alone: Vec<_> = (0..4).map(|k| run(f64::from(k))()).collect::<Result<_, _>>()?;
    let threads: Vec<_> = (0..4).map(|k| std::thread::spawn(run(f64::from(k)))).collect();
    for (thread, alone) in threads.into_iter().zip(alone) {
        assert_eq!(thread.join().expect("no panic")?, alone);
    }
    Ok(())
}

#[test]
fn messages_arrive_formatted_whatever_their_format() -> Outcome {
    let test = faulty("MESSAGES");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = heard.clone();
    let options = InstanceOptions::new().on_message(move |message| {
        listener.lock().expect("no panic").push(message.clone());
    });
    let slave = Fmu::open(&test.path)?.co_simulation_with("slave", options)?;
    drop(slave);
    let heard = heard.lock().expect("no panic");
    let texts: Vec<_> = heard.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts[0], "reference u of number #3, mode, flag, label, #r77#");
    assert!(
        texts[1].starts_with("this and that are missing: "),
        "{}",
        texts[1]
    );
    assert_eq!(texts[2], "50% of  3.14|ab    |    cd|xy|q|1099511627776|ff|9");
    assert_eq!(texts[3], "%q%");
    assert_eq!(texts[4], "(missing)");
    assert_eq!(texts[5], "   7|7   |2.5");
    assert_eq!(texts[6], "wrong environment");
    assert_eq!(texts[7], "no name");
    assert_eq!(texts[8], "caf\u{fffd} é");
    assert_eq!(texts.len(), 9);
    assert_eq!(
        (heard[0].status, heard[0].category.as_str()),
        (Status::Warning, "logAll")
    );
    assert_eq!(heard[0].instance, "slave");
    Ok(())
}

#[test]
fn what_the_library_lacks_matters_when_it_is_called() -> Outcome {
    let test = faulty("MISSING_FUNCTIONS");
    let mut slave = Fmu::open(&test.path)?.co_simulation("slave")?;
    slave.initialize(&Experiment::default())?;
    let error = slave
        .directional_derivative(&[5], &[4], &[1.0], &mut [0.0])
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::MissingFunction {
                function: "fmi2GetDirectionalDerivative",
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(slave.do_step(0.0, 0.1)?, Step::Done);

    let test = faulty("NO_INSTANTIATE");
    let error = Fmu::open(&test.path)?.co_simulation("slave").unwrap_err();
    assert!(matches!(
        error,
        Error::MissingFunction {
            function: "fmi2Instantiate",
            ..
        }
    ));
    Ok(())
}

#[test]
fn a_wrong_guid_is_reported_with_the_words_of_the_fmu() -> Outcome {
    let test = fmus::Recipe {
        flags: vec!["-DGUID=\"other\"".into()],
        ..Default::default()
    }
    .build();
    let error = Fmu::open(&test.path)?.co_simulation("slave").unwrap_err();
    assert_eq!(
        error.to_string(),
        "Oscillator made no instance: wrong GUID {oscillator}"
    );
    Ok(())
}

#[test]
fn one_instance_at_a_time_where_the_fmu_says_so() -> Outcome {
    let once = "<CoSimulation canBeInstantiatedOnlyOncePerProcess=\"true\"";
    let test = fmus::Recipe {
        description: fmus::DESCRIPTION.replace("<CoSimulation", once),
        ..Default::default()
    }
    .build();
    let fmu = Fmu::open(&test.path)?;
    let first = fmu.co_simulation("first")?;
    assert!(matches!(fmu.co_simulation("second"), Err(Error::OnlyOnce { .. })));
    drop(first);
    fmu.co_simulation("second")?;
    Ok(())
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn reading_and_writing_many_values_allocates_nothing() -> Outcome {
    let test = oscillator();
    let fmu = Fmu::open(&test.path)?;
    let mut slave = fmu.co_simulation("slave")?;
    slave.initialize(&Experiment::default())?;
    let (mut reals, mut integers, mut booleans) = ([0.0; 3], [0; 2], [false; 2]);
    let mut texts = [String::with_capacity(100)];
    let mut time = 0.0;
    let mut round = |slave: &mut fmu_importer::CoSimulation| -> Result<(), Error> {
        slave.set_reals(&[4, 3], &[1.0, 0.2])?;
        slave.do_step(time, 0.01)?;
        slave.get_reals(&[0, 1, 5], &mut reals)?;
        slave.get_integers(&[0, 1], &mut integers)?;
        slave.get_booleans(&[0, 1], &mut booleans)?;
        slave.get_strings(&[0], &mut texts)?;
        slave.directional_derivative(&[5], &[4], &[1.0], &mut reals[..1])?;
        slave.real("x")?;
        slave.set("u", 0.5)?;
        time += 0.01;
        Ok(())
    };
    // The first time makes room.
    round(&mut slave)?;
    let before = count();
    for _ in 0..100 {
        round(&mut slave)?;
    }
    assert_eq!(count() - before, 0);
    Ok(())
}

#[test]
fn names_resolve_quickly_among_many() -> Outcome {
    let more: String = (0..100_000)
        .map(|number| {
            format!(
                "<ScalarVariable name=\"more[{number}]\" valueReference=\"{}\" causality=\"local\" \
                 variability=\"continuous\"><Real/></ScalarVariable>",
                number + 100
            )
        })
        .collect();
    let description = fmus::DESCRIPTION.replace("</ModelVariables>", &(more + "</ModelVariables>"));
    let test = fmus::Recipe {
        description,
        ..Default::default()
    }
    .build();
    let fmu = Fmu::open(&test.path)?;
    // A search through all of them for each would take minutes.
    let begin = std::time::Instant::now();
    for number in 0..100_000 {
        let name = format!("more[{number}]");
        assert_eq!(
            fmu.value_reference(&name, fmu_importer::BaseType::Real)?,
            number + 100
        );
    }
    assert!(begin.elapsed().as_secs() < 20);
    Ok(())
}

/// An input may be set from initialization on, not before; a parameter before.
#[test]
fn a_start_value_of_an_input_waits_for_initialization() {
    let fmu = oscillator();
    let mut instance = Fmu::open(&fmu.path).unwrap().co_simulation("i").unwrap();
    instance.set_start("u", 3.0).unwrap();
    instance.set_start("k", 9.0).unwrap();
    instance.initialize(&Experiment::default()).unwrap();
    assert_eq!(instance.real("k").unwrap(), 9.0);
    assert_eq!(instance.real("u").unwrap(), 3.0);
    // y = v + 2 u
    assert_eq!(instance.real("y").unwrap(), 6.0);
    assert!(instance.set_start("none", 1.0).is_err());
    instance.reset().unwrap();
    instance.initialize(&Experiment::default()).unwrap();
    assert_eq!(instance.real("u").unwrap(), 0.0);
}
