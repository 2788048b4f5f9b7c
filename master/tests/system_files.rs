//! System files: what they may say, and what is said about mistakes in them.

use test_support::relay;

use relay::{Folder, last, packed, run};

/// Two components with a line each, so that what follows begins in line 4.
const TWO: &str = "[components]\na.fmu = 'relay.fmu'\nb.fmu = 'relay.fmu'\n";

fn two(rest: &str) -> String {
    format!("{TWO}{rest}")
}

#[test]
fn mistakes_are_named_with_their_lines() {
    let folder = Folder::new();
    folder.write("broken.fmu", b"no archive");
    let described = relay::DESCRIPTION.replace("UNIT_IN", "").replace("UNIT_OUT", "");
    let model_exchange = described.replace("CoSimulation", "ModelExchange");
    let model_exchange = model_exchange.replace("canHandleVariableCommunicationStepSize=\"true\"", "");
    folder.write("me.fmu", &packed(&model_exchange));
    for (text, sentence) in [
        (
            two("[[connections]]\nfrom = 'a.yy'\nto = 'b.u'"),
            "line 5: a (Relay) has no variable 'yy'; did you mean 'y'?",
        ),
        (
            two("[[connections]]\nfrom = 'a.y'\nto = 'c.u'"),
            "line 5: no component is called 'c'; did you mean 'a'?",
        ),
        (
            two("[[connections]]\nfrom = 'a.y'\nto = 'nowhere.u'"),
            "line 5: no component is called 'nowhere'; there are a, b",
        ),
        (
            two("[[connections]]\nfrom = 'y'\nto = 'b.u'"),
            "line 5: 'y' is not a variable: write component.variable",
        ),
        (
            two("[[connections]]\nfrom = 'a.u'\nto = 'b.u'"),
            "line 5: a.u is not an output: its causality is input",
        ),
        (
            two("[[connections]]\nfrom = 'a.y'\nto = 'b.gain'"),
            "line 5: b.gain is not an input: its causality is parameter",
        ),
        (
            two("[[connections]]\nfrom = 'a.y'\nto = 'b.u'\n[[connections]]\nfrom = 'b.y'\nto = 'b.u'"),
            "line 8: b.u has two sources; an input takes one",
        ),
        (
            two("[[connections]]\nfrom = 'a.y'\nto = 'b.u'\n[[inputs]]\nto = 'b.u'\nvalue = 1"),
            "line 8: b.u has two sources; an input takes one",
        ),
        (
            two(
                "[[connections]]\nfrom = 'a.on_out'\nto = 'b.on_in'\n[[connections]]\nfrom = 'b.on_out'\nto = 'b.on_in'",
            ),
            "line 8: b.on_in has two sources; an input takes one",
        ),
        (
            two("[[connections]]\nfrom = 'a.text_out'\nto = 'b.u'"),
            "line 5: a.text_out is a String, b.u is a Real: they cannot be connected",
        ),
        (
            two("[[connections]]\nfrom = 'a.y'\nto = 'b.mode_in'"),
            "line 5: a.y is a Real, b.mode_in is an Enumeration: they cannot be connected",
        ),
        (
            two("[[connections]]\nfrom = 'a.on_out'\nto = 'b.on_in'\ngain = 2.0"),
            "line 5: b.on_in is a Boolean, and cannot have a factor or an offset",
        ),
        (
            two("[[connections]]\nfrom = 'a.z[*]'\nto = 'b.v[*]'"),
            "line 5: no output matches `a.z[*]`",
        ),
        (
            two("[[connections]]\nfrom = 'a.x[*]'\nto = 'b.u'"),
            "line 5: `a.x[*]` -> `b.u`: a connection of many variables has one `*` on each side",
        ),
        (
            two("[[inputs]]\nto = 'a.on_in'\nvalue = 1"),
            "line 5: a.on_in is a Boolean; only Real inputs are given over time, set it instead",
        ),
        (
            two("[[inputs]]\nto = 'a.u'"),
            "line 5: an input needs one of `value = 1.0`, `points = [[0.0, 1.0], [2.0, 3.0]]` and `file = \"table.csv\"`",
        ),
        (
            two("[[inputs]]\nto = 'a.u'\npoints = [[0, 1], [2, 3], [1, 3]]"),
            "line 6: time goes back from 2 to 1",
        ),
        (
            two("[[inputs]]\nto = 'a.u'\nvalue = 1\nunit = 'furlong'"),
            "line 7: `furlong` is not a known unit",
        ),
        (
            two("[[inputs]]\nto = 'a.u'\nfile = 'none.csv'"),
            "line 6: cannot read none.csv: No such file or directory (os error 2)",
        ),
        (
            two("[simulation]\nstpe = 0.1"),
            "line 5: there is no key `stpe` here; did you mean `step`?",
        ),
        (
            two("[[connections]]\nfrom = 'a.y'\nto = 'b.u'\nscale = 2.0"),
            "line 7: there is no key `scale` here; there are from, sum, to, gain, offset, convert",
        ),
        (
            two("[simulation]\nstep = 'small'"),
            "line 5: invalid type: string \"small\", expected f64",
        ),
        (
            two("[simulation]\nstep = -0.1"),
            "line 5: `step` must be positive, and is -0.1",
        ),
        (
            two("[simulation]\nstart = 2.0\nstop = 1.0"),
            "line 6: the simulation stops at 1, and starts at 2",
        ),
        (
            two("[simulation]\nalgorithm = 'gauss'"),
            "line 5: no algorithm is called 'gauss'; there are jacobi, gauss-seidel, iterated-gauss-seidel, newton, stabilized, aggregate",
        ),
        (
            two("[simulation]\ncorrection = 'red'"),
            "line 5: no correction is called 'red'; there are none, linear, consistent",
        ),
        (
            two("[simulation]\nrule = 'of thumb'"),
            "line 5: no rule is called 'of thumb'; there are trapezoidal, backward-euler",
        ),
        (
            two("[simulation]\nextrapolation = 3"),
            "line 5: extrapolation is of order 0, 1 or 2, not 3",
        ),
        (
            two("[control]\ntolerance = 0.0"),
            "line 5: `tolerance` must be positive, and is 0",
        ),
        (
            two("[control]\ntolerance = 1e-3\nminimum = 2.0"),
            "line 6: the smallest step, 2, is above the largest, 1",
        ),
        (
            two("[components.a]\nfmu = 'other.fmu'"),
            "line 4: `a` is there twice",
        ),
        (
            "[components.\"a.b\"]\nfmu = 'relay.fmu'".to_owned(),
            "line 1: 'a.b' is not a name for a component: it has a dot",
        ),
        (
            "[components.a]\nset = { gain = 1 }".to_owned(),
            "line 1: missing field `fmu`",
        ),
        (
            "[components]\n".to_owned(),
            "line 1: the system has no components; add `[components.NAME]` with `fmu = \"FILE.fmu\"`",
        ),
        (
            String::new(),
            "line 1: the system has no components; add `[components.NAME]` with `fmu = \"FILE.fmu\"`",
        ),
        (
            two("[simulation]\nstep = "),
            "line 5: the value of `step` is missing",
        ),
        (
            two("[simulation]\nstep =# a comment\nstop = 1.0"),
            "line 5: the value of `step` is missing",
        ),
        (
            two("[simulation]\nstep ="),
            "line 5: the value of `step` is missing",
        ),
        (
            "\n[components.a]\nfmu = 'nowhere.fmu'".to_owned(),
            "line 3, component a: cannot read nowhere.fmu: No such file or directory (os error 2)",
        ),
        (
            "[components.a]\nfmu = 'broken.fmu'".to_owned(),
            "line 2, component a: broken.fmu: it is not a zip archive, or its end is missing",
        ),
        (
            "[components.a]\nfmu = 'me.fmu'\ninterface = 'co-simulation'".to_owned(),
            "line 2, component a: Relay has no Co-Simulation interface, it is for Model Exchange",
        ),
        (
            "[components.a]\nfmu = 'relay.fmu'\n[components.a.set]\ngian = 2.0".to_owned(),
            "line 4: a (Relay) has no variable 'gian'; did you mean 'gain'?",
        ),
        (
            "[components.a]\nfmu = 'relay.fmu'\n[components.a.set]\ngain = 'much'".to_owned(),
            "line 4: a.gain is a Real, and 'much' is none",
        ),
        (
            "[components.a]\nfmu = 'relay.fmu'\n[components.a.set]\ncount_in = 1.5".to_owned(),
            "line 4: a.count_in is an Integer, and '1.5' is none",
        ),
        (
            "[components.a]\nfmu = 'relay.fmu'\n[components.a.set]\nmode_in = 'lazy'".to_owned(),
            "line 4: a.mode_in is one of idle, busy, and not 'lazy'",
        ),
        (
            "[components.a]\nfmu = 'relay.fmu'\n[components.a.set]\ny = 1.0".to_owned(),
            "line 4: a.y cannot be set: it is an output, which the FMU computes",
        ),
        (
            "[components.a]\nfmu = 'relay.fmu'\n[components.a.set]\nversion = 1.0".to_owned(),
            "line 4: a.version cannot be set: it is a constant",
        ),
        (
            two("[[loops]]\nof = ['a', 'b']\nalgorithm = 'newton'"),
            "line 5: [a, b] is not a loop of components; there is none",
        ),
        (
            two("[[loops]]\nof = ['a', 'q']\nalgorithm = 'newton'"),
            "line 5: no component is called 'q'; did you mean 'a'?",
        ),
        (
            two("[[loops]]\nof = ['a', 'b']\nalgorithm = 'magic'"),
            "line 6: no algorithm is called 'magic'; there are jacobi, gauss-seidel, iterated-gauss-seidel, newton, stabilized, aggregate",
        ),
        (
            two("[[loops]]\nof = ['a', 'b']\nalgorithm = 'aggregate'"),
            "line 6: a loop steps by itself; aggregate is an algorithm for a whole system",
        ),
        (
            format!("record = [\n'a.*',\n'c.*',\n]\n{TWO}"),
            "line 3: nothing to record matches `c.*`",
        ),
        ("[components".to_owned(), "line 1: unclosed table, expected `]`"),
    ] {
        assert_eq!(folder.refusal(&text), sentence, "{text}");
    }
}

