//! FMUs as other tools make them: archives, steps, snapshots and descriptions that are unusual and yet run.

use test_support::fmus;
use test_support::packed;

use std::fs;

use fmu_importer::Fmu;
use fmu_importer::simulate::{Inputs, Interface, Results, Simulation, Summary};
use fmus::{DESCRIPTION, Recipe, TestFmu, faulty, oscillator, write_archive, write_bytes};
use test_support::zip::{Entry, archive};

fn open(fmu: &TestFmu) -> Fmu {
    Fmu::open(&fmu.path).unwrap()
}

/// x of x'' + d x' + k x = 0 with d = 0.1, k = 4 from x(0) = 1 at rest.
fn exact(time: f64) -> f64 {
    let decay: f64 = 0.05;
    let w = (4.0 - decay * decay).sqrt();
    (-decay * time).exp() * ((w * time).cos() + decay / w * (w * time).sin())
}

fn assert_exact(results: &Results) {
    for (time, x) in results.times().iter().zip(results.numbers("x").unwrap()) {
        assert!((x - exact(*time)).abs() < 2e-3, "{x} at {time}");
    }
}

fn co_simulate(fmu: &Fmu, step: f64) -> (Results, Summary) {
    let simulation = Simulation::new(fmu)
        .interface(Interface::CoSimulation)
        .output_step(step);
    simulation.run().unwrap()
}

fn description() -> Entry {
    Entry::new("modelDescription.xml", DESCRIPTION.as_bytes())
}

#[test]
fn archives_that_other_tools_read_are_read() {
    let folder = |name: &str| Entry::stored(name, b"");
    let table = || Entry::new("resources/table.csv", b"text");
    let comment = |mut bytes: Vec<u8>| {
        let at = bytes.len() - 2;
        bytes[at..].copy_from_slice(&11_u16.to_le_bytes());
        bytes.extend(b"made by us.");
        bytes
    };
    let cases: [(&str, &[u8], bool); 11] = [
        (
            "a folder ./",
            &archive(&[folder("./"), description(), table()]),
            false,
        ),
        (
            "names that begin with ./",
            &archive(&[
                Entry::new("./modelDescription.xml", DESCRIPTION.as_bytes()),
                Entry::new("./resources/table.csv", b"text"),
            ]),
            false,
        ),
        (
            "folders, one of them twice",
            &archive(&[
                folder("resources/"),
                folder("resources/"),
                folder("./resources/"),
                description(),
                table(),
            ]),
            false,
        ),
        (
            "a folder by its attributes of Unix alone",
            &archive(&[
                description(),
                Entry {
                    unix_mode: 0o040_755,
                    ..folder("resources")
                },
                table(),
            ]),
            false,
        ),
        (
            "a folder by its attributes of DOS alone",
            &archive(&[
                description(),
                Entry {
                    unix_mode: 0,
                    dos_attributes: 0x10,
                    ..folder("resources")
                },
                table(),
            ]),
            false,
        ),
        (
            "sizes behind the bytes",
            &archive(&[
                Entry {
                    described_behind: true,
                    ..description()
                },
                Entry {
                    described_behind: true,
                    ..table()
                },
            ]),
            false,
        ),
        (
            "extra fields and comments of entries",
            &archive(&[
                Entry {
                    extra: b"UT\x05\0\x01\0\0\0\0".to_vec(),
                    ..description()
                },
                Entry {
                    comment: b"a table".to_vec(),
                    ..table()
                },
            ]),
            false,
        ),
        (
            "a comment of the archive",
            &comment(archive(&[description(), table()])),
            false,
        ),
        (
            "double slashes and ./ inside of names",
            &archive(&[description(), Entry::new("resources//./table.csv", b"text")]),
            false,
        ),
        (
            "names that begin with a slash",
            &archive(&[description(), Entry::new("/resources/table.csv", b"text")]),
            true,
        ),
        (
            "a file twice with the same contents",
            &archive(&[description(), table(), table()]),
            true,
        ),
    ];
    for (case, bytes, warns) in cases {
        let test = write_bytes(bytes);
        let fmu = Fmu::open(&test.path).unwrap_or_else(|error| panic!("{case}: {error}"));
        let resources = fmu.resources().unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(fs::read(resources.join("table.csv")).unwrap(), b"text", "{case}");
        let files: Vec<_> = fmu.files().iter().map(|file| file.path.as_str()).collect();
        assert_eq!(files, ["modelDescription.xml", "resources/table.csv"], "{case}");
        assert_eq!(!fmu.warnings().is_empty(), warns, "{case}: {:?}", fmu.warnings());
    }
}

