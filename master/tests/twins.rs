//! Linear models of foreign FMUs for Co-Simulation, asked of a second instance: what advice and warnings say of them.

use test_support::fmus;
use test_support::relay;

use fmu_master::advise::Advice;
use fmu_master::system::Assembled;
use fmus::{DESCRIPTION, Recipe};
use relay::{Folder, run};

/// The oscillator under changes of its description: x' = v, v' = -k x - d v + u.
fn write(folder: &Folder, name: &str, edit: impl Fn(&str) -> String) {
    let recipe = Recipe {
        description: edit(DESCRIPTION),
        ..Recipe::default()
    };
    folder.write(name, &std::fs::read(&recipe.build().path).unwrap());
}

/// The same for Co-Simulation alone and with `w` as a constant output, which may not be asked for its derivatives. Every call
/// of `fmi2GetDirectionalDerivative` with the unknown of value reference `refused` fails.
fn write_constant(folder: &Folder, name: &str, refused: u32, edit: impl Fn(&str) -> String) {
    let declared = "causality=\"calculatedParameter\" variability=\"fixed\"\n      initial=\"calculated\">\n      <Real/>";
    let constant =
        "causality=\"output\" variability=\"constant\" initial=\"exact\">\n      <Real start=\"2\"/>";
    assert!(DESCRIPTION.contains(declared));
    let description = without(DESCRIPTION, "ModelExchange")
        .replace(declared, constant)
        .replace("      <Unknown index=\"14\" dependencies=\"3\"/>\n", "")
        .replace("    </Outputs>", "      <Unknown index=\"14\"/>\n    </Outputs>");
    let recipe = Recipe {
        description: edit(&description),
        flags: vec![format!("-DFAULT_REFUSED_UNKNOWN={refused}")],
        ..Recipe::default()
    };
    folder.write(name, &std::fs::read(&recipe.build().path).unwrap());
}

/// Without an interface, of which `text` has both.
fn without(text: &str, interface: &str) -> String {
    let start = text.find(&format!("  <{interface} ")).unwrap();
    let end = start + text[start..].find("/>").unwrap() + 2;
    format!("{}{}", &text[..start], &text[end..])
}

fn pair(folder: &Folder, fmu: &str, simulation: &str) -> Assembled {
    let text = format!(
        "record = ['*.x']\n[simulation]\n{simulation}\n\
         [components.a]\nfmu = '{fmu}'\nset = {{ x = 1.0, d = 0.0, k = 16.0 }}\n\
         [components.b]\nfmu = '{fmu}'\nset = {{ x = -0.5, d = 0.0, k = 16.0 }}\n\
         [[connections]]\nfrom = 'a.x'\nto = 'b.u'\nconvert = false\ngain = 9.0\n\
         [[connections]]\nfrom = 'b.x'\nto = 'a.u'\nconvert = false\ngain = 9.0\n"
    );
    folder.system(&text).unwrap()
}

fn advice(folder: &Folder, fmu: &str) -> Advice {
    let mut system = pair(folder, fmu, "stop = 2.0\nstep = 0.1");
    let start = system.start.clone();
    system.master.initialize(&start).unwrap();
    system.master.advise().unwrap()
}

#[test]
fn time_scales_come_from_every_fmu_that_can_be_asked() {
    let folder = Folder::new();
    let plain = |text: &str| text.replace("providesDirectionalDerivative=\"true\"", "");
    write(&folder, "both.fmu", str::to_owned);
    write(&folder, "both_plain.fmu", plain);
    write(&folder, "cs.fmu", |text| without(text, "ModelExchange"));
    write(&folder, "me_plain.fmu", |text| {
        without(&plain(text), "CoSimulation")
    });
    // With the parameters of the run: the difference of both swings with the root of 16 + 9.
    for fmu in ["both.fmu", "both_plain.fmu", "cs.fmu", "me_plain.fmu"] {
        let advice = advice(&folder, fmu);
        assert!((advice.fastest.unwrap() - 5.0).abs() < 1e-4, "{fmu}: {advice:?}");
        assert_eq!(advice.states, Some(4), "{fmu}");
    }
    // With snapshots alone, steps are tried.
    write(&folder, "snapshots.fmu", |text| {
        plain(&without(text, "ModelExchange"))
    });
    let tried = advice(&folder, "snapshots.fmu");
    assert_eq!(tried.fastest, None);
    let step = tried.tried.unwrap();
    // x = cos 5t, with a force that is held at the value of the start: the error is 9 5^2 h^4 / 24 at first, twice that by
    // the estimate.
    assert!((1e-3..0.1).contains(&step), "{step}");
    assert!(
        tried.to_string().contains("tried at the start, a step of"),
        "{tried}"
    );
    assert_eq!(tried.proposal().step, Some(step));
    // With nothing: duration and step of the file.
    write(&folder, "nothing.fmu", |text| {
        plain(&without(text, "ModelExchange")).replace("canGetAndSetFMUstate=\"true\"", "")
    });
    let nothing = advice(&folder, "nothing.fmu");
    assert_eq!((nothing.fastest, nothing.tried), (None, None));
    assert!(
        nothing
            .to_string()
            .contains("the run takes 2 s in steps of 0.1 s"),
        "{nothing}"
    );
    assert_eq!(nothing.proposal().step, Some(0.02));
}

