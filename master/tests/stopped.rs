//! Discarded steps, components that end the simulation, and what is asked of FMUs on the way.

use test_support::probe;
use test_support::relay;

use fmu_master::system::{AssembleOptions, Assembled, RunError};
use fmu_master::{End, System};
use fmu_results::table::Results;
use probe::Probe;
use relay::{Folder, last};

const FOREIGN: Probe = Probe {
    snapshots: true,
    variable: true,
    own: false,
    flags: &[],
};

/// Records what FMUs count as well.
const COUNTS: &str = "# counts";

/// Two decaying quantities, x(0) = 1, that do not feed each other, from 0 to 1 in steps of 0.1: the closed form is
/// exp(-t) whatever the steps are, so a wrong time or a wrong state shows.
fn pair(a: Probe, b: Probe, settings: &str, options: &AssembleOptions) -> Assembled {
    let folder = Folder::new();
    folder.write("a.fmu", &a.fmu());
    folder.write("b.fmu", &b.fmu());
    // What FMUs count differs between two attempts of a run.
    let record = if settings.contains(COUNTS) { "*" } else { "*.x" };
    let text = format!(
        "record = ['{record}']\n[simulation]\nstep = 0.1\n{settings}\n[components.a]\nfmu = 'a.fmu'\nset = {{ x = 1.0 }}\n\
         [components.b]\nfmu = 'b.fmu'\nset = {{ x = 1.0 }}\n"
    );
    let system = System::open(folder.write("system.toml", text.as_bytes())).expect("a system");
    system.assemble_with(options).expect("it fits")
}

fn results(assembled: &mut Assembled) -> (Results, Result<End, RunError>) {
    let mut results = Results::default();
    let end = assembled.run(&mut results, |_| true);
    (results, end)
}

/// Runs to the stop time.
fn whole(a: Probe, b: Probe, settings: &str) -> (Assembled, Results) {
    let mut assembled = pair(a, b, settings, &AssembleOptions::default());
    let (results, end) = results(&mut assembled);
    assert_eq!(end.expect("it runs"), End::Reached);
    check(&results);
    (assembled, results)
}

fn failure(a: Probe, b: Probe, settings: &str, options: &AssembleOptions) -> String {
    let mut assembled = pair(a, b, settings, options);
    results(&mut assembled).1.expect_err("it fails").to_string()
}

/// All rows have the values of the closed form, and times increase.
fn check(results: &Results) {
    for name in ["a.x", "b.x"] {
        let values = results.numbers(name).expect("recorded");
        for (t, x) in results.times().iter().zip(values) {
            assert!((x - (-t).exp()).abs() < 1e-12, "{name} at {t}: {x}");
        }
    }
    let times = results.times();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
}

fn near(times: &[f64], expected: &[f64]) {
    let same =
        times.len() == expected.len() && times.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(same, "{times:?}");
}

const ALGORITHMS: [&str; 4] = [
    "algorithm = 'jacobi'",
    "algorithm = 'gauss-seidel'",
    "algorithm = 'iterated-gauss-seidel'",
    "algorithm = 'newton'",
];

/// The times of a run with a discard at 0.537: the grid goes on behind it.
const WITH_DISCARD: [f64; 12] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.537, 0.6, 0.7, 0.8, 0.9, 1.0];

#[test]
fn a_discard_without_snapshots_starts_the_run_again_once() {
    let discards = Probe {
        flags: &["DISCARD_AT=0.537"],
        ..FOREIGN
    };
    for (a, b) in [(discards, FOREIGN), (FOREIGN, discards)] {
        for settings in &ALGORITHMS[..2] {
            let (assembled, results) = whole(a, b, settings);
            near(results.times(), &WITH_DISCARD);
            let statistics = assembled.master.statistics();
            assert_eq!((statistics.restarts, statistics.discarded), (1, 1));
            assert_eq!(assembled.notes.len(), 1);
            let note = &assembled.notes[0];
            assert!(
                note.contains("discards") && note.contains("starts again"),
                "{note}"
            );
            assert!(assembled.warnings.is_empty(), "{:?}", assembled.warnings);
        }
    }
}