#[test]
fn units_are_converted_or_refused() {
    let folder = Folder::new();
    for (from, to, expected) in [
        ("m", "mm", Ok(2000.0)),
        ("mm", "m", Ok(0.002)),
        ("degC", "K", Ok(275.15)),
        ("K", "degC", Ok(2.0 - 273.15)),
        ("", "kg", Ok(2.0)),
        ("spoon", "spoon", Ok(2.0)),
        ("m", "kg", Err("m (m) and kg (kg) measure different things")),
        (
            "spoon",
            "cup",
            Err("no unit definition describes spoon in base units"),
        ),
    ] {
        folder.write("from.fmu", &relay::relay("", from));
        folder.write("to.fmu", &relay::relay(to, ""));
        let text = "[components]\na.fmu = 'from.fmu'\nb.fmu = 'to.fmu'\n\
                    [[connections]]\nfrom = 'a.y'\nto = 'b.u'\n[[inputs]]\nto = 'a.u'\nvalue = 2";
        match (folder.system(text), expected) {
            (Ok(mut assembled), Ok(expected)) => {
                let reached = last(&run(&mut assembled), "b.y");
                assert!(
                    (reached - expected).abs() < 1e-12 * expected.abs(),
                    "{from} {to}: {reached}"
                );
            }
            (Err(error), Err(problem)) => {
                let sentence = format!(
                    "line 5: a.y -> b.u: {problem}; `convert = false` takes the numbers as they are \
                     (`suppressUnitConversion` in an SSP)"
                );
                assert_eq!(folder.plain(&error.to_string()), sentence);
                let plain = text.replace("to = 'b.u'\n", "to = 'b.u'\nconvert = false\n");
                let mut assembled = folder.system(&plain).expect("numbers as they are");
                assert_eq!(last(&run(&mut assembled), "b.y"), 2.0);
            }
            (found, _) => panic!("{from} {to}: {:?}", found.err()),
        }
    }
}

