//! A model with 20 000 states as people package it, optimized, called from a thread with a stack of 512 KiB: values,
//! Jacobians, directional derivatives, implicit steps. And arithmetic that overflows, which such builds often let pass.
#![cfg(unix)]

mod common;

use std::path::PathBuf;

use common::{TestWorkspace, stderr};
use fmu_importer::{Experiment, Fmu};

const N: usize = 20_000;

const SOURCE: &str = r#"//! Cells.
use fmu_runtime::prelude::*;

/// A chain of cells, and a count
#[model(solver = "bdf")]
pub struct Chain<const N: usize = 20_000> {
    /// Values of the cells
    #[state(start = 1.0)]
    x: [f64; N],
    /// The first one, doubled
    #[output]
    doubled: f64,
    /// Rate of decay
    #[parameter(start = 2.0)]
    rate: f64,
    /// Added to the total at each event
    #[input(start = 0)]
    step: i32,
    /// The largest number that there is, at first
    #[discrete(start = 2147483647, output)]
    total: i32,
}

#[equations]
impl<const N: usize> Model for Chain<N> {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: std::array::from_fn(|i| {
                let left = if i > 0 { self.x[i - 1] } else { self.x[i] };
                self.rate * (left - self.x[i]) - self.x[i]
            }),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { doubled: 2.0 * self.x[0] }
    }

    fn event(&mut self, _at: Event) {
        self.total += self.step;
    }
}

export_fmu!(Chain);
"#;

fn workspace() -> TestWorkspace {
    let workspace = TestWorkspace::new();
    workspace.add_with_runtime("chain", "'bdf'", "", SOURCE);
    workspace
}

/// Packages it; the command says how much stack it needs.
fn build(workspace: &TestWorkspace, options: &[&str]) -> PathBuf {
    let output = workspace.package_in("large", &[&["chain", "--out", "made"], options].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    if cfg!(target_arch = "x86_64") {
        assert!(
            stderr(&output).contains("KiB of stack (measured)"),
            "{}",
            stderr(&output)
        );
    }
    workspace.root().join("made/Chain.fmu")
}

fn exchange(fmu: &Fmu) {
    let mut instance = fmu.model_exchange("exchange").unwrap();
    instance.initialize(&Experiment::default()).unwrap();
    instance.new_discrete_states().unwrap();
    instance.enter_continuous_time_mode().unwrap();
    let before = instance.snapshot().unwrap();
    instance.set_time(0.5).unwrap();
    instance.set_continuous_states(&vec![3.0; N]).unwrap();
    let mut dx = vec![0.0; N];
    instance.derivatives(&mut dx).unwrap();
    assert!(
        dx.iter().all(|dx| *dx == -3.0),
        "equal values decay at the rate 1"
    );
    assert_eq!(instance.real("doubled").unwrap(), 6.0);
    let reference = |name: &str| fmu.variable(name).unwrap().value_reference;
    let unknowns = [reference("der(x[1000])"), reference("doubled")];
    let knowns = [reference("x[999]"), reference("x[1000]"), reference("x[1]")];
    let mut derivative = [0.0; 2];
    instance
        .directional_derivative(&unknowns, &knowns, &[1.0, 10.0, 7.0], &mut derivative)
        .unwrap();
    assert_eq!(derivative, [2.0 - 30.0, 14.0]);
    instance.restore(&before).unwrap();
    assert_eq!(instance.real("x[1]").unwrap(), 1.0);
}

fn step(fmu: &Fmu) {
    let mut instance = fmu.co_simulation("steps").unwrap();
    instance.initialize(&Experiment::default()).unwrap();
    instance.do_step(0.0, 0.5).unwrap();
    let x = instance.real("x[20000]").unwrap();
    assert!((x - (-0.5f64).exp()).abs() < 1e-4, "{x}");
}

fn overflow(fmu: &Fmu) {
    let mut instance = fmu.model_exchange("overflow").unwrap();
    instance.initialize(&Experiment::default()).unwrap();
    instance.new_discrete_states().unwrap();
    assert_eq!(instance.integer("total").unwrap(), i32::MAX);
    instance.set("step", 1).unwrap();
    let error = instance.new_discrete_states().unwrap_err().to_string();
    assert!(error.contains("attempt to add with overflow"), "{error}");
}

#[test]
fn a_large_model_lives_on_a_small_stack_in_optimized_builds() {
    let workspace = workspace();
    for options in [&["--quick"][..], &[]] {
        let path = build(&workspace, options);
        let life = move || {
            let fmu = Fmu::open(&path).unwrap();
            exchange(&fmu);
            step(&fmu);
            overflow(&fmu);
        };
        let thread = std::thread::Builder::new().stack_size(512 << 10);
        thread.spawn(life).unwrap().join().unwrap();
    }
}
