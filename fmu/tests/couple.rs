//! `fmu couple` as a person runs it.

use test_support::relay;

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use relay::Folder;

/// Two lags in a loop without feed-through; `a` begins at 1.
const PAIR: &str = "\
[simulation]
stop = 1.0
step = 0.1
algorithm = 'gauss-seidel'

[components.a]
fmu = 'relay.fmu'
set = { x = [1] }

[components.b]
fmu = 'relay.fmu'

[[connections]]
from = 'a.x[1]'
to = 'b.u'

[[connections]]
from = 'b.x[1]'
to = 'a.u'
";

/// What is said about its steps.
const COARSE: &str = "warning: steps of 0.1 are not accurate over the whole run: ";

/// A pair whose gains multiply to -1.8, with feed-through.
const LOOP: &str = "\
[components.a]
fmu = 'relay.fmu'
set = { gain = -1.8 }
[components.b]
fmu = 'relay.fmu'
[[connections]]
from = 'a.y'
to = 'b.u'
[[connections]]
from = 'b.y'
to = 'a.u'
offset = 1.0
";

fn couple(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fmu"))
        .arg("couple")
        .args(arguments)
        .current_dir(folder.path(""))
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Standard error of a run that must have failed.
fn failure(folder: &Folder, arguments: &[&str]) -> String {
    let output = couple(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn results_go_to_standard_output_or_to_files() {
    let folder = Folder::new();
    folder.write("pair.toml", PAIR.as_bytes());
    let output = couple(
        &folder,
        &["pair.toml", "--record", "*.x[[]1]", "--record", "a.x*"],
    );
    assert_eq!(output.status.code(), Some(1), "brackets are part of names");
    let output = couple(&folder, &["pair.toml", "--record", "*.x[1]"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "time,a.x[1],b.x[1]");
    assert_eq!(lines[1], "0,1,0");
    assert_eq!(lines.len(), 12);
    let said = text(&output.stderr);
    let said: Vec<&str> = said.lines().collect();
    assert!(said[0].starts_with(COARSE), "{said:?}");
    assert_eq!(said[1], "pair to t = 1, gauss-seidel: 10 steps of 0.1");

    let arguments = [
        "pair.toml",
        "--output",
        "out.csv",
        "--plot",
        "plot.svg",
        "--graph",
        "graph.svg",
        "--stats",
        "stats.json",
    ];
    let output = couple(&folder, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).expect(name);
    assert_eq!(read("out.csv").lines().count(), 12);
    // What is written is drawn, except for what is not a number.
    let header = read("out.csv").lines().next().map(str::to_owned).expect("names");
    for name in header
        .split(',')
        .skip(1)
        .filter(|name| !name.ends_with("text_out"))
    {
        assert!(read("plot.svg").contains(name), "{name} is not drawn");
    }
    assert!(read("graph.svg").contains(">a</text>") && read("graph.svg").contains(">Relay</text>"));
    let stats: serde_json::Value = serde_json::from_str(&read("stats.json")).expect("JSON");
    assert_eq!(stats["steps"], 10);
    assert_eq!(stats["end"], "reached");
    assert_eq!(stats["time"], 1.0);
    assert_eq!(stats["components"][1]["name"], "b");
    assert_eq!(stats["components"][1]["steps"], 10);
    assert!(stats["seconds"]["total"].as_f64().expect("a number") > 0.0);
}

#[test]
fn the_command_line_counts_more_than_the_file() {
    let folder = Folder::new();
    folder.write("pair.toml", PAIR.as_bytes());
    folder.write("in.csv", b"time,a.v[1]\n0,0\n1,10\n");
    let output = couple(
        &folder,
        &[
            "pair.toml",
            "--start",
            "1",
            "--stop",
            "1.5",
            "--step",
            "0.25",
            "--algorithm",
            "jacobi",
            "--set",
            "b.x[1]=3",
            "--set",
            "a.text_in=hi",
            "--input",
            "in.csv",
            "--record",
            "b.x[1]",
            "--record",
            "a.v[1]",
            "--record",
            "a.text_out",
            "--stats",
            "s.json",
            "--output",
            "o.csv",
        ],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = std::fs::read_to_string(folder.path("o.csv")).expect("a table");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "time,a.text_out,a.v[1],b.x[1]");
    assert_eq!(lines[1], "1,<hi>,10,3");
    // One lag of rate 1 towards a.x = 1 that is held over the step.
    let [time, _, v, x] = lines[2].split(',').collect::<Vec<_>>()[..] else {
        panic!("{}", lines[2]);
    };
    assert_eq!((time, v), ("1.25", "10"));
    let x: f64 = x.parse().expect("a number");
    assert!((x - (3.0 + (1.0 - (-0.25f64).exp()) * (1.0 - 3.0))).abs() < 1e-12);
    let stats = std::fs::read_to_string(folder.path("s.json")).expect("statistics");
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!(
        (&stats["algorithm"], &stats["steps"]),
        (&"jacobi".into(), &2.into())
    );

    let controlled = couple(
        &folder,
        &["pair.toml", "--tolerance", "1e-6", "--stats", "s.json"],
    );
    assert!(controlled.status.success(), "{}", text(&controlled.stderr));
    let stats = std::fs::read_to_string(folder.path("s.json")).expect("statistics");
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    assert!(
        stats["largestStep"].as_f64() > stats["smallestStep"].as_f64(),
        "{stats}"
    );
}

#[test]
fn systems_of_other_tools_run_with_an_algorithm_of_the_command_line() {
    let folder = Folder::new();
    let connector = |name: &str, kind: &str| {
        format!("<ssd:Connector name=\"{name}\" kind=\"{kind}\"><ssc:Real/></ssd:Connector>")
    };
    let component = |name: &str| {
        format!(
            "<ssd:Component name=\"{name}\" source=\"resources/relay.fmu\"><ssd:Connectors>{}{}</ssd:Connectors></ssd:Component>",
            connector("u", "input"),
            connector("y", "output")
        )
    };
    let description = format!(
        "<ssd:SystemStructureDescription xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\" \
         xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\" version=\"1.0\" name=\"chain\"><ssd:System name=\"s\">\
         <ssd:Connectors>{}</ssd:Connectors><ssd:Elements>{}{}</ssd:Elements><ssd:Connections>\
         <ssd:Connection startConnector=\"drive\" endElement=\"a\" endConnector=\"u\"/>\
         <ssd:Connection startElement=\"a\" startConnector=\"y\" endElement=\"b\" endConnector=\"u\"/>\
         </ssd:Connections></ssd:System><ssd:DefaultExperiment stopTime=\"2\"/></ssd:SystemStructureDescription>",
        connector("drive", "input"),
        component("a"),
        component("b")
    );
    let entries = [
        test_support::zip::Entry::new("SystemStructure.ssd", description.as_bytes()),
        test_support::zip::Entry::new("resources/relay.fmu", &relay::relay("", "")),
    ];
    folder.write("chain.ssp", &test_support::zip::archive(&entries));
    folder.write("drive.csv", b"time,drive\n0,4\n2,4\n");
    let arguments = [
        "chain.ssp",
        "--algorithm",
        "gauss-seidel",
        "--step",
        "0.5",
        "--input",
        "drive.csv",
        "--set",
        "a.gain=3",
        "--record",
        "*.y",
    ];
    let output = couple(&folder, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert_eq!(table.lines().next(), Some("time,a.y,b.y"));
    assert_eq!(table.lines().last(), Some("2,12,12"));
    assert!(text(&output.stderr).starts_with("chain to t = 2, gauss-seidel: 4 steps of 0.5\n"));
}

#[test]
fn mistakes_are_sentences() {
    let folder = Folder::new();
    folder.write("missing.toml", b"components.a.fmu = 'nowhere.fmu'");
    folder.write("modes.csv", b"time,a.mode_in\n0,1\n1,busy\n");
    folder.write("hours.csv", b"time_h,a.v_in\n0,1\n1,2\n");
    folder.write("pair.toml", PAIR.as_bytes());
    let changed = |from: &str, to: &str| {
        assert!(PAIR.contains(from));
        PAIR.replacen(from, to, 1).into_bytes()
    };
    folder.write("gain.toml", &changed("to = 'b.u'", "to = 'b.u'\ngain = nan"));
    folder.write("offset.toml", &changed("to = 'b.u'", "to = 'b.u'\noffset = -inf"));
    folder.write("value.toml", &changed("x = [1]", "x = [inf]"));
    for (arguments, sentence) in [
        (
            &["nowhere.toml"][..],
            "error: cannot read nowhere.toml: No such file or directory (os error 2)",
        ),
        (
            &["missing.toml"],
            "  paths of FMUs are relative to the system file; --fmus DIR names a folder to look in first",
        ),
        (
            &["pair.toml", "--set", "a.gian=1"],
            "error: the command line: a (Relay) has no variable 'gian'; did you mean 'gain'?",
        ),
        (
            &["pair.toml", "--set", "a.gain=1e999"],
            "error: the command line: a.gain would be inf with the value '1e999', and must be a finite number",
        ),
        (
            &["gain.toml"],
            "error: gain.toml, line 14: the gain of a.x[1] -> b.u is NaN, and must be a finite number",
        ),
        (
            &["offset.toml"],
            "error: offset.toml, line 14: the offset of a.x[1] -> b.u is -inf, and must be a finite number",
        ),
        (
            &["value.toml"],
            "error: value.toml, line 8: a.x[1] would be inf with the value 'inf', and must be a finite number",
        ),
        (
            &["pair.toml", "--plot", "no/where.svg"],
            "error: cannot write no/where.svg: No such file or directory (os error 2)",
        ),
        (
            &["pair.toml", "--stats", "pair.toml/stats.json"],
            "error: cannot write pair.toml/stats.json: Not a directory (os error 20)",
        ),
        (
            &["pair.toml", "--record", "z*"],
            "error: the command line: nothing to record matches `z*`",
        ),
        (
            &["pair.toml", "--stop", "-1"],
            "error: the simulation stops at -1, and starts at 0",
        ),
        (
            &["pair.toml", "--step", "0"],
            "error: --step must be positive, and is 0",
        ),
        (
            &["pair.toml", "--step", "-1"],
            "error: --step must be positive, and is -1",
        ),
        (
            &["pair.toml", "--tolerance", "-1"],
            "error: --tolerance must be positive, and is -1",
        ),
        (
            &["pair.toml", "--tolerance", "2"],
            "error: the tolerance 2 is relative to the values: from 1 on, errors may be as large as these",
        ),
        (
            &["pair.toml", "--stop", "inf"],
            "error: --stop must be a finite number, and is inf",
        ),
        (
            &["pair.toml", "--start", "nan"],
            "error: --start must be a finite number, and is NaN",
        ),
        (
            &["pair.toml", "--step", "1e-300"],
            "error: steps of 1e-300 from 0 to 1 are 1e300 steps, more than 1e12: take a larger one",
        ),
        (
            &["relay.fmu"],
            "error: relay.fmu: this is not text, and not a system: a system is a TOML file, or an SSP file (.ssp, .ssd)",
        ),
        (
            &["pair.toml", "--input", "relay.fmu"],
            "error: relay.fmu: this is not text, and not a table",
        ),
        (
            &["pair.toml", "--input", "modes.csv"],
            "error: modes.csv, line 3: column a.mode_in: `busy` is not a number; only Real inputs are given over time",
        ),
        (
            &["pair.toml", "--input", "hours.csv"],
            "error: hours.csv, line 1: the first column is the time in seconds, but by its name, `time_h`, it is in `h`",
        ),
        (
            &["pair.toml", "--output", "same", "--stats", "same"],
            "error: --output and --stats both want same: give each a file of its own",
        ),
        (
            &["pair.toml", "--output", "/dev/full"],
            "error: cannot write /dev/full: No space left on device (os error 28)",
        ),
        (
            &["pair.toml", "--output", "no/where.csv"],
            "error: cannot write no/where.csv: No such file or directory (os error 2)",
        ),
        (
            &["pair.toml", "--correction", "consistent"],
            "error: a does not provide outputs for new inputs without a step, which the consistent correction needs",
        ),
    ] {
        let said = failure(&folder, arguments);
        assert!(
            said.lines().any(|line| line.starts_with(sentence)),
            "{arguments:?}: {said}"
        );
        // Results that have no place are refused before the run, which is then not summed up.
        assert!(
            !sentence.contains("where.svg") || !said.contains(" to t = "),
            "{said}"
        );
    }
}

#[test]
fn what_has_no_effect_is_said() {
    let folder = Folder::new();
    folder.write("pair.toml", PAIR.as_bytes());
    let plain = couple(&folder, &["pair.toml"]);
    let odd = couple(
        &folder,
        &[
            "pair.toml",
            "--solver",
            "tsit45",
            "--set",
            "a.u=7",
            "--set",
            "b.gain=2",
        ],
    );
    assert!(odd.status.success(), "{}", text(&odd.stderr));
    let warnings: Vec<String> = text(&odd.stderr)
        .lines()
        .filter(|line| line.starts_with("warning: "))
        .map(str::to_owned)
        .collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings[2].starts_with(COARSE), "{warnings:?}");
    assert!(
        warnings[0].starts_with("warning: --solver tsit45 has no effect: it is for --algorithm aggregate")
    );
    assert_eq!(
        warnings[1],
        "warning: --set a.u has no effect after the start: the input is fed by b.x[1]"
    );
    let plain = text(&plain.stderr);
    let warnings: Vec<&str> = plain
        .lines()
        .filter(|line| line.starts_with("warning: "))
        .collect();
    assert!(
        warnings.len() == 1 && warnings[0].starts_with(COARSE),
        "{warnings:?}"
    );
    // With a smaller step there is nothing to say.
    let fine = text(&couple(&folder, &["pair.toml", "--step", "0.005"]).stderr);
    assert!(!fine.contains("warning"), "{fine}");
}

#[test]
fn who_stops_reading_ends_it_quietly_and_a_dash_is_standard_output() {
    let folder = Folder::new();
    folder.write("pair.toml", PAIR.as_bytes());
    let arguments = ["couple", "pair.toml", "--stop", "1e6", "--output", "-"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut first = [0; 5];
    let mut stdout = child.stdout.take().expect("its output");
    stdout.read_exact(&mut first).expect("a beginning");
    assert_eq!(&first, b"time,");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
    assert!(!folder.path("-").exists());
}

#[test]
fn tables_are_met_where_they_jump_and_where_they_have_a_kink() {
    let folder = Folder::new();
    folder.write(
        "one.toml",
        b"[simulation]\nstep = 0.25\n[components.a]\nfmu = 'relay.fmu'\n",
    );
    folder.write("in.csv", b"time,a.u\n0,1\n0.3,1\n0.3,3\n0.6,3\n0.7,4\n");
    let output = couple(
        &folder,
        &[
            "one.toml", "--input", "in.csv", "--record", "a.x[1]", "--record", "a.u",
        ],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .map(|field| field.parse().expect("a number"))
                .collect()
        })
        .collect();
    let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(times, [0.0, 0.25, 0.3, 0.5, 0.6, 0.7, 0.75, 1.0]);
    // x' = u - x with u = 1 up to 0.3 and u = 3 up to 0.6.
    let at = |time: f64| rows.iter().find(|row| row[0] == time).expect("a row");
    let jump = 1.0 - (-0.3f64).exp();
    assert_eq!(at(0.3)[1], 3.0);
    assert!((at(0.3)[2] - jump).abs() < 1e-9, "{table}");
    assert!(
        (at(0.6)[2] - (3.0 + (jump - 3.0) * (-0.3f64).exp())).abs() < 1e-9,
        "{table}"
    );
}

#[test]
fn divergence_names_the_variables_and_keeps_what_was_computed() {
    let folder = Folder::new();
    folder.write("loop.toml", LOOP.as_bytes());
    let arguments = [
        "loop.toml",
        "--stop",
        "100",
        "--step",
        "0.1",
        "--insist",
        "--output",
        "o.csv",
        "--plot",
        "p.svg",
        "--stats",
        "s.json",
        "--graph",
        "g.svg",
    ];
    let said = failure(&folder, &arguments);
    assert!(said.contains("diverges") && said.contains("a.y"), "{said}");
    let table = std::fs::read_to_string(folder.path("o.csv")).expect("what was computed");
    assert!(table.lines().count() > 20 && table.ends_with('\n'));
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).expect(name);
    let stats: serde_json::Value = serde_json::from_str(&read("s.json")).expect("JSON");
    assert_eq!(stats["end"], "failed");
    assert!(stats["error"].as_str().is_some_and(|error| said.contains(error)));
    assert!(read("p.svg").contains("a.y") && read("g.svg").contains("algebraic loop 1"));

    // Without --insist it does not even begin, and says what to do.
    let said = failure(&folder, &["loop.toml", "--output", "o.csv"]);
    // Two steps of Jacobi go around the loop once.
    assert!(
        said.contains(&format!("spectral radius of {:.3}", 1.8f64.sqrt())),
        "{said}"
    );

    let solved = couple(
        &folder,
        &["loop.toml", "--algorithm", "newton", "--record", "a.y"],
    );
    assert!(solved.status.success(), "{}", text(&solved.stderr));
    let table = text(&solved.stdout);
    let last = table.lines().last().and_then(|line| line.split(',').nth(1));
    let y: f64 = last.and_then(|y| y.parse().ok()).expect("a number");
    assert!((y + 1.8 / 2.8).abs() < 1e-6, "y = -1.8 (y + 1), not {y}");
}

#[test]
fn an_interrupt_keeps_what_was_computed() {
    let folder = Folder::new();
    folder.write("pair.toml", PAIR.as_bytes());
    let mut child = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args([
            "couple",
            "pair.toml",
            "--stop",
            "1e9",
            "--step",
            "0.5",
            "--record",
            "a.x",
            "--output",
            "o.csv",
        ])
        .current_dir(folder.path(""))
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let begin = Instant::now();
    let written = || std::fs::metadata(folder.path("o.csv")).is_ok_and(|file| file.len() > 0);
    while !written() {
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing is written");
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
    while child.try_wait().expect("a child").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("its output");
    assert_eq!(output.status.code(), Some(130));
    let said = text(&output.stderr);
    assert!(said.contains("interrupted at time "), "{said}");
    let table = std::fs::read_to_string(folder.path("o.csv")).expect("a table");
    assert!(table.ends_with('\n'));
    let last = table
        .lines()
        .last()
        .expect("a line")
        .split(',')
        .next()
        .expect("a time");
    assert!(
        said.contains(&format!("interrupted at time {last};")),
        "{said} {last}"
    );
}

#[test]
fn the_summary_names_a_tolerance_per_step() {
    let folder = Folder::new();
    for (per, named) in [("step", true), ("unit-step", false)] {
        let system = format!("{PAIR}\n[control]\ntolerance = 1e-3\nper = '{per}'\n");
        folder.write("pair.toml", system.as_bytes());
        let output = couple(&folder, &["pair.toml"]);
        let said = text(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("estimated accumulated error"), "{said}");
        assert_eq!(said.contains("; the tolerance is per step)"), named, "{said}");
    }
}

#[test]
fn a_trace_has_a_row_per_step() {
    let folder = Folder::new();
    folder.write("pair.toml", PAIR.as_bytes());
    let arguments = [
        "pair.toml",
        "--tolerance",
        "1e-3",
        "--trace",
        "steps.csv",
        "--stats",
        "stats.json",
        "--plot",
        "pair.svg",
    ];
    let output = couple(&folder, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("estimated accumulated error: 0."),
        "{}",
        text(&output.stderr)
    );
    let trace = std::fs::read_to_string(folder.path("steps.csv")).expect("the trace");
    let mut lines = trace.lines();
    let head = "time,step,error,order,rejected,discarded,iterations,events";
    assert_eq!(lines.next(), Some(head));
    let rows: Vec<Vec<f64>> = lines
        .map(|line| {
            line.split(',')
                .map(|cell| cell.parse().expect("a number"))
                .collect()
        })
        .collect();
    let stats = std::fs::read_to_string(folder.path("stats.json")).expect("the statistics");
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!(stats["steps"], rows.len());
    let sum = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>();
    assert!((sum(1) - 1.0).abs() < 1e-9, "{}", sum(1));
    assert_eq!(stats["rejected"], sum(4) as u64);
    // The relay cannot interpolate inputs, and every accepted error is within the tolerance.
    assert!(
        rows.iter()
            .all(|row| (0.0..=1.0).contains(&row[2]) && row[3] == 0.0),
        "{trace}"
    );
    assert!(rows.iter().any(|row| row[2] > 0.2), "{trace}");
    assert!(folder.path("pair.trace.svg").exists());
    // Without error control there is no estimate.
    let output = couple(&folder, &["pair.toml", "--trace", "steps.csv"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let trace = std::fs::read_to_string(folder.path("steps.csv")).expect("the trace");
    assert!(trace.starts_with("time,step,order,rejected"), "{trace}");
    assert_eq!(trace.lines().count(), 11);
    // A trace is not a place for the results.
    let table = text(&output.stdout);
    assert!(table.starts_with("time,a."), "{table}");
    assert_eq!(table.lines().count(), 12);
    let output = couple(&folder, &["pair.toml", "--trace", "-"]);
    assert_eq!(text(&output.stdout), trace);
}