#[test]
fn runs_that_take_snapshots_anyway_do_not_start_again() {
    let discards = Probe {
        flags: &["DISCARD_AT=0.537"],
        ..FOREIGN
    };
    for settings in &ALGORITHMS[2..] {
        let (assembled, results) = whole(FOREIGN, discards, settings);
        near(results.times(), &WITH_DISCARD);
        assert_eq!(assembled.master.statistics().restarts, 0);
    }
    let (assembled, _) = whole(FOREIGN, discards, "[control]\ntolerance = 1e-3");
    assert_eq!(assembled.master.statistics().restarts, 0);
    assert!(assembled.master.statistics().discarded > 0);
    // FMUs of this workspace are saved from the start.
    let own = Probe { own: true, ..FOREIGN };
    let discards = Probe {
        own: true,
        ..discards
    };
    for settings in ALGORITHMS {
        let (assembled, results) = whole(own, discards, settings);
        near(results.times(), &WITH_DISCARD);
        assert_eq!(assembled.master.statistics().restarts, 0, "{settings}");
    }
}

#[test]
fn a_discarded_step_is_repeated_smaller() {
    let small = Probe {
        own: true,
        flags: &["MAX_STEP=0.03"],
        ..FOREIGN
    };
    let own = Probe { own: true, ..FOREIGN };
    for settings in ALGORITHMS {
        let (assembled, results) = whole(own, small, settings);
        let statistics = assembled.master.statistics();
        assert!(statistics.largest_step <= 0.03 && statistics.smallest_step > 0.01);
        for point in 0..=10 {
            let at = 0.1 * f64::from(point);
            assert!(results.times().iter().any(|t| (t - at).abs() < 1e-12), "{at}");
        }
    }
}

#[test]
fn what_stands_in_the_way_of_repeating_a_step_is_named() {
    let discards = Probe {
        flags: &["DISCARD_AT=0.537"],
        ..FOREIGN
    };
    let none = AssembleOptions::default();
    let error = failure(
        discards,
        Probe {
            snapshots: false,
            ..FOREIGN
        },
        "",
        &none,
    );
    assert!(
        error.contains("a discards the step")
            && error.contains("b cannot go back (canGetAndSetFMUstate is false)"),
        "{error}"
    );
    assert!(!error.contains("canHandleVariable"), "{error}");
    let error = failure(
        discards,
        Probe {
            variable: false,
            ..FOREIGN
        },
        "",
        &none,
    );
    assert!(
        error.contains("b takes steps of one size only (canHandleVariableCommunicationStepSize is false)"),
        "{error}"
    );
    assert!(!error.contains("canGetAndSetFMUstate"), "{error}");
    let error = failure(
        discards,
        FOREIGN,
        "",
        &AssembleOptions::default().no_restart(true),
    );
    assert!(
        error.contains("--no-restart") && !error.contains("canGetAndSetFMUstate"),
        "{error}"
    );
    let refuses = Probe {
        flags: &["MAX_STEP=1e-9"],
        ..FOREIGN
    };
    let error = failure(refuses, FOREIGN, "", &none);
    assert!(error.contains("refuses steps of any size"), "{error}");
}

#[test]
fn snapshots_that_fail_stop_only_what_needs_them() {
    for own in [false, true] {
        let fails = Probe {
            own,
            flags: &["SNAPSHOT_FAILS"],
            ..FOREIGN
        };
        for settings in &ALGORITHMS[..2] {
            let (assembled, _) = whole(fails, Probe { own, ..FOREIGN }, settings);
            assert_eq!(assembled.notes.len(), usize::from(own), "{:?}", assembled.notes);
        }
        let none = AssembleOptions::default();
        // Newton's method repeats steps of loops only, and there is no loop.
        let error = failure(fails, FOREIGN, "[control]\ntolerance = 1e-3", &none);
        assert!(error.contains("fmi2GetFMUstate"), "{error}");
        let discards = Probe {
            own,
            flags: &["DISCARD_AT=0.537"],
            ..FOREIGN
        };
        let error = failure(fails, discards, "", &none);
        assert!(
            error.contains("b discards the step") && error.contains("a cannot be saved"),
            "{error}"
        );
    }
}

