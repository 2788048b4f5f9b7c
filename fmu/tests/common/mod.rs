//! A workspace in a temporary folder with small models that need no runtime: their C functions are written out, and they
//! answer a description that the test has made.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fmu::package::Progress;
use fmu_standard::description::{
    Causality, Interface, ModelDescription, ModelExchange, ModelStructure, ModelVariable, RealAttributes,
    Reference, Start, Unknown, Variability, VariableKind,
};

/// A description of a decaying quantity: `x` with `der(x) = -k x`.
pub fn description(model_name: &str) -> ModelDescription {
    let real = |name: &str, reference, causality, variability, start, derivative| ModelVariable {
        name: name.to_owned(),
        value_reference: reference,
        causality,
        variability,
        kind: VariableKind::Real {
            declared_type: None,
            attributes: RealAttributes::default(),
            start: Start::from(start),
            derivative,
            reinit: false,
        },
        ..Default::default()
    };
    let mut model_exchange = ModelExchange::new(Interface::new(model_name));
    model_exchange.completed_integrator_step_not_needed = true;
    model_exchange.interface.can_not_use_memory_management_functions = true;
    let mut description = ModelDescription {
        fmi_version: "2.0".to_owned(),
        model_name: model_name.to_owned(),
        description: Some("Decays & fades".to_owned()),
        model_exchange: Some(model_exchange),
        number_of_event_indicators: Some(0),
        model_variables: vec![
            real(
                "x",
                0,
                Causality::Output,
                Variability::Continuous,
                Some(1.0),
                None,
            ),
            real("k", 1, Causality::Parameter, Variability::Fixed, Some(0.5), None),
            real(
                "der(x)",
                2,
                Causality::Local,
                Variability::Continuous,
                None,
                Some(Reference::to(0)),
            ),
        ],
        model_structure: ModelStructure {
            outputs: vec![Unknown::at(0)],
            derivatives: vec![Unknown::at(2)],
            initial_unknowns: vec![Unknown::at(2)],
            ..ModelStructure::default()
        },
        ..ModelDescription::default()
    };
    description.model_variables[0].initial = Some(fmu_standard::description::Initial::Exact);
    description.guid = fmu_standard::guid(&description);
    description
}

/// The source of a model that hands out `xml`, unless `instead` is a statement that does something else.
pub fn source(xml: &str, instead: &str) -> String {
    let mut source = format!(
        "use std::ffi::{{c_char, c_int, c_void}};\n\
         type Sink = extern \"C\" fn(*mut c_void, c_int, *const c_char, usize);\n\
         const XML: &str = {xml:?};\n\
         fn describe() -> Result<String, String> {{ {instead}\n #[allow(unreachable_code)] Ok(XML.to_owned()) }}\n\
         #[cfg(fmu_export)]\n#[unsafe(no_mangle)]\n\
         pub extern \"C\" fn fmuDescribe(_resources: *const c_char, sink: Sink, context: *mut c_void) -> c_int {{\n\
         let answer = std::panic::catch_unwind(describe).unwrap_or(Err(\"it panicked, and the panic was caught\".into()));\n\
         let (text, status) = match answer {{ Ok(text) => (text, 0), Err(text) => (text, 1) }};\n\
         sink(context, 2 * status, text.as_ptr().cast(), text.len());\nstatus\n}}\n"
    );
    for name in fmu_standard::fmi2::functions(true, true) {
        source.push_str(&format!(
            "#[cfg(fmu_export)] #[unsafe(no_mangle)] pub extern \"C\" fn {name}() {{}}\n"
        ));
    }
    source
}

/// A workspace of models, removed when dropped.
pub struct TestWorkspace {
    folder: tempfile::TempDir,
}

impl TestWorkspace {
    /// A workspace whose members are all folders in `models/`.
    pub fn new() -> TestWorkspace {
        let workspace = TestWorkspace {
            folder: tempfile::tempdir().unwrap(),
        };
        workspace.write(
            "Cargo.toml",
            "[workspace]\nresolver = '2'\nmembers = ['models/*']\n",
        );
        workspace.write("LICENSE", "All may use it.");
        workspace
    }