#[test]
fn factors_apply_to_converted_values() {
    let folder = Folder::new();
    folder.write("from.fmu", &relay::relay("", "degC"));
    folder.write("to.fmu", &relay::relay("K", ""));
    let mut assembled = folder
        .system(
            "[components]\na.fmu = 'from.fmu'\nb.fmu = 'to.fmu'\n[[connections]]\nfrom = 'a.y'\nto = 'b.u'\ngain = 2.0\n\
             offset = -1.0\n[[inputs]]\nto = 'a.u'\nvalue = 10",
        )
        .expect("it fits");
    assert_eq!(last(&run(&mut assembled), "b.y"), 2.0 * (10.0 + 273.15) - 1.0);
}

#[test]
fn values_inputs_and_arrays_arrive() {
    let folder = Folder::new();
    folder.write("in.csv", b"time,drive,b.rate\n0,1,0\n2,5,0\n");
    let mut assembled = folder
        .system(
            "record = ['a.*', 'b.u', 'b.v*']\n\
             [simulation]\nstop = 1.0\nstep = 0.25\nalgorithm = 'gauss-seidel'\n\
             [components.a]\nfmu = 'relay.fmu'\nset = { gain = 3, x = [0.5], mode_in = 'busy', text_in = 'hello', on_in = true }\n\
             [components.b]\nfmu = 'relay.fmu'\n\
             [[connections]]\nfrom = 'a.x[*]'\nto = 'b.v[*]'\n\
             [[inputs]]\nto = 'a.u'\nfile = 'in.csv'\ncolumn = 'drive'\n\
             [[inputs]]\nto = 'b.u'\npoints = [[0, 0], [0.5, 0], [0.5, 7]]\n",
        )
        .expect("it fits");
    let results = run(&mut assembled);
    assert_eq!(results.times(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(results.numbers("a.u").unwrap(), [1.0, 1.5, 2.0, 2.5, 3.0]);
    // Inputs are held over a step, and outputs are those at its end.
    assert_eq!(results.numbers("a.y").unwrap(), [3.0, 3.0, 4.5, 6.0, 7.5]);
    assert_eq!(results.numbers("b.u").unwrap(), [0.0, 0.0, 7.0, 7.0, 7.0]);
    assert_eq!(results.numbers("a.x[1]").unwrap()[0], 0.5);
    assert_eq!(results.numbers("b.v[1]"), results.numbers("a.x[1]"));
    assert_eq!(last(&results, "a.mode_out"), 2.0);
    assert_eq!(last(&results, "a.on_out"), 0.0);
    assert_eq!(results.texts("a.text_out").unwrap()[0], "<hello>");
    assert!(results.numbers("b.y").is_none(), "it was not asked for");
}

#[test]
fn everything_but_numbers_can_be_connected_too() {
    let folder = Folder::new();
    let mut assembled = folder
        .system(
            "[simulation]\nstop = 1.0\nstep = 0.1\nalgorithm = 'gauss-seidel'\n\
             [components.a]\nfmu = 'relay.fmu'\nset = { count_in = 5, text_in = 'x', mode_in = 2 }\n\
             [components.b]\nfmu = 'relay.fmu'\n\
             [[connections]]\nfrom = 'a.count_out'\nto = 'b.count_in'\n\
             [[connections]]\nfrom = 'a.on_out'\nto = 'b.on_in'\n\
             [[connections]]\nfrom = 'a.text_out'\nto = 'b.text_in'\n\
             [[connections]]\nfrom = 'a.mode_out'\nto = 'b.mode_in'\n",
        )
        .expect("it fits");
    let results = run(&mut assembled);
    assert_eq!(last(&results, "b.count_out"), 7.0);
    assert_eq!(last(&results, "b.on_out"), 0.0);
    assert_eq!(last(&results, "b.mode_out"), 2.0);
    assert_eq!(results.texts("b.text_out").unwrap().last().unwrap(), "<<x>>");
}

#[test]
fn a_loop_may_have_an_algorithm_of_its_own() {
    let folder = Folder::new();
    // Each follows the other one at rate 1: the difference of the two decays at rate 2.
    let text = |algorithm: &str| {
        format!(
            "[simulation]\nstop = 1.0\nstep = 0.05\nalgorithm = 'jacobi'\n\
             [components.a]\nfmu = 'relay.fmu'\nset = {{ \"x[1]\" = 1 }}\n[components.b]\nfmu = 'relay.fmu'\n\
             [[connections]]\nfrom = 'a.x[1]'\nto = 'b.u'\n[[connections]]\nfrom = 'b.x[1]'\nto = 'a.u'\n{algorithm}"
        )
    };
    let newton = "[[loops]]\nof = ['b', 'a']\nalgorithm = 'newton'\n";
    let error = |text: &str| {
        let mut assembled = folder.system(text).expect("it fits");
        let results = run(&mut assembled);
        let found = last(&results, "a.x[1]") - last(&results, "b.x[1]");
        (
            (found - (-2f64).exp()).abs(),
            assembled.master.statistics().iterations,
        )
    };
    let (plain, own) = (error(&text("")), error(&text(newton)));
    assert_eq!(plain.1, 0);
    assert!(own.1 >= 20, "each of the 20 steps is iterated");
    assert!(plain.0 < 0.05 && own.0 < 0.05, "{plain:?} {own:?}");
}

#[test]
fn fmus_are_found_beside_the_file_or_in_a_folder() {
    let folder = Folder::new();
    folder.write("elsewhere/other.fmu", &relay::relay("", ""));
    let path = folder.write(
        "systems/a.toml",
        b"[components]\na.fmu = '../relay.fmu'\nb.fmu = 'other.fmu'\n",
    );
    let system = fmu_master::System::open(&path).expect("it is read");
    assert_eq!(system.name, "a");
    assert!(system.assemble().is_err(), "other.fmu is not there");
    let options = fmu_master::system::AssembleOptions::default().fmus(Some(folder.path("elsewhere")));
    assert!(system.assemble_with(&options).is_ok());
}
