//! Snapshots belong to a build: bytes of another build of the same model are refused, and never misread.

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};

use common::{TestWorkspace, fmu_in, read_entry, stderr};
use fmu_importer::{Experiment, Fmu, SerializedSnapshot};

/// A counter whose internal fields, solver and helper crate can be changed without changing its interface.
struct Counter {
    workspace: TestWorkspace,
}

const FIELDS: &str = "    #[internal]\n    seen: f64,\n    #[internal]\n    limit: f64,\n";
const SWAPPED: &str = "    #[internal]\n    limit: f64,\n    #[internal]\n    seen: f64,\n";

impl Counter {
    fn new() -> Counter {
        let workspace = TestWorkspace::new();
        let helper = "[dependencies.helper]\npath = '../../helper'";
        workspace.add_with_runtime("counter", "", helper, "");
        workspace.write(
            "helper/Cargo.toml",
            "[package]\nname = 'helper'\nversion = '0.1.0'\nedition = '2024'\n[workspace]\n",
        );
        workspace.write(
            "Cargo.toml",
            "[workspace]\nresolver = '2'\nmembers = ['models/*']\nexclude = ['helper']\n",
        );
        Counter { workspace }
    }

    /// Builds the FMU into a folder of its own, as `--debug`, which is the quickest.
    fn build(&self, name: &str, fields: &str, solver: &str, limit: &str) -> PathBuf {
        self.workspace
            .write("helper/src/lib.rs", &format!("pub const LIMIT: f64 = {limit};\n"));
        self.workspace.write(
            "models/counter/src/lib.rs",
            &format!(
                "//! Counts.\nuse fmu_runtime::prelude::*;\n/// Counts.\n#[model(solver = \"{solver}\")]\n\
                 pub struct Counter {{\n    /// Level\n    #[state(start = 1.0, output)]\n    level: f64,\n{fields}\
                 /// The limit\n    #[discrete(start = 0.0, output)]\n    limit_seen: f64,\n}}\n\
                 #[equations]\nimpl Model for Counter {{\n    fn derivatives(&self, _t: f64) -> Derivatives<Self> {{\n\
                 Derivatives::<Self> {{ level: 0.0 * self.level }}\n    }}\n    fn event(&mut self, at: Event) {{\n\
                 self.seen = 3.0 + at.time;\n        self.limit = helper::LIMIT;\n        self.limit_seen = self.limit;\n\
                 }}\n}}\nexport_fmu!(Counter);\n"
            ),
        );
        let output = self
            .workspace
            .package_in("several-models", &["counter", "--debug", "--out", name]);
        assert!(output.status.success(), "{}", stderr(&output));
        self.workspace.root().join(name).join("Counter.fmu")
    }
}

/// The mark in the vendor annotation, and the GUID.
fn identity(fmu: &Path) -> (String, String) {
    let xml = String::from_utf8(read_entry(fmu, "modelDescription.xml")).unwrap();
    let after = |text: &str| {
        let rest = xml
            .split(text)
            .nth(1)
            .unwrap_or_else(|| panic!("{text} is not in {xml}"));
        rest.split('"').next().unwrap().to_owned()
    };
    (after("<Build mark=\""), after("guid=\""))
}

fn snapshot(fmu: &Path) -> SerializedSnapshot {
    let fmu = Fmu::open(fmu).unwrap();
    let mut instance = fmu.co_simulation("one").unwrap();
    instance.setup_experiment(&Experiment::default()).unwrap();
    instance.enter_initialization_mode().unwrap();
    instance.exit_initialization_mode().unwrap();
    let snapshot = instance.snapshot().unwrap();
    instance.serialize(&snapshot).unwrap()
}

/// What another FMU says to the bytes.
fn offer(fmu: &Path, bytes: &SerializedSnapshot) -> Result<(), String> {
    let fmu = Fmu::open(fmu).unwrap();
    let mut instance = fmu.co_simulation("one").unwrap();
    instance
        .deserialize(bytes)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// No function of C whose results depend on the locale of the host is in reach of the library.
#[cfg(target_os = "linux")]
fn assert_no_locale(fmu: &Path) {
    use object::Object;
    let names = common::entries(fmu);
    let library = names.iter().find(|name| name.ends_with(".so")).unwrap();
    let bytes = read_entry(fmu, library);
    let file = object::File::parse(&*bytes).unwrap();
    let imports: Vec<String> = file
        .imports()
        .unwrap()
        .map(|import| match import.unwrap().name() {
            object::NameOrOrdinal::Name(name) => String::from_utf8_lossy(name).into_owned(),
            object::NameOrOrdinal::Ordinal(number) => number.to_string(),
        })
        .collect();
    assert!(imports.iter().any(|name| name == "memcpy"), "{imports:?}");
    let families = [
        "printf", "scanf", "strto", "ato", "wcsto", "locale", "strfmon", "cvt",
    ];
    let found: Vec<&String> = imports
        .iter()
        .filter(|name| families.iter().any(|family| name.contains(family)) && !name.contains("atom"))
        .collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn bytes_of_another_build_are_refused_with_both_marks() {
    let counter = Counter::new();
    let original = counter.build("original", FIELDS, "dormand-prince", "10.0");
    let (mark, guid) = identity(&original);
    let bytes = snapshot(&original);
    assert_eq!(offer(&original, &bytes), Ok(()));
    #[cfg(target_os = "linux")]
    assert_no_locale(&original);

    // The same sources again, with another text for people: the same mark.
    counter.workspace.write("models/counter/README.md", "Read me.");
    let again = counter.build("again", FIELDS, "dormand-prince", "10.0");
    assert_eq!(identity(&again), (mark.clone(), guid.clone()));
    assert_eq!(offer(&again, &bytes), Ok(()));

    let others = [
        (
            "swapped",
            counter.build("swapped", SWAPPED, "dormand-prince", "10.0"),
        ),
        ("solver", counter.build("solver", FIELDS, "rk4", "10.0")),
        (
            "helper",
            counter.build("helper2", FIELDS, "dormand-prince", "11.0"),
        ),
    ];
    for (what, other) in &others {
        let (own, same) = identity(other);
        assert_eq!(same, guid, "{what}: the interface is the same");
        assert_ne!(own, mark, "{what}");
        let refusal = offer(other, &bytes).unwrap_err();
        assert!(
            refusal.contains(&mark) && refusal.contains(&own),
            "{what}: {refusal}"
        );
    }
    assert_mixed_builds_are_found(&counter, &original, &others[0].1);
}

/// The description of one build with the library of another one: the same interface, and so the same GUID.
fn assert_mixed_builds_are_found(counter: &Counter, described: &Path, built: &Path) {
    let mixed = counter.workspace.root().join("Mixed.fmu");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&mixed).unwrap());
    for name in common::entries(described) {
        let from = if name.starts_with("binaries/") {
            built
        } else {
            described
        };
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(&*name, options).unwrap();
        archive.write_all(&read_entry(from, &name)).unwrap();
    }
    archive.finish().unwrap();
    let check = |fmu: &Path| {
        let path = fmu.to_str().unwrap();
        let output = fmu_in(
            &counter.workspace.root(),
            &["check", "--run", "--strict", path],
            &[],
        );
        common::stdout(&output) + &stderr(&output)
    };
    let (good, bad) = (check(described), check(&mixed));
    assert!(!good.contains("R17b"), "{good}");
    assert!(
        bad.contains("R17b") && bad.contains(&identity(described).0),
        "{bad}"
    );
}