#[test]
fn a_component_ends_the_simulation_for_all() {
    let all = [0.0, 0.1, 0.2, 0.25];
    let ends = Probe {
        flags: &["END_AT=0.25"],
        ..FOREIGN
    };
    let run = |a: Probe, b: Probe, settings: &str| {
        let mut assembled = pair(a, b, settings, &AssembleOptions::default());
        let (results, end) = results(&mut assembled);
        let End::Terminated { component, time } = end.expect("it runs") else {
            panic!("it went on");
        };
        check(&results);
        assert!((time.expect("a time") - 0.25).abs() < 1e-12);
        assembled.master.terminate().expect("it can be terminated");
        (assembled, results, component)
    };
    for own in [false, true] {
        let (ends, other) = (Probe { own, ..ends }, Probe { own, ..FOREIGN });
        for settings in ALGORITHMS {
            for (a, b, name) in [(ends, other, "a"), (other, ends, "b")] {
                let (assembled, results, component) = run(a, b, settings);
                assert_eq!(component, name);
                near(results.times(), &all);
                assert_eq!(assembled.master.time(), 0.25);
                let once = settings.contains("jacobi") || settings.contains("'gauss");
                let restarts = assembled.master.statistics().restarts;
                assert_eq!(restarts, u64::from(once && !own), "{settings}");
            }
        }
        let (_, results, _) = run(other, ends, "[control]\ntolerance = 1e-3");
        assert!((results.times().last().unwrap() - 0.25).abs() < 1e-12);
    }
    // Without a way back the others have gone on, and that is said.
    for settings in &ALGORITHMS[..2] {
        let stuck = Probe {
            snapshots: false,
            ..FOREIGN
        };
        let (assembled, results, _) = run(stuck, ends, settings);
        near(results.times(), &all[..3]);
        let said = assembled.master.warnings().join("\n");
        assert!(
            said.contains("b ended the simulation at t = 0.25")
                && said.contains("a cannot go back (canGetAndSetFMUstate is false)")
                && said.contains("values after t = 0.2 are not recorded"),
            "{said}"
        );
        let fixed = Probe {
            variable: false,
            ..FOREIGN
        };
        let (assembled, results, _) = run(fixed, ends, settings);
        near(results.times(), &all[..3]);
        assert!(
            assembled
                .master
                .warnings()
                .join("\n")
                .contains("a takes steps of one size only")
        );
    }
    // At the end of a step no component has to go back.
    let at_point = Probe {
        snapshots: false,
        flags: &["END_AT=0.3"],
        ..FOREIGN
    };
    for settings in &ALGORITHMS[..2] {
        for (a, b) in [(at_point, FOREIGN), (FOREIGN, at_point)] {
            let mut assembled = pair(a, b, settings, &AssembleOptions::default());
            let (results, end) = results(&mut assembled);
            assert!(matches!(end.expect("it runs"), End::Terminated { .. }));
            check(&results);
            near(results.times(), &[0.0, 0.1, 0.2, 0.3]);
            assert!(assembled.master.warnings().is_empty());
        }
    }
}

#[test]
fn an_end_at_an_unknown_time_is_at_the_last_common_point() {
    let ends = Probe {
        own: true,
        flags: &["END_AT=0.25", "SILENT"],
        ..FOREIGN
    };
    let mut assembled = pair(
        ends,
        Probe { own: true, ..FOREIGN },
        "",
        &AssembleOptions::default(),
    );
    let (results, end) = results(&mut assembled);
    assert_eq!(
        end.expect("it runs"),
        End::Terminated {
            component: "a".to_owned(),
            time: None
        }
    );
    check(&results);
    near(results.times(), &[0.0, 0.1, 0.2]);
}

