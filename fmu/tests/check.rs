//! `fmu check` from outside: exit codes, JSON, and each rule about behaviour broken by a library that does so.

use test_support::fmus;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fmus::{DESCRIPTION, Recipe, TestFmu, oscillator, write_archive, write_bytes};
use serde_json::Value;
use test_support::zip::Entry;

fn fmu(arguments: &[&str], path: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fmu"));
    command
        .args(arguments)
        .arg(path)
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The report of `check --run`, and the rules that it has findings for.
fn checked(test: &TestFmu) -> (Value, BTreeSet<String>) {
    let arguments = [
        "check",
        "--run",
        "--json",
        "--timeout",
        "3",
        "--max-memory",
        "300M",
    ];
    let output = fmu(&arguments, &test.path);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)));
    let findings = report["findings"].as_array().expect("findings");
    let rules = findings
        .iter()
        .map(|finding| finding["rule"].as_str().expect("a rule").into())
        .collect();
    let expected = match (report["errors"].as_u64(), report["unfinished"].as_bool()) {
        (Some(0), Some(false)) => 0,
        (Some(0), _) => 2,
        _ => 1,
    };
    assert_eq!(output.status.code(), Some(expected), "{report:#}");
    (report, rules)
}

fn faulty(faults: &[&str], change: Option<(&str, &str)>) -> TestFmu {
    let description = match change {
        Some((old, new)) => {
            assert!(DESCRIPTION.contains(old), "not in the description: {old}");
            DESCRIPTION.replace(old, new)
        }
        None => DESCRIPTION.into(),
    };
    Recipe {
        description,
        flags: faults.iter().map(|fault| format!("-DFAULT_{fault}")).collect(),
        ..Default::default()
    }
    .build()
}

#[test]
fn a_good_fmu_behaves() {
    let (report, rules) = checked(&oscillator());
    assert!(rules.is_empty(), "{report:#}");
    assert_eq!(report["skipped"], serde_json::json!([]));
}

/// Faults of the library, a change of the description, and exactly the rules that break.
type Case = (
    &'static [&'static str],
    Option<(&'static str, &'static str)>,
    &'static [&'static str],
);

/// The library knows nothing of the range.
const BOUNDED_INPUT: Option<(&str, &str)> =
    Some(("<Real start=\"0\"/>", "<Real min=\"-1\" max=\"1\" start=\"0\"/>"));

/// Importers have to guess.
const NO_STEP_SIZE: Option<(&str, &str)> = Some((" stepSize=\"0.01\"", ""));