#[test]
fn archives_packed_by_bzip2_and_lzma_run_with_a_warning_and_break_a_rule() {
    type Pack = fn(&str, &[u8]) -> Entry;
    let ways: [(&str, Pack); 3] = [
        ("bzip2", packed::bzip2),
        ("LZMA", |name, bytes| packed::lzma(name, bytes, true)),
        ("LZMA", |name, bytes| packed::lzma(name, bytes, false)),
    ];
    let plain = oscillator();
    let library = format!("binaries/{}/oscillator.so", fmu_importer::platform_folders()[0]);
    let library = (library.as_str(), open(&plain).read(&library).unwrap());
    let long: Vec<u8> = (0..300_000_u64).flat_map(|k| (k * k).to_le_bytes()).collect();
    for (way, pack) in ways {
        let test = write_archive(&[
            pack("modelDescription.xml", DESCRIPTION.as_bytes()),
            pack(library.0, &library.1),
            pack("resources/long", &long),
            pack("resources/nothing", b""),
        ]);
        let fmu = open(&test);
        assert_exact(&co_simulate(&fmu, 0.05).0);
        let resources = fmu.resources().unwrap();
        assert_eq!(fs::read(resources.join("long")).unwrap(), long);
        assert_eq!(fs::read(resources.join("nothing")).unwrap(), b"");
        let said = fmu.warnings().join("\n");
        assert!(said.contains(&format!("is compressed by {way}")), "{said}");
        let report = fmu_checker::check(&test.path, &Default::default()).unwrap();
        assert!(report.breaks("P1"), "{way}");
    }
}

#[test]
fn only_what_a_run_needs_is_unpacked() {
    let file = |name: &str| Entry::new(name, b"text");
    let mut more: Vec<_> = (0..400).map(|k| file(&format!("sources/file{k}.c"))).collect();
    more.extend([
        file("documentation/index.html"),
        file("binaries/amiga/oscillator.library"),
        file("resources/table.csv"),
        file("extra/org.tool/data"),
    ]);
    let test = Recipe {
        more,
        ..Default::default()
    }
    .build();
    let fmu = open(&test);
    drop(fmu.co_simulation("slave").unwrap());
    let folder = fmu.folder().unwrap();
    let is_there = |path: &str| folder.join(path).exists();
    assert!(is_there("resources/table.csv") && is_there("extra/org.tool/data"));
    assert!(is_there("modelDescription.xml"));
    assert!(!is_there("sources") && !is_there("documentation") && !is_there("binaries/amiga"));
    // What stays packed can be read, one by one or all together.
    assert_eq!(fmu.read("sources/file7.c").unwrap(), b"text");
    let all = tempfile::tempdir().unwrap();
    fmu.unpack(all.path()).unwrap();
    for path in [
        "sources/file399.c",
        "documentation/index.html",
        "binaries/amiga/oscillator.library",
    ] {
        assert!(all.path().join(path).exists(), "{path}");
    }
}

#[test]
fn a_step_is_never_announced_as_one_that_may_be_taken_back_further() {
    // This FMU takes noSetFMUStatePriorToCurrentPoint = false for a repetition of the last step.
    let fmu = faulty("REPEATS");
    assert_exact(&co_simulate(&open(&fmu), 0.05).0);
}

#[test]
fn no_snapshot_is_taken_where_nothing_is_repeated() {
    // fmi2GetFMUstate aborts the process.
    let fmu = faulty("GET_STATE");
    let (results, summary) = co_simulate(&open(&fmu), 0.05);
    assert_exact(&results);
    assert_eq!((summary.discarded, summary.warnings.len()), (0, 0));
}

#[test]
fn after_a_discarded_step_the_run_begins_again_and_takes_snapshots() {
    // Between 0.45 and 0.95 steps above 0.03 are discarded; snapshots before 0.45 abort the process.
    let fmu = Recipe {
        flags: vec!["-DFAULT_LONG_STEPS".into(), "-DFAULT_GET_STATE_EARLY".into()],
        ..Default::default()
    }
    .build();
    let (results, summary) = co_simulate(&open(&fmu), 0.1);
    assert_exact(&results);
    // Each row once, although the beginning was computed twice.
    let times: Vec<f64> = (0..=30).map(|k| f64::from(k) * 0.1).collect();
    assert_eq!(results.times().len(), times.len());
    for (time, expected) in results.times().iter().zip(times) {
        assert!((time - expected).abs() < 1e-12);
    }
    assert_eq!(summary.rows, 31);
    let said = summary.warnings.join("\n");
    assert!(said.contains("discarded its step at time 0.5"), "{said}");
    assert!(said.contains("from the beginning"), "{said}");
}

