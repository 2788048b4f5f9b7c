//! The driver itself is tested: planted faults of `verification/conformance/mutants.c` and `verification/conformance/step_mutants.c`, each of which
//! one of its tests must find.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore::{Place, Result, Tally, file, run_quiet, side_by_side};
use crate::driver::{COMPILER, Driver};
use crate::test::Session;

/// The fault, and the beginning of the name of the test that must find it.
const MUTANTS: &[(&str, &str)] = &[
    ("any_guid", "2 instantiate: misuse"),
    ("keeps_callbacks", "2 instantiate: arguments copied"),
    ("undeclared_category", "3 logger"),
    ("talks_too_much", "3 logger"),
    ("format_string", "3 logger"),
    ("states_in_event_mode", "4 calling sequence"),
    ("fatal_instead_of_error", "4 calling sequence"),
    ("crashes_on_null", "5 null component"),
    ("unknown_reference_answered", "6 wrong value references"),
    ("partial_write", "6 no partial write"),
    ("refusals_end_the_run", "4 way back"),
    ("inputs_without_start", "4 settable variables"),
    ("steps_past_stop_time", "12 stop time"),
    ("refuses_trials", "12 stop time"),
    ("terminate_clears", "14 terminate"),
    ("reset_forgets_parameter", "14 reset"),
    ("foreign_snapshot", "16 snapshots"),
    ("shared_between_instances", "18 interleaved"),
    ("leaks", "18 memory"),
    ("wrong_nominal", "19 nominal"),
    ("stale_derivatives", "19 caching"),
    ("lies_about_states", "19 events"),
    ("hangs", "19 events"),
];

/// Faults of Co-Simulation and of tolerance: the fault, the FMU that it is planted in, and the beginning of the name of the test that
/// must find it.
const STEP_MUTANTS: &[(&str, &str, &str)] = &[
    ("step_anywhere", "VanDerPol", "4 calling sequence, Co-Simulation"),
    ("accepts_gaps", "VanDerPol", "13 steps"),
    ("steps_of_zero", "VanDerPol", "13 steps"),
    ("no_drift", "VanDerPol", "13 steps"),
    ("beyond_stop_time", "VanDerPol", "13 steps"),
    ("wrong_last_time", "VanDerPol", "13 steps"),
    ("never_terminated", "Stair", "13 steps"),
    ("fails_for_good", "Probe", "13 steps that fail"),
    ("forgets_on_the_way_back", "VanDerPol", "17 snapshots: replay"),
    (
        "serializes_the_first",
        "VanDerPol",
        "17 snapshots: another process",
    ),
    ("takes_damaged_bytes", "VanDerPol", "17 snapshots: damaged bytes"),
    ("no_derivatives", "VanDerPol", "20 directional derivatives"),
    (
        "outputs_wait_for_step",
        "VanDerPol",
        "20 outputs after new inputs",
    ),
    ("other_inputs", "VanDerPol", "23 both interfaces agree"),
    (
        "wrong_output_derivatives",
        "VanDerPol",
        "24 derivatives of outputs",
    ),
    ("no_event_for_waiting", "Feedthrough", "12 values that wait"),
    ("forgets_waiting", "Feedthrough", "12 values that wait"),
    ("never_silent", "VanDerPol", "3 logger: repeated messages"),
    ("any_order", "VanDerPol", "24 derivatives of outputs"),
    ("constant_inputs", "VanDerPol", "24 derivatives of inputs"),
];

/// The facts of `verification/benches/c/van_der_pol.c`, which has no XML.
const FACTS: &str = "\
model\tVanDerPol
guid\t{c-baseline-van-der-pol}
library\tLIBRARY
resources\t/
reads_resources\t0
interface\tModelExchange\t1\t0\t0\t1
category\tlogStatusError
experiment\t0\t20\t0.01
indicators\t0
variable\tx0\t0\tReal\toutput\tcontinuous\texact\t=2\t-\t-\t-\t0
variable\tx1\t1\tReal\toutput\tcontinuous\texact\t=0\t-\t-\t-\t0
variable\tmu\t2\tReal\tparameter\tfixed\texact\t=1\t-\t-\t-\t0
variable\tu\t3\tReal\tinput\tcontinuous\t-\t=0\t-\t-\t-\t0
variable\tder(x0)\t4\tReal\tlocal\tcontinuous\tcalculated\t-\t-\t-\t-\t1
variable\tder(x1)\t5\tReal\tlocal\tcontinuous\tcalculated\t-\t-\t-\t-\t2
variable\ttime\t6\tReal\tindependent\tcontinuous\t-\t-\t-\t-\t-\t0
state\t1\t5
state\t2\t6
";

/// The good FMU passes everything; every fault is found by the test that it is planted for. Faults of Co-Simulation are
/// planted in those of the given FMUs that they need.
pub fn check(session: &Session<'_>, driver: &Driver, headers: &Path) -> Result<Tally> {
    let planted: Vec<PathBuf> = session
        .fmus
        .iter()
        .filter(|fmu| STEP_MUTANTS.iter().any(|(_, model, _)| is_named(fmu, model)))
        .cloned()
        .collect();
    let inputs = session.inputs(&["verification/benches/c"], &planted)?;
    session.passed.once("planted faults", inputs, || {
        driver.prepare(&planted)?;
        run(session.place, driver, headers, &planted)
    })
}