const CASES: &[Case] = &[
    (&["DESCRIBE"], None, &["P12"]),
    (&["VERSION"], None, &["B3"]),
    (&["LOAD"], None, &["B5"]),
    (&["ANY_GUID"], None, &["R2", "X4a"]),
    (&["HIDDEN_DEPENDENCY"], None, &["M8", "M8a"]),
    (
        &[],
        Some((
            "index=\"1\" dependencies=\"1\" dependenciesKind=\"constant\"",
            "index=\"1\" dependencies=\"\"",
        )),
        &["M8a"],
    ),
    (&["VARYING_FACTOR"], None, &["M9"]),
    (
        &[],
        Some(("<CoSimulation ", "<CoSimulation maxOutputDerivativeOrder=\"1\" ")),
        &["C2"],
    ),
    (
        &[],
        Some(("<CoSimulation ", "<CoSimulation canInterpolateInputs=\"true\" ")),
        &["C3"],
    ),
    (&["PENDING"], None, &["C4"]),
    (
        &["SHARED"],
        Some((
            "canNotUseMemoryManagementFunctions=\"true\"",
            "canNotUseMemoryManagementFunctions=\"true\" canBeInstantiatedOnlyOncePerProcess=\"true\"",
        )),
        &["C5"],
    ),
    (
        &["STEP_EVENT"],
        Some((
            "<ModelExchange ",
            "<ModelExchange completedIntegratorStepNotNeeded=\"true\" ",
        )),
        &["C7"],
    ),
    (
        &["GET_STATE"],
        Some(("canGetAndSetFMUstate=\"true\"", "canGetAndSetFMUstate=\"false\"")),
        &["C1", "C8"],
    ),
    (&["INITIALIZATION_ERROR"], None, &["R1"]),
    (&["NAN_OUTPUT"], None, &["R1b"]),
    (&["COUNT_0"], None, &["R5"]),
    (&["ABSENT"], None, &["B4", "R1c"]),
    (&["CHATTER"], None, &["R1"]),
    (&["ANY_NAME"], None, &["R2"]),
    (&["URI"], None, &["R2a"]),
    (&["CATEGORY"], None, &["R3"]),
    (&["CHATTY"], None, &["R3"]),
    (&["ENVIRONMENT"], None, &["R3"]),
    (&["EARLY_STEP"], None, &["R4"]),
    (&["NOMINALS_EARLY"], None, &["R4"]),
    (&["LENIENT"], None, &["R4a"]),
    (&["NULL"], None, &["R5"]),
    (&["VALUE_REFERENCES"], None, &["R6"]),
    (&["PARTIAL"], None, &["R6a"]),
    (&["SET_OUTPUT"], None, &["R6b"]),
    (&["START"], None, &["R7a"]),
    (&["IGNORED"], None, &["R7"]),
    (&["TEXT"], None, &["R8"]),
    (&["BOOLEAN"], None, &["R9"]),
    (&["NAN"], None, &["R10"]),
    (&["RANGE"], None, &["R11"]),
    (&["STORED"], None, &["R11"]),
    (&[], BOUNDED_INPUT, &["R11"]),
    (&["STRICT_INPUT"], BOUNDED_INPUT, &["R11a"]),
    (
        &["STRICT_STATE"],
        Some((
            "<Real unit=\"m/s\" start=\"0\"/>",
            "<Real unit=\"m/s\" max=\"100\" start=\"0\"/>",
        )),
        &["R11a"],
    ),
    (&["STOP_TIME"], None, &["R12"]),
    (&["ODD_STEPS"], None, &["R13a"]),
    (&["EXACT_TIME"], None, &["R13"]),
    (&["DISCARD", "LAST_TIME"], None, &["R13a"]),
    (&["RESET"], None, &["R14"]),
    (&["FREE"], None, &["R15a"]),
    (&["FREE_EARLY"], None, &["R2a", "R4", "R5", "R15", "R16"]),
    (&["FREE_STATE"], None, &["R16"]),
    (&["SNAPSHOT"], None, &["R17"]),
    (&["ADDRESS"], None, &["R17"]),
    (&["HALF"], None, &["R17a"]),
    (
        &[],
        Some((
            "<Tool name=\"by hand\">",
            "<Tool name=\"fmu-runtime build\"><Build mark=\"0123456789\"/></Tool><Tool name=\"by hand\">",
        )),
        &["R17b"],
    ),
    (&["SHARED"], None, &["R18"]),
    (&["NOMINAL"], None, &["R19"]),
    (&["SILENT_CHANGE"], None, &["R19"]),
    (&["PAST_EVENT"], None, &["R19"]),
    (&["ZERO_INDICATOR"], None, &["R19a"]),
    (&["NAN_EVENT"], None, &["R19b"]),
    (&["DERIVATIVE=1.1"], None, &["R20"]),
    (&["DERIVATIVE=1.001"], None, &["R20a"]),
    (&["NOMINAL_STEP=0.001"], NO_STEP_SIZE, &["R1a"]),
    (&["NOMINAL_STEP=0.0123"], NO_STEP_SIZE, &["R1a"]),
    (&["FATAL_RESTORE"], None, &["R4", "R17"]),
    (&["MEMORY"], None, &["R14", "R17", "R18", "R22"]),
    (&["SLOW_SLAVE"], None, &["R23"]),
    (&["ANY_INPUT_ORDER"], None, &["R24"]),
    (&["ANY_OUTPUT_ORDER"], None, &["R24"]),
    (
        &["ANY_OUTPUT_ORDER"],
        Some(("<CoSimulation ", "<CoSimulation maxOutputDerivativeOrder=\"2\" ")),
        &["R24"],
    ),
    (&["MISBEHAVE=\"change-folder\""], None, &["R26"]),
    (&["MISBEHAVE=\"umask\""], None, &["R26a"]),
    (&["MISBEHAVE=\"handlers\""], None, &["R26b"]),
    (&["MISBEHAVE=\"block-signals\""], None, &["R26b"]),
    // Processes round differently, and so a snapshot goes on differently in another one.
    (&["MISBEHAVE=\"rounding\""], None, &["R17", "R26c"]),
    (&["MISBEHAVE=\"trap-on-overflow\""], None, &["R26c"]),
    (&["MISBEHAVE=\"locale\""], None, &["R26d"]),
    (&["MISBEHAVE=\"close-streams\""], None, &["R26e"]),
    (&["MISBEHAVE=\"close-all\""], None, &["R26e"]),
    (&["MISBEHAVE=\"print\""], None, &["R27"]),
    (&["MISBEHAVE=\"print-error\""], None, &["R27"]),
    (&["MISBEHAVE=\"print-much\""], None, &["R27"]),
    (&["MISBEHAVE=\"leave-process\""], None, &["R28"]),
    (&["MISBEHAVE=\"daemon\""], None, &["R28"]),
    (&["MISBEHAVE=\"fork-chain\""], None, &["R28"]),
    (&["MISBEHAVE=\"resident\""], None, &["R29"]),
];

