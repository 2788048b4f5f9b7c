//! A result never overwrites what a command reads: the FMU, tables of inputs, the system file.

#![cfg(unix)]

use test_support::fmus;

use std::fs;
use std::process::Command;

use fmus::oscillator;

#[test]
fn no_result_overwrites_what_is_read() {
    let test = oscillator();
    let folder = test.folder.path();
    fs::write(folder.join("in.csv"), "time,u\n0,0\n1,1\n").unwrap();
    fs::write(folder.join("A.mtx"), "time,u\n0,0\n1,1\n").unwrap();
    let system = "[simulation]\nstop = 0.1\nstep = 0.1\n[components.one]\nfmu = \"oscillator.fmu\"\n\
                  [[inputs]]\nfile = \"points.csv\"\n";
    fs::write(folder.join("one.toml"), system).unwrap();
    fs::write(folder.join("points.csv"), "time,one.u\n0,0\n1,1\n").unwrap();
    let mut archive = zip::ZipArchive::new(fs::File::open(&test.path).unwrap()).unwrap();
    archive.extract(folder.join("open")).unwrap();
    std::os::unix::fs::symlink("oscillator.fmu", folder.join("link.csv")).unwrap();
    fs::hard_link(&test.path, folder.join("hard.csv")).unwrap();
    let simulate = "simulate oscillator.fmu --stop 0.1";
    let cases = [
        format!("{simulate} --output oscillator.fmu"),
        format!("{simulate} --output ./oscillator.fmu"),
        format!("{simulate} --output link.csv"),
        format!("{simulate} --output hard.csv"),
        format!("{simulate} --plot oscillator.fmu"),
        format!("{simulate} --trace oscillator.fmu"),
        format!("{simulate} --input in.csv --output in.csv"),
        "simulate open --stop 0.1 --output open/modelDescription.xml".into(),
        "simulate link.csv --stop 0.1 --output oscillator.fmu".into(),
        "linearize oscillator.fmu --output oscillator.fmu".into(),
        "linearize oscillator.fmu --input in.csv --output in.csv".into(),
        "linearize oscillator.fmu --input A.mtx --format matrix-market".into(),
        "couple one.toml --output oscillator.fmu".into(),
        "couple one.toml --graph link.csv".into(),
        "couple one.toml --stats one.toml".into(),
        "couple one.toml --trace points.csv".into(),
        "couple one.toml --input points.csv --plot points.csv".into(),
    ];
    let contents = || {
        let names = [
            "oscillator.fmu",
            "in.csv",
            "A.mtx",
            "one.toml",
            "points.csv",
            "open/modelDescription.xml",
        ];
        names.map(|name| fs::read(folder.join(name)).unwrap())
    };
    let before = contents();
    for case in &cases {
        let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(case.split(' '))
            .current_dir(folder)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{case}: {error}");
        assert!(error.contains("would overwrite"), "{case}: {error}");
        assert!(contents() == before, "{case} has overwritten a file");
    }
    // A folder that an FMU was unpacked to may hold results beside it.
    for _ in 0..2 {
        let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(["simulate", "open", "--stop", "0.1", "--output", "open/out.csv"])
            .current_dir(folder)
            .status();
        assert!(output.unwrap().success());
    }
}