    /// The folder of the workspace, as the system spells it.
    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Writes a file, with the folders that it needs.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Adds a model crate with a source.
    pub fn add_source(&self, name: &str, source: &str) {
        let manifest = format!(
            "[package]\nname = '{name}'\nversion = '0.1.0'\nedition = '2024'\nlicense = 'MIT'\n[package.metadata.fmu]\n\
             [lints.rust]\nunexpected_cfgs = 'allow'\n"
        );
        self.write(&format!("models/{name}/Cargo.toml"), &manifest);
        self.write(&format!("models/{name}/src/lib.rs"), source);
    }

    /// Adds a model crate that works.
    pub fn add_model(&self, name: &str, model_name: &str) {
        self.add_source(
            name,
            &source(&fmu_standard::xml::write(&description(model_name)), ""),
        );
    }

    /// Adds a model crate that uses the runtime of this repository, in the versions that the repository has locked.
    /// `more` are further lines of its manifest: entries of `[package.metadata.fmu]`, then other tables.
    pub fn add_with_runtime(&self, name: &str, features: &str, more: &str, source: &str) {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let lock = fs::read_to_string(repository.join("Cargo.lock")).unwrap();
        self.write("Cargo.lock", &lock);
        let runtime = repository.join("fmu-runtime").display().to_string();
        self.write(
            &format!("models/{name}/Cargo.toml"),
            &format!(
                "[package]\nname = '{name}'\nversion = '0.1.0'\nedition = '2024'\n[package.metadata.fmu]\n{more}\n\
                 [dependencies.fmu-runtime]\npath = '{runtime}'\nfeatures = [{features}]\n"
            ),
        );
        self.write(&format!("models/{name}/src/lib.rs"), source);
    }

    /// Runs `fmu package-fmu` with a folder of this name for what cargo builds, which tests that use the same profile
    /// share: the runtime is then built once.
    pub fn package_in(&self, target: &str, arguments: &[&str]) -> Output {
        let test = std::env::current_exe().unwrap();
        let target = test.ancestors().nth(3).unwrap().join(target);
        let target = target.display().to_string();
        let arguments = [&["package-fmu"], arguments].concat();
        fmu_in(&self.root(), &arguments, &[("CARGO_TARGET_DIR", target.as_str())])
    }

    /// Packages as the command does.
    pub fn package(&self, options: &fmu::package::Options) -> Result<Vec<PathBuf>, fmu::package::Error> {
        fmu::package::package(&self.root(), options, &mut Recorder::default())
    }

    /// Runs the `fmu` command in the workspace.
    pub fn fmu(&self, arguments: &[&str]) -> Output {
        fmu_in(&self.root(), arguments, &[])
    }
}

/// Runs the `fmu` command in a folder.
pub fn fmu_in(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fmu"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("SOURCE_DATE_EPOCH")
        .env_remove("RUSTFLAGS");
    command.envs(environment.iter().copied()).output().unwrap()
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Records all reports.
#[derive(Default)]
pub struct Recorder {
    pub steps: Vec<String>,
    pub warnings: Vec<String>,
}

impl Progress for Recorder {
    fn step(&mut self, verb: &str, what: &str) {
        self.steps.push(format!("{verb} {what}"));
    }

    fn warning(&mut self, text: &str) {
        self.warnings.push(text.to_owned());
    }
}

/// The text of a file in an FMU.
pub fn read_entry(fmu: &Path, name: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(fs::File::open(fmu).unwrap()).unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut archive.by_name(name).unwrap(), &mut bytes).unwrap();
    bytes
}

/// The names of all files in an FMU.
pub fn entries(fmu: &Path) -> Vec<String> {
    let archive = zip::ZipArchive::new(fs::File::open(fmu).unwrap()).unwrap();
    archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect()
}

/// Options for crates by their names.
pub fn crates(names: &[&str]) -> fmu::package::Options {
    fmu::package::Options::of(names.iter().copied())
}