#[test]
fn every_rule_about_behaviour_is_broken_by_a_library_that_does_so() {
    // Most of the time is spent waiting for children, so several cases go at once.
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((faults, change, expected)) = CASES.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (report, rules) = checked(&faulty(faults, *change));
                    if rules != expected.iter().map(|rule| String::from(*rule)).collect() {
                        let findings = &report["findings"];
                        wrong.lock().expect("no panic").push(format!(
                            "{faults:?} {change:?}: expected {expected:?}, found {findings:#}"
                        ));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let covered: BTreeSet<_> = CASES
        .iter()
        .flat_map(|(_, _, rules)| rules.iter().copied())
        .collect();
    let uncovered: Vec<_> = fmu_checker::rules()
        .iter()
        .filter(|rule| rule.needs_a_run() && !covered.contains(rule.id))
        .map(|rule| rule.id)
        .collect();
    assert_eq!(uncovered, [""; 0], "rules without a negative test");
}

#[test]
fn what_ends_the_process_is_a_line_in_the_report() {
    for (fault, how) in [
        ("SEGFAULT", "the process ended: segmentation fault (signal 11)"),
        ("EXIT", "the process ended: it called exit(7)"),
        ("LOAD", "the process ended: abort (signal 6)"),
    ] {
        let (report, rules) = checked(&faulty(&[fault], None));
        let rule = if fault == "LOAD" { "B5" } else { "R1" };
        assert_eq!(rules, BTreeSet::from([rule.into()]));
        let problems: Vec<_> = report["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .map(|finding| finding["problem"].as_str().expect("a problem"))
            .collect();
        assert_eq!(problems, [how, how], "once for each interface");
    }
}

#[test]
fn what_takes_too_long_is_not_checked_and_no_error() {
    let (report, rules) = checked(&faulty(&["HANG"], None));
    assert!(rules.is_empty(), "{report:#}");
    assert_eq!(report["unfinished"], true);
    let skipped = report["skipped"].as_array().expect("a list");
    assert_eq!(skipped.len(), 2, "once for each interface: {skipped:?}");
    for (reason, interface) in skipped.iter().zip(["Model Exchange", "Co-Simulation"]) {
        let reason = reason.as_str().expect("a text");
        assert!(
            reason.starts_with(interface) && reason.ends_with("(rule R1): no answer within 3 s (--timeout)"),
            "{reason}"
        );
    }
}

#[test]
fn huge_states_are_checked_too() {
    let (report, rules) = checked(&faulty(&["HUGE_STATE"], None));
    assert!(rules.is_empty(), "{report:#}");
}

#[test]
fn the_report_names_rule_place_and_remedy() {
    let test = faulty(&[], Some(("start=\"0.1\" ", "")));
    let output = fmu(&["check"], &test.path);
    assert_eq!(output.status.code(), Some(0));
    let expected = "warning V7: A start value is there where it is needed, and only there (FMI 2.0.5, 2.2.7)\n  \
                    modelDescription.xml:51, variable `d`: it needs a start value\n  \
                    harm: importers show or set 0; FMPy refuses the FMU unless validation is off\n  \
                    -> add the start value, or take it out\n\n";
    let text = text(&output.stdout);
    assert!(text.starts_with(expected), "{text}");
    assert!(
        text.trim_end()
            .ends_with("oscillator.fmu: no errors, 1 warning, no notes"),
        "{text}"
    );
}

#[test]
fn the_exit_code_follows_errors_and_with_strict_everything() {
    let code = |test: &TestFmu, arguments: &[&str]| fmu(arguments, &test.path).status.code();
    let good = oscillator();
    assert_eq!(code(&good, &["check", "--strict"]), Some(0));
    // A note, a warning, an error.
    let note = faulty(&[], Some(("name=\"y\"", "name=\"y(18)\"")));
    let warning = faulty(&[], Some(("start=\"0.1\" ", "")));
    let error = faulty(
        &[],
        Some(("<Real derivative=\"2\"/>", "<Real derivative=\"99\"/>")),
    );
    for (test, plain) in [(note, 0), (warning, 0), (error, 1)] {
        assert_eq!(code(&test, &["check"]), Some(plain));
        assert_eq!(code(&test, &["check", "--strict"]), Some(1));
    }
}

#[test]
fn derivatives_of_what_is_no_state_and_second_ones_of_a_state_are_no_findings() {
    // Legal by 2.2.7: only what Derivatives lists defines states.
    let more = "<ScalarVariable name=\"slope\" valueReference=\"6\"><Real unit=\"m/s\" derivative=\"1\"/></ScalarVariable>\
                <ScalarVariable name=\"rate\" valueReference=\"5\"><Real derivative=\"6\"/></ScalarVariable></ModelVariables>";
    let output = fmu(
        &["check", "--strict"],
        &faulty(&[], Some(("</ModelVariables>", more))).path,
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn every_rule_has_a_severity_and_a_harm() {
    let show = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fmu"));
        command.args(arguments).output().expect("the command runs")
    };
    let output = show(&["check", "--rules", "--json"]);
    let rules: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rules = rules.as_array().expect("rules");
    assert_eq!(rules.len(), fmu_checker::rules().len());
    for rule in rules {
        let has = |key: &str| rule[key].as_str().is_some_and(|text| !text.is_empty());
        assert!(
            has("severity") && has("what") && has("harm") && has("advice"),
            "{rule}"
        );
        // No known harm, no more than a note.
        let harmless = rule["harm"].as_str().is_some_and(|harm| harm == "none known");
        assert!(!harmless || rule["severity"] == "note", "{rule}");
    }
    let shown = text(&show(&["check", "--rules"]).stdout);
    assert!(
        shown.contains("M8   error   What an unknown depends on is declared"),
        "{shown}"
    );
    assert!(
        shown.contains("harm: masters evaluate in the wrong order"),
        "{shown}"
    );
}

#[test]
fn a_run_has_a_time_limit_and_a_folder_of_its_own() {
    let test = faulty(&["SLOW", "WRITES"], None);
    let here = tempfile::tempdir().expect("a folder");
    let begin = std::time::Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(["check", "--run", "--json", "--time-limit", "2"])
        .arg(&test.path)
        .current_dir(here.path())
        .output()
        .expect("the command runs");
    assert!(begin.elapsed().as_secs_f64() < 8.0, "{:?}", begin.elapsed());
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["errors"], 0, "{report:#}");
    let skipped = report["skipped"].to_string();
    assert!(skipped.contains("after 2 s (--time-limit)"), "{skipped}");
    let left: Vec<_> = std::fs::read_dir(here.path()).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn after_a_fatal_error_the_cause_is_reported_and_the_rest_is_checked() {
    let (report, _) = checked(&faulty(&["FATAL_RESTORE", "HALF"], None));
    let findings = report["findings"].to_string();
    assert!(!findings.contains("lost"), "{findings}");
    assert!(
        findings.contains("cannot go back") && findings.contains("R17a"),
        "{findings}"
    );
}

#[test]
fn what_cannot_be_checked_has_its_own_exit_code() {
    let version = DESCRIPTION.replace("fmiVersion=\"2.0\"", "fmiVersion=\"3.0\"");
    let other = write_archive(&[Entry::new("modelDescription.xml", version.as_bytes())]);
    let no_library = write_archive(&[
        Entry::new("modelDescription.xml", DESCRIPTION.as_bytes()),
        Entry::new("sources/a.c", b"int a;"),
    ]);
    for (arguments, path) in [
        (&["check"][..], Path::new("no such file.fmu")),
        (&["check"], &other.path),
        (&["check", "--run"], &no_library.path),
        (&["check", "--max-size", "10"], &oscillator().path),
    ] {
        let output = fmu(arguments, path);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {}", path.display());
        let error = text(&output.stderr);
        assert!(
            error.starts_with("error: ") && error.contains("could not be checked"),
            "{error}"
        );
    }
    let broken = write_bytes(b"no archive");
    assert_eq!(fmu(&["check"], &broken.path).status.code(), Some(1));
}

#[test]
fn info_shows_what_is_inside() {
    let test = oscillator();
    let shown = text(&fmu(&["info"], &test.path).stdout);
    for line in [
        "Oscillator\nA damped oscillator\n",
        "guid               {oscillator}\n",
        "interface          Model Exchange (oscillator)\n",
        "experiment         from 0, to 3, step 0.01, tolerance 0.000001\n",
        "states             2\n",
        "canSerializeFMUstate                                yes           yes\n",
        "Derivatives        2 unknowns, 4 dependencies\n",
        "    1  x       Real         output               continuous              1  m\n",
    ] {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
    let everything = text(&fmu(&["info", "--all"], &test.path).stdout);
    assert!(
        everything.contains("  der(v) depends on x, v, u\n"),
        "{everything}"
    );
    let chosen = text(
        &fmu(
            &[
                "info", "--filter", "der(*)", "--filter", "?", "--type", "real", "--sort", "name",
            ],
            &test.path,
        )
        .stdout,
    );
    let table = chosen.split("Variables (9 of 15)\n").nth(1).expect("a table");
    let names: Vec<_> = table
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(names, ["d", "der(v)", "der(x)", "k", "u", "v", "w", "x", "y"]);

    let json: Value = serde_json::from_slice(&fmu(&["info", "--json"], &test.path).stdout).expect("JSON");
    assert_eq!(json["modelName"], "Oscillator");
    assert_eq!(json["variables"].as_array().map(Vec::len), Some(15));
    assert_eq!(
        json["structure"]["derivatives"][1]["dependencies"],
        serde_json::json!([1, 2, 5])
    );
    assert_eq!(json["libraries"][0]["machines"][0], "x86_64-linux");
    assert_eq!(
        json["coSimulation"]["canHandleVariableCommunicationStepSize"],
        true
    );
}

#[test]
fn info_shows_ranges_and_items() {
    let test = oscillator();
    let shown = text(&fmu(&["info"], &test.path).stdout);
    let line = |name: &str| {
        let mut lines = shown
            .lines()
            .filter(|line| line.split_whitespace().nth(1) == Some(name));
        lines.next().unwrap_or_else(|| panic!("{name} is not in {shown}"))
    };
    assert!(line("name").contains(" min      max"), "{shown}");
    assert!(line("n").ends_with("  0  1000000"), "{shown}");
    assert!(
        shown.ends_with("mode               free = 1, driven = 2\n"),
        "{shown}"
    );
    let json: Value = serde_json::from_slice(&fmu(&["info", "--json"], &test.path).stdout).expect("JSON");
    assert_eq!(json["variables"][9]["items"][1]["name"], "driven");

    let output = fmu(&["info", "--type", "Foo"], &test.path);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Real, Integer, Boolean, String, Enumeration"));
}

#[test]
fn a_timeout_is_positive() {
    let test = oscillator();
    for timeout in ["0", "-1", "nan", "inf"] {
        let output = fmu(&["check", "--run", "--timeout", timeout], &test.path);
        assert_eq!(output.status.code(), Some(2), "{timeout}");
        let said = text(&output.stderr);
        assert!(
            said.contains("--timeout must be a positive number of seconds"),
            "{said}"
        );
    }
}

#[test]
fn an_fmu_that_has_one_instance_per_process_still_runs() {
    let (report, rules) = checked(&faulty(&["ONE_INSTANCE"], NO_STEP_SIZE));
    assert!(!rules.iter().any(|rule| rule == "R1"), "{report:#}");
    assert!(rules.iter().any(|rule| rule == "R18"), "{report:#}");
}

#[test]
fn where_one_instance_per_process_is_declared_each_step_has_a_process() {
    let declared = Some((
        "canNotUseMemoryManagementFunctions=\"true\"",
        "canNotUseMemoryManagementFunctions=\"true\" canBeInstantiatedOnlyOncePerProcess=\"true\"",
    ));
    let (report, _) = checked(&faulty(&["ONE_INSTANCE"], declared));
    assert_eq!(report["errors"], 0, "{report:#}");
    let skipped = report["skipped"].to_string();
    assert!(
        skipped.contains("reset in the middle of a run, which takes a second instance"),
        "{skipped}"
    );
}

#[test]
fn a_memory_limit_that_no_process_keeps_is_refused() {
    let output = fmu(&["check", "--run", "--max-memory", "1M"], &oscillator().path);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("--max-memory must be at least 64M"),
        "{output:?}"
    );
}

#[test]
fn memory_is_limited_without_an_option() {
    let output = fmu(&["check", "--help"], &oscillator().path);
    let help = text(&output.stdout);
    let (_, about) = help.split_once("--max-memory <SIZE>").expect("the option");
    let about = about.split("\n      --").next().unwrap_or_default();
    assert!(about.contains("[default: 4G]"), "{about}");
}

#[test]
fn what_the_time_limit_leaves_out_is_not_called_good() {
    let output = fmu(&["check", "--run", "--time-limit", "0.01"], &oscillator().path);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stdout).contains("not checked: "), "{output:?}");
}