fn is_named(fmu: &Path, model: &str) -> bool {
    fmu.file_stem().is_some_and(|stem| stem == model)
}

fn run(place: &Place, driver: &Driver, headers: &Path, fmus: &[PathBuf]) -> Result<Tally> {
    let work = place.folder("conformance/mutants")?;
    let plain = place.root.join("verification/benches/c/van_der_pol.c");
    let good = try_on(driver, headers, &plain, &work, None, None)?;
    if good.failed > 0 {
        println!("FAILED: the plain C FMU does not pass the driver");
    }
    let mut tally = Tally::one(good.failed == 0 && good.passed > 0);

    let source = place.root.join("verification/conformance/mutants.c");
    let found = side_by_side(MUTANTS, |(name, test)| {
        try_on(driver, headers, &source, &work, Some(name), Some(test))
    });
    for ((name, test), found) in MUTANTS.iter().zip(found) {
        tally = tally + verdict(found?, name, "the plain C FMU", test);
    }
    let step_mutants: Vec<_> = STEP_MUTANTS
        .iter()
        .filter_map(|mutant| Some((mutant, fmus.iter().find(|fmu| is_named(fmu, mutant.1))?)))
        .collect();
    let found = side_by_side(&step_mutants, |((name, _, test), fmu)| {
        try_step_mutant(place, driver, headers, fmu, (name, test))
    });
    for (((name, model, test), _), found) in step_mutants.iter().zip(found) {
        tally = tally + verdict(found?, name, model, test);
    }
    println!("{tally}");
    Ok(tally)
}

fn verdict(found: Tally, fault: &str, model: &str, test: &str) -> Tally {
    if found.failed == 0 {
        println!("FAILED: the fault '{fault}' in {model} is not found by the test '{test}'");
    }
    Tally::one(found.failed > 0)
}

/// Puts a library with the fault before the good one of an FMU, and runs the one test.
fn try_step_mutant(
    place: &Place,
    driver: &Driver,
    headers: &Path,
    fmu: &Path,
    (name, test): (&str, &str),
) -> Result<Tally> {
    let work = place.folder("conformance/mutants")?;
    let model = fmu.file_stem().unwrap_or_default().to_string_lossy();
    let (folder, facts) = driver.unpacked(fmu);
    // By a path without blanks, which the linker writes down for the loader; one per fault, since faults run side by side.
    let good = work.join(format!("{name}-{model}.so"));
    let original = crate::driver::library(&folder, &model);
    std::fs::copy(&original, &good).map_err(file(&original, "cannot be copied"))?;
    let library = work.join(format!("{name}.so"));
    run_quiet(
        "compiling a planted fault",
        Command::new("cc")
            .args(["-std=gnu11", "-O1", "-shared", "-fPIC", "-w"])
            .arg(format!("-DMUTANT={name}"))
            .arg(format!("-DGOOD=\"{}\"", good.display()))
            .arg("-I")
            .arg(headers)
            .arg(place.root.join("verification/conformance/step_mutants.c"))
            .arg("-Wl,--no-as-needed")
            .arg(&good)
            .arg("-o")
            .arg(&library)
            .arg("-ldl"),
        COMPILER,
    )?;
    let text = std::fs::read_to_string(&facts).map_err(file(&facts, "cannot be read"))?;
    let mutated: String = text
        .lines()
        .map(|line| match line.starts_with("library\t") {
            true => format!("library\t{}\n", library.display()),
            false => format!("{line}\n"),
        })
        .collect();
    let facts = work.join(format!("{name}.txt"));
    std::fs::write(&facts, mutated).map_err(file(&facts, "cannot be written"))?;
    driver.run_facts_quietly(&facts, Some(test))
}

fn try_on(
    driver: &Driver,
    headers: &Path,
    source: &Path,
    work: &Path,
    mutant: Option<&str>,
    test: Option<&str>,
) -> Result<Tally> {
    let name = mutant.unwrap_or("good");
    let library = work.join(format!("{name}.so"));
    run_quiet(
        "compiling a planted fault",
        Command::new("cc")
            .args(["-std=gnu11", "-O1", "-shared", "-fPIC", "-w"])
            .args(mutant.map(|mutant| format!("-DMUTANT={mutant}")))
            .arg("-I")
            .arg(headers)
            .arg(source)
            .arg("-o")
            .arg(&library)
            .arg("-lm"),
        COMPILER,
    )?;
    let facts = work.join(format!("{name}.txt"));
    let text = FACTS.replace(
        "LIBRARY",
        &library.to_string_lossy().replace('%', "%25").replace(' ', "%20"),
    );
    std::fs::write(&facts, text).map_err(file(&facts, "cannot be written"))?;
    driver.run_facts_quietly(&facts, test)
}
