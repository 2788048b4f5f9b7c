//! Input at random: no panic, no hang, nothing outside the folder, no memory beyond the limits. `cargo fuzz`
//! hands the same targets what it finds for as long as one likes.

use test_support::fmus;
use test_support::packed;
use test_support::targets;

use std::sync::LazyLock;

use fmu_importer::archive::Name;
use fmu_importer::{CoSimulation, Error, Experiment, Fmu, ModelExchange, Snapshot};
use fmus::DESCRIPTION;
use proptest::prelude::*;
use test_support::zip::{Entry, archive};

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    archive(&[
        Entry::new("modelDescription.xml", DESCRIPTION.as_bytes()),
        Entry::stored("resources/a.txt", b"some text"),
        Entry::new("resources/deep/b.txt", &[7; 5000]),
        packed::bzip2("resources/c.txt", DESCRIPTION.as_bytes()),
        packed::lzma("resources/d.txt", DESCRIPTION.as_bytes(), true),
    ])
});

/// A change somewhere in a list of bytes: where, how many go, what comes.
fn change() -> impl Strategy<Value = (prop::sample::Index, usize, Vec<u8>)> {
    (
        any::<prop::sample::Index>(),
        0_usize..40,
        prop::collection::vec(any::<u8>(), 0..40),
    )
}

fn changed(bytes: &[u8], changes: &[(prop::sample::Index, usize, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (at, gone, new) in changes {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        let end = (at + gone).min(bytes.len());
        bytes.splice(at..end, new.iter().copied());
    }
    bytes
}

/// Pieces of descriptions, good and bad, to be put anywhere.
fn piece() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "<",
        ">",
        "/>",
        "\"",
        "&",
        "&#0;",
        "&amp;",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?xml",
        "?>",
        "<!DOCTYPE a [",
        "<Real/>",
        "<Real start=\"1e400\" derivative=\"1\"/>",
        "<ScalarVariable>",
        "</ScalarVariable>",
        " valueReference=\"4294967295\"",
        " index=\"0\"",
        " dependencies=\"1 2 3\"",
        " derivative=\"11\"",
        "\u{0}",
        "\u{feff}",
        " causality=\"independent\"",
        "<Unit name=\"\"/>",
        " start=\"NaN\"",
        " name=\"der(x)\"",
        " declaredType=\"Mode\"",
        "<Tool name=\"a\">",
        "</Tool>",
        " xmlns:a=\"b\"",
        "ä",
    ])
    .prop_map(String::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn archives_of_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        targets::archive(&bytes);
    }

    #[test]
    fn archives_with_changes(changes in prop::collection::vec(change(), 1..4)) {
        targets::archive(&changed(&GOOD, &changes));
    }

    #[test]
    fn archives_with_other_numbers(at in any::<prop::sample::Index>(), number in any::<u32>()) {
        let mut bytes = GOOD.clone();
        // The directory is where the numbers are.
        let directory = bytes.windows(4).position(|window| window == b"PK\x01\x02").expect("a directory");
        let at = directory + at.index(bytes.len() - 4 - directory);
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        targets::archive(&bytes);
    }

    #[test]
    fn descriptions_of_any_text(text in "\\PC*") {
        targets::description(text.as_bytes());
    }

    #[test]
    fn descriptions_with_changes(changes in prop::collection::vec(change(), 1..6)) {
        targets::description(&changed(DESCRIPTION.as_bytes(), &changes));
    }

    #[test]
    fn descriptions_with_pieces(
        pieces in prop::collection::vec((any::<prop::sample::Index>(), piece()), 1..6),
    ) {
        let mut text = DESCRIPTION.to_owned();
        for (at, piece) in pieces {
            let mut at = at.index(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, &piece);
        }
        targets::description(text.as_bytes());
    }

    #[test]
    fn names_stay_inside(written in "\\PC{0,40}|([./\\\\a:]){0,12}") {
        if let Ok(name) = Name::new(&written) {
            prop_assert!(!name.path.starts_with('/') && !name.path.contains('\\'));
            let is_root = name.path.is_empty() && name.folder;
            prop_assert!(is_root || name.path.split('/').all(|part| !matches!(part, "" | "." | "..")));
        }
    }
}