#[test]
fn plain_runs_of_foreign_fmus_with_derivatives_are_judged_before_they_begin() {
    let folder = Folder::new();
    write(&folder, "cs.fmu", |text| {
        without(text, "ModelExchange").replace("canGetAndSetFMUstate=\"true\"", "")
    });
    let warnings = |step: &str| {
        let mut system = pair(&folder, "cs.fmu", &format!("stop = 2.0\n{step}"));
        run(&mut system);
        (system.master.warnings().to_vec(), system.notes.clone())
    };
    let (coarse, notes) = warnings("step = 0.1");
    assert!(
        notes.iter().all(|note| !note.contains("not verified")),
        "{notes:?}"
    );
    assert!(
        coarse
            .iter()
            .any(|warning| warning.contains("an oscillation of the coupled system (eigenvalue")),
        "{coarse:?}"
    );
    let (fine, notes) = warnings("step = 0.001");
    assert!(fine.is_empty() && notes.is_empty(), "{fine:?} {notes:?}");
}

#[test]
fn one_that_allows_a_single_instance_is_not_asked() {
    let folder = Folder::new();
    write(&folder, "once.fmu", |text| {
        without(text, "ModelExchange").replace(
            "canGetAndSetFMUstate=\"true\"",
            "canBeInstantiatedOnlyOncePerProcess=\"true\"",
        )
    });
    write(&folder, "cs.fmu", |text| {
        without(text, "ModelExchange").replace("canGetAndSetFMUstate=\"true\"", "")
    });
    let text = "[simulation]\nstop = 1.0\nstep = 0.1\n\
         [components.a]\nfmu = 'once.fmu'\n[components.b]\nfmu = 'cs.fmu'\n\
         [[connections]]\nfrom = 'a.x'\nto = 'b.u'\nconvert = false\n";
    let mut system = folder.system(text).unwrap();
    run(&mut system);
    assert!(
        system
            .notes
            .iter()
            .any(|note| note.starts_with("accuracy not verified")),
        "{:?}",
        system.notes
    );
}

#[test]
fn a_constant_output_is_not_asked_for_its_derivatives() {
    let folder = Folder::new();
    write_constant(&folder, "constant.fmu", 9, str::to_owned);
    let advice = advice(&folder, "constant.fmu");
    assert!((advice.fastest.unwrap() - 5.0).abs() < 1e-4, "{advice:?}");
    for algorithm in ["jacobi", "gauss-seidel", "iterated-gauss-seidel", "newton"] {
        for extrapolation in 0..3 {
            let simulation = format!(
                "stop = 2.0\nstep = 0.01\nalgorithm = '{algorithm}'\nextrapolation = {extrapolation}"
            );
            let mut system = pair(&folder, "constant.fmu", &simulation);
            run(&mut system);
            let verified = system.notes.iter().all(|note| !note.contains("not verified"));
            assert!(verified, "{algorithm}: {:?}", system.notes);
        }
    }
}

/// y of the oscillator feeds through: the loop of both has to be solved without the derivatives that they declare.
#[test]
fn feed_through_that_fails_is_replaced_by_differences() {
    let folder = Folder::new();
    write_constant(&folder, "refuses.fmu", 5, |text| {
        text.replace(
            "name=\"by hand\"><note>kept</note>",
            "name=\"by hand\"><CoSimulation outputsFollowInputsWithoutStep=\"true\"/>",
        )
    });
    write_constant(&folder, "provides.fmu", 9, |text| {
        text.replace(
            "name=\"by hand\"><note>kept</note>",
            "name=\"by hand\"><CoSimulation outputsFollowInputsWithoutStep=\"true\"/>",
        )
    });
    let last = |fmu: &str, algorithm: &str| {
        let text = format!(
            "record = ['*.y']\n[simulation]\nstop = 1.0\nstep = 0.01\nalgorithm = '{algorithm}'\n\
             [components.a]\nfmu = '{fmu}'\nset = {{ x = 1.0, v = 1.0 }}\n[components.b]\nfmu = '{fmu}'\n\
             [[connections]]\nfrom = 'a.y'\nto = 'b.u'\nconvert = false\ngain = 0.1\n\
             [[connections]]\nfrom = 'b.y'\nto = 'a.u'\nconvert = false\ngain = 0.1\n"
        );
        let mut system = folder.system(&text).unwrap();
        run(&mut system);
        (system.master.outputs().to_vec(), system.notes.clone())
    };
    for algorithm in ["jacobi", "gauss-seidel", "iterated-gauss-seidel", "newton"] {
        let ((exact, _), (tried, notes)) = (last("provides.fmu", algorithm), last("refuses.fmu", algorithm));
        for (exact, tried) in exact.iter().zip(&tried) {
            assert!((exact - tried).abs() < 1e-5, "{algorithm}: {exact} {tried}");
        }
        let said = notes
            .iter()
            .filter(|note| note.contains("fails to provide its feed-through"));
        assert_eq!(said.count(), 1, "{algorithm}: {notes:?}");
    }
}
