//! The sensor with its own calibration sheet, and with sheets that are wrong.

use resource::Resource;
use std::path::{Path, PathBuf};

fn resources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("resources")
}

#[test]
fn the_sheet_becomes_the_curve() {
    let mut sensor = Resource::default();
    sensor.instantiate(&resources()).expect("the sheet is there");
    for voltage in [0.0, 0.5, 2.0, -1.0] {
        sensor.voltage = voltage;
        let outputs = sensor.outputs(0.0);
        assert_eq!(
            outputs.pressure,
            -0.125 + 2.5 * voltage + 0.0625 * voltage * voltage
        );
        assert_eq!((outputs.title.as_str(), outputs.count), ("Pressure sensor 7", 3));
    }
}

#[test]
fn a_missing_sheet_is_named() {
    let error = Resource::default()
        .instantiate(Path::new("/nowhere"))
        .unwrap_err();
    assert!(
        error
            .message()
            .starts_with("cannot read /nowhere/calibration.txt: "),
        "{error}"
    );
}

#[test]
fn a_word_among_the_numbers_is_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-sheet");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("calibration.txt"), "Sensor\n1.5\ntwo\n").expect("a file");
    let error = Resource::default().instantiate(&folder).unwrap_err();
    assert!(
        error
            .message()
            .ends_with("calibration.txt: `two` is not a number"),
        "{error}"
    );
}
