//! SSP archives of other tools through the command: variants, units, a folder of FMUs.

use test_support::relay;
use test_support::ssp;

use std::process::Command;

use relay::{Folder, relay as fmu};
use ssp::{component, connections, elements, inline, parameters, system, wire};
use test_support::zip::{Entry, archive};

/// Exit code, standard output and standard error of `fmu couple plant.ssp`.
fn couple(folder: &Folder, options: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(["couple", "plant.ssp", "--stop", "0.1", "--step", "0.1"])
        .args(options)
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The last value of a column.
fn last(table: &str, column: &str) -> f64 {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = names.iter().position(|name| *name == column).unwrap();
    lines
        .next_back()
        .unwrap()
        .split(',')
        .nth(at)
        .unwrap()
        .parse()
        .unwrap()
}

/// A description in which `a` has a gain and an input of 3, in a unit.
fn description(gain: f64, unit: &str) -> String {
    let given = format!(
        "<ssv:Parameter name=\"gain\"><ssv:Real value=\"{gain}\"/></ssv:Parameter>\
         <ssv:Parameter name=\"u\"><ssv:Real value=\"3\" unit=\"{unit}\"/></ssv:Parameter>"
    );
    system(
        &(elements(&(component("a", &parameters(&inline(&given))) + &component("b", "")))
            + &connections(&wire("a.y", "b.u", ""))),
    )
}

/// Writes an archive with these descriptions; the FMU has inputs and outputs in metres.
fn write(folder: &Folder, descriptions: &[(&str, String)], with_fmu: bool) {
    let relay = fmu("m", "m");
    let mut entries: Vec<Entry> = descriptions
        .iter()
        .map(|(name, text)| Entry::new(name, text.as_bytes()))
        .collect();
    if with_fmu {
        entries.push(Entry::new("resources/relay.fmu", &relay));
    }
    folder.write("plant.ssp", &archive(&entries));
}

#[test]
fn a_variant_is_chosen_by_its_file_and_unknown_ones_are_listed() {
    let folder = Folder::new();
    let descriptions = [
        ("SystemStructure.ssd", description(2.0, "m")),
        ("strong.ssd", description(10.0, "m")),
    ];
    write(&folder, &descriptions, true);
    let (code, table, said) = couple(&folder, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(last(&table, "a.y"), 6.0);
    for variant in ["strong", "strong.ssd"] {
        let (code, table, said) = couple(&folder, &["--variant", variant]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(last(&table, "a.y"), 30.0);
    }
    let (code, _, said) = couple(&folder, &["--variant", "weak"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("strong"), "{said}");
}

#[test]
fn a_unit_that_does_not_fit_is_a_warning_or_with_strict_units_an_error() {
    let folder = Folder::new();
    write(&folder, &[("SystemStructure.ssd", description(2.0, "kg"))], true);
    let (code, table, said) = couple(&folder, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(last(&table, "a.y"), 6.0);
    assert!(said.contains("warning:") && said.contains("a.u: kg"), "{said}");
    let (code, table, said) = couple(&folder, &["--strict-units"]);
    assert_eq!((code, table.as_str()), (Some(1), ""), "{said}");
    assert!(
        said.contains("error:") && said.contains("measure different things"),
        "{said}"
    );
    // What fits is converted.
    write(&folder, &[("SystemStructure.ssd", description(2.0, "mm"))], true);
    let (code, table, said) = couple(&folder, &["--strict-units"]);
    assert_eq!(code, Some(0), "{said}");
    assert!((last(&table, "a.y") - 0.006).abs() < 1e-15, "{table}");
}

#[test]
fn fmus_that_an_archive_does_not_carry_are_found_in_a_folder() {
    let folder = Folder::new();
    write(&folder, &[("SystemStructure.ssd", description(2.0, "m"))], false);
    let (code, _, said) = couple(&folder, &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("--fmus"), "{said}");
    folder.write("elsewhere/relay.fmu", &fmu("m", "m"));
    let (code, table, said) = couple(&folder, &["--fmus", "elsewhere"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(last(&table, "b.y"), 6.0, "{table}");
}