#[test]
fn fmus_are_asked_for_nothing_that_a_run_does_not_need() {
    let counted = |settings: &str| whole(FOREIGN, FOREIGN, &format!("{settings}\n{COUNTS}"));
    for settings in &ALGORITHMS[..2] {
        let (_, results) = counted(settings);
        assert_eq!(
            (last(&results, "a.saved"), last(&results, "a.unsafe")),
            (0.0, 0.0)
        );
    }
    // FMUs whose steps can be replayed are saved now and then.
    let own = Probe { own: true, ..FOREIGN };
    let (_, results) = whole(own, own, &format!("stop = 10.0\n{COUNTS}"));
    assert_eq!(last(&results, "a.saved"), 7.0);
    // Repeated steps go back to their own beginning, and no further.
    for settings in &ALGORITHMS[2..] {
        let (_, results) = counted(settings);
        assert_eq!(last(&results, "a.unsafe"), 0.0);
    }
    // The second of two half steps may be taken back to before the first one.
    let (assembled, results) = counted("[control]\ntolerance = 1e-3");
    let statistics = assembled.master.statistics();
    assert_eq!(
        last(&results, "a.unsafe") as u64,
        statistics.steps + statistics.rejected
    );
}

#[test]
fn a_nominal_step_is_passed_without_rounding() {
    let nominal = Probe {
        snapshots: false,
        flags: &["NOMINAL=0.1"],
        ..FOREIGN
    };
    for settings in &ALGORITHMS[..2] {
        let (_, results) = whole(nominal, FOREIGN, settings);
        assert_eq!(results.times().len(), 11);
        let (_, results) = whole(nominal, FOREIGN, &format!("stop = 100.0\n{settings}"));
        assert_eq!(results.times().len(), 1001);
    }
}

#[test]
fn a_shortened_last_step_of_a_fixed_step_fmu_is_announced() {
    let fixed = Probe {
        variable: false,
        ..FOREIGN
    };
    let warnings = |settings: &str| {
        let assembled = pair(FOREIGN, fixed, settings, &AssembleOptions::default());
        assembled.master.warnings().to_vec()
    };
    assert_eq!(warnings("stop = 1.0"), [""; 0]);
    assert_eq!(warnings("stop = 0.3"), [""; 0]);
    let said = warnings("stop = 0.35");
    assert!(
        said.len() == 1 && said[0].starts_with("b takes steps of one size only") && said[0].contains("0.35"),
        "{said:?}"
    );
    assert_eq!(warnings("stop = 0.05").len(), 1);
}

#[test]
fn warnings_of_fmus_are_counted() {
    let warns = Probe {
        flags: &["WARNS"],
        ..FOREIGN
    };
    let (assembled, _) = whole(FOREIGN, warns, "");
    let counted = assembled
        .master
        .statistics()
        .components
        .iter()
        .map(|one| one.warned);
    assert_eq!(counted.collect::<Vec<_>>(), [0, 10]);
}

#[test]
fn values_arrive_wherever_an_fmu_loads_its_defaults() {
    for flag in ["NOTHING", "DEFAULTS_IN_SETUP", "DEFAULTS_IN_ENTER"] {
        let flags = [flag];
        let late = Probe {
            flags: &flags,
            ..FOREIGN
        };
        let (assembled, _) = whole(late, FOREIGN, "");
        assert!(assembled.master.warnings().is_empty());
    }
    let folder = Folder::new();
    let ignored = Probe {
        flags: &["IGNORED"],
        ..FOREIGN
    };
    folder.write("a.fmu", &ignored.fmu());
    let mut assembled = folder
        .system("[components.a]\nfmu = 'a.fmu'\nset = { x = 1.0, rate = 3.0 }\n")
        .expect("it fits");
    relay::run(&mut assembled);
    assert_eq!(
        assembled.master.warnings(),
        ["a: the parameter rate was set to 3, but the FMU goes on with 1"]
    );
}