static OSCILLATOR: LazyLock<(fmus::TestFmu, Fmu)> = LazyLock::new(|| {
    let test = fmus::oscillator();
    let fmu = Fmu::open(&test.path).expect("it opens");
    (test, fmu)
});

/// A call that both interfaces have.
fn common_call(
    instance: &mut fmu_importer::Instance,
    call: u8,
    snapshot: &mut Option<Snapshot>,
) -> Result<(), Error> {
    match call {
        0 | 1 => instance.setup_experiment(&Experiment::default()),
        2 | 3 => instance.enter_initialization_mode(),
        4 | 5 => instance.exit_initialization_mode(),
        6 => instance.terminate(),
        7 => instance.reset(),
        8 => instance.get_reals(&[0, 5], &mut [0.0; 2]),
        9 => instance.set_reals(&[4], &[1.0]),
        10 => instance.directional_derivative(&[5], &[4], &[1.0], &mut [0.0]),
        11 => {
            *snapshot = Some(instance.snapshot()?);
            Ok(())
        }
        12 => match snapshot {
            Some(snapshot) => instance.restore(snapshot),
            None => Ok(()),
        },
        _ => instance.set_debug_logging(false, &[]),
    }
}

fn model_exchange_call(
    model: &mut ModelExchange,
    call: u8,
    snapshot: &mut Option<Snapshot>,
) -> Result<(), Error> {
    match call {
        20 => model.enter_event_mode(),
        21 | 22 => model.new_discrete_states().map(drop),
        23 | 24 => model.enter_continuous_time_mode(),
        25 => model.completed_integrator_step(true).map(drop),
        26 => model.set_time(0.5),
        27 => model.set_continuous_states(&[1.0, 2.0]),
        28 => model.derivatives(&mut [0.0; 2]),
        29 => model.event_indicators(&mut [0.0]),
        30 => model.continuous_states(&mut [0.0; 2]),
        31 => model.nominals_of_continuous_states(&mut [0.0; 2]),
        call => common_call(model, call % 20, snapshot),
    }
}

fn co_simulation_call(
    slave: &mut CoSimulation,
    call: u8,
    snapshot: &mut Option<Snapshot>,
) -> Result<(), Error> {
    use fmu_standard::fmi2;
    match call {
        20..=24 => slave
            .real("time")
            .and_then(|time| slave.do_step(time, 0.01))
            .map(drop),
        25 => slave.real_status(fmi2::fmi2LastSuccessfulTime).map(drop),
        26 => slave.boolean_status(fmi2::fmi2Terminated).map(drop),
        27 => slave.cancel_step(),
        call => common_call(slave, call % 20, snapshot),
    }
}

/// What the state machine lets through, an FMU that keeps to the tables of the standard does not call out of order.
fn is_in_order(result: Result<(), Error>) -> Result<(), TestCaseError> {
    if let Err(error @ Error::Call { .. }) = result {
        let text = error.to_string();
        prop_assert!(!text.contains("is not allowed now"), "{text}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn calls_in_any_order(calls in prop::collection::vec(0_u8..32, 0..60)) {
        let (_, fmu) = &*OSCILLATOR;
        let mut model = fmu.model_exchange("model").expect("an instance");
        let mut snapshot = None;
        for call in &calls {
            is_in_order(model_exchange_call(&mut model, *call, &mut snapshot))?;
        }
        let mut slave = fmu.co_simulation("slave").expect("an instance");
        let mut snapshot = None;
        for call in calls {
            is_in_order(co_simulation_call(&mut slave, call, &mut snapshot))?;
        }
    }
}

#[test]
fn many_attributes_are_survived() {
    let many: String = (0..200_000).map(|number| format!(" a{number}=\"\"")).collect();
    for (old, new) in [
        ("<Real/>", format!("<Real{many}/>")),
        ("<fmiModelDescription", format!("<fmiModelDescription{many}")),
        ("<note>", format!("<note{many}>")),
    ] {
        targets::description(DESCRIPTION.replacen(old, &new, 1).as_bytes());
    }
}

#[test]
fn deep_nesting_is_survived() {
    let deep = "<a>".repeat(200_000);
    for text in [
        deep.clone(),
        DESCRIPTION.replace("<note>kept</note>", &deep),
        DESCRIPTION.replace("<note>kept</note>", &format!("{deep}{}", "</a>".repeat(200_000))),
    ] {
        targets::description(text.as_bytes());
    }
}