#[test]
fn an_fmu_that_knows_one_step_only_gets_it_to_the_last_bit() {
    for (step, variable) in [("0.01", true), ("0.05", true), ("0.1", false), ("0.3", true)] {
        let fixed = "canHandleVariableCommunicationStepSize=\"false\"";
        let given = "canHandleVariableCommunicationStepSize=\"true\"";
        let fmu = Recipe {
            flags: vec![format!("-DFAULT_NOMINAL_STEP={step}")],
            description: match variable {
                true => DESCRIPTION.into(),
                false => DESCRIPTION.replace(given, fixed),
            },
            ..Default::default()
        }
        .build();
        let (results, summary) = co_simulate(&open(&fmu), step.parse().unwrap());
        assert_exact(&results);
        assert_eq!(results.times().last(), Some(&3.0), "{step}");
        assert_eq!(summary.discarded, 0);
    }
}

#[test]
fn an_fmu_that_compares_its_stop_time_without_a_margin_gets_to_it() {
    // 29 * 0.1 + 0.1 is above 3 by a rounding, and the like.
    for step in ["0.1", "0.02", "0.3", "0.00002"] {
        let stop = if step == "0.00002" { 0.1 } else { 3.0 };
        for flags in [vec![], vec![format!("-DFAULT_NOMINAL_STEP={step}")]] {
            let fmu = Recipe {
                flags: [flags, vec!["-DFAULT_STRICT_STOP".to_owned()]].concat(),
                ..Default::default()
            }
            .build();
            let simulation = Simulation::new(&open(&fmu))
                .interface(Interface::CoSimulation)
                .stop(stop)
                .output_step(step.parse().unwrap())
                .run();
            let (results, summary) = simulation.unwrap_or_else(|error| panic!("{step}: {error}"));
            assert_exact(&results);
            assert_eq!(results.times().last(), Some(&stop), "{step}");
            assert_eq!(summary.discarded, 0);
        }
    }
}

#[test]
fn tunable_parameters_are_columns_of_a_table() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    // Without a spring v decays by d, which is 1 up to 1.25 s and 3 from there on.
    let table = "time,d\n0,1\n1.25,3\n";
    for interface in [Interface::ModelExchange, Interface::CoSimulation] {
        let simulation = Simulation::new(&fmu)
            .interface(interface)
            .set("k", 0.0)
            .set("v", 1.0)
            .tolerance(1e-8)
            .output_step(0.25)
            .stop(2.0)
            .record("v")
            .inputs(Inputs::table(table).unwrap());
        let (results, summary) = simulation.run().unwrap();
        let v = results.numbers("v").unwrap().last().copied().unwrap();
        assert!((v - (-3.5_f64).exp()).abs() < 1e-6, "{interface:?}: {v}");
        assert_eq!(summary.events.input, 1, "{interface:?}");
    }
    // A fixed parameter is not one of them, and the message says which are.
    let fixed = Inputs::table("time,k\n0,1\n").unwrap();
    let error = Simulation::new(&fmu).inputs(fixed).run().unwrap_err().to_string();
    assert!(error.contains("inputs and tunable parameters"), "{error}");
}

#[test]
fn derivatives_that_name_no_state_do_no_harm_to_a_slave() {
    let begin = DESCRIPTION.find("<ModelExchange").unwrap();
    let end = begin + DESCRIPTION[begin..].find("/>").unwrap() + 2;
    let slave = format!("{}{}", &DESCRIPTION[..begin], &DESCRIPTION[end..])
        .replace("providesDirectionalDerivative=\"true\"", "")
        .replace(" derivative=\"1\"", "")
        .replace("derivative=\"2\"", "");
    let fmu = Recipe {
        description: slave,
        ..Default::default()
    }
    .build();
    let (results, summary) = co_simulate(&open(&fmu), 0.05);
    assert_exact(&results);
    let said = summary.warnings.join("\n");
    assert!(said.contains("Derivatives") && said.contains("ignored"), "{said}");
}

#[test]
fn what_is_hostile_stays_refused() {
    for entry in [
        Entry::new("resources/../../evil", b"x"),
        Entry::new("/../evil", b"x"),
        Entry::new("C:\\evil", b"x"),
        Entry::new("modelDescription.xml", b"<other/>"),
        Entry {
            unix_mode: 0o120_777,
            ..Entry::new("resources/link", b"/etc/passwd")
        },
        Entry {
            unix_mode: 0o120_777,
            ..Entry::new("documentation/link", b"/etc/passwd")
        },
    ] {
        let name = String::from_utf8_lossy(&entry.name).into_owned();
        let test = write_archive(&[description(), entry]);
        assert!(Fmu::open(&test.path).is_err(), "{name}");
    }
}
