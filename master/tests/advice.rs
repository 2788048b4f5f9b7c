//! What is advised, against systems whose stability is known in closed form.

use fmu_master::Master;
use fmu_master::advise::{Advice, Model, Samples, explicit_limit};
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping};
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Correction, Settings};
use fmu_master::signals::Signals;
use fmu_master::stabilize::Linear;
use nalgebra::{DMatrix, DVector};

/// `x' = a x + b u`, `y = x + d u`; or `y = d u` without a state.
#[derive(Clone, Copy)]
struct Part {
    state: Option<(f64, f64)>,
    d: f64,
    u: f64,
    /// It fails to provide a linear model.
    fails: bool,
    repeats: bool,
}

fn lag(a: f64, b: f64) -> Part {
    Part {
        state: Some((a, b)),
        d: 0.0,
        u: 0.0,
        fails: false,
        repeats: true,
    }
}

fn gain(d: f64) -> Part {
    Part {
        state: None,
        d,
        u: 0.0,
        fails: false,
        repeats: true,
    }
}

impl Component for Part {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .snapshots(self.repeats)
            .directional_derivatives(true)
            .outputs_follow_inputs(true)
            .variable_step(true)
            .states(Some(usize::from(self.state.is_some())))
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.u = u[0];
        Ok(())
    }
}

impl Stepping for Part {
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y[0] = self.d * self.u;
        Ok(())
    }

    fn output_derivatives(&mut self, _: u32, _: &mut [f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        matrix[0] = self.d;
        Ok(())
    }

    fn step(&mut self, _: f64, _: f64, _: bool) -> Result<Outcome, ComponentError> {
        Ok(Outcome::Done)
    }

    fn save(&mut self, _: usize) -> Result<(), ComponentError> {
        Ok(())
    }

    fn restore(&mut self, _: usize) -> Result<(), ComponentError> {
        Ok(())
    }

    fn linearize(&mut self, linear: &mut Linear) -> Result<(), ComponentError> {
        if self.fails {
            return Err("it has no derivatives today".into());
        }
        if let Some((a, b)) = self.state {
            (linear.a[(0, 0)], linear.b[(0, 0)], linear.c[(0, 0)]) = (a, b, 1.0);
        }
        linear.d[(0, 0)] = self.d;
        Ok(())
    }
}

/// The advice for parts in a ring, each fed by the one before it; or in a row, whose first part has a fixed input.
fn advice(parts: &[Part], ring: bool) -> Advice {
    master(parts, ring).advise().expect("advice")
}

fn master(parts: &[Part], ring: bool) -> Master {
    let mut coupling = Coupling::default();
    for (number, part) in parts.iter().enumerate() {
        let before = number.checked_sub(1).or(ring.then_some(parts.len() - 1));
        let link = before.map_or(Link::Fixed(1.0), |output| Link::Output {
            output,
            gain: 1.0,
            offset: 0.0,
        });
        let name = |variable: &str| format!("p{number}.{variable}");
        let output = Output {
            name: name("y"),
            nominal: 1.0,
            feed_through: if part.d == 0.0 { Vec::new() } else { vec![0] },
        };
        coupling.add(
            &format!("p{number}"),
            vec![Input {
                name: name("u"),
                link,
            }],
            vec![output],
        );
    }
    let components = parts
        .iter()
        .map(|part| Box::new(*part) as Box<dyn Component>)
        .collect();
    let settings = Settings::default().insist(true);
    let mut master = Master::new(coupling, components, Signals::new(), settings).expect("a master");
    master.initialize(&vec![0.0; parts.len()]).expect("it begins");
    master
}

#[test]
fn a_linear_model_that_fails_ends_neither_a_run_nor_advice() {
    for repeats in [true, false] {
        let part = Part {
            fails: true,
            repeats,
            ..lag(-1.0, -0.5)
        };
        let mut master = master(&[part, part], true);
        let notes = master.notes().to_vec();
        let said = |word: &str| {
            notes
                .iter()
                .any(|note| note.contains(word) && note.contains("no derivatives today"))
        };
        assert!(
            said(if repeats {
                "steps of half the size"
            } else {
                "accuracy not verified"
            }),
            "{notes:?}"
        );
        master.run(|_| true).expect("it runs");
        let advice = master.advise().expect("advice");
        assert_eq!(advice.fastest, None);
    }
}

/// The limit with held inputs.
fn held(advice: &Advice) -> f64 {
    advice.limits.as_ref().expect("limits")[0]
}

#[test]
fn samples_of_a_loop_get_one_solver_where_all_have_model_exchange() {
    let mut advice = advice(&[lag(-1.0, 1.0), lag(-2.0, 1.0)], true);
    advice.samples = Some(Samples {
        component: "controller".to_owned(),
        period: Some(0.5),
    });
    advice.model_exchange = false;
    assert_eq!(advice.proposal().algorithm, "gauss-seidel", "{advice}");
    advice.model_exchange = true;
    assert_eq!(advice.proposal().algorithm, "aggregate", "{advice}");
    assert!(advice.to_string().contains("controller samples"), "{advice}");
}

#[test]
fn systems_without_states_get_an_algorithm_and_any_step() {
    let ring = advice(&[gain(0.5), gain(-0.5)], true);
    let proposal = ring.proposal();
    assert_eq!((proposal.algorithm, proposal.step), ("newton", None), "{ring}");
    let said = ring.to_string();
    assert!(said.contains("there are no continuous states"), "{said}");
    assert!(said.contains("algorithm = \"newton\", and any step"), "{said}");

    let mut row = advice(&[gain(2.0), gain(3.0)], false);
    let proposal = row.proposal();
    assert_eq!((proposal.algorithm, proposal.step), ("gauss-seidel", None));
    // A step of any size may pass over events that inputs trigger.
    (row.events_by_inputs, row.snapshots, row.variable_step) = (true, true, true);
    let proposal = row.proposal();
    assert!(proposal.besides.contains("tolerance"), "{row}");
    assert!(
        proposal.step.is_some_and(|step| step <= 0.1 * row.duration),
        "{row}"
    );
}

#[test]
fn held_inputs_that_feed_an_oscillation_are_unstable_however_small_the_step() {
    // x' = v, v' = -w^2 x: each step multiplies by |1 + i w h|, above 1 for every h.
    for w2 in [1e-4, 1.0, 1e8] {
        let oscillator = advice(&[lag(0.0, 1.0), lag(0.0, -w2)], true);
        assert_eq!(held(&oscillator), 0.0, "{w2}: {oscillator}");
        let said = oscillator.to_string();
        assert!(
            said.contains("unstable however small the step") && !said.contains("times smaller"),
            "{said}"
        );
        assert_eq!(oscillator.proposal().algorithm, "stabilized");
    }
}

#[test]
fn the_limit_of_a_lightly_damped_oscillation_is_that_of_its_damping() {
    // x' = v, v' = -x - 2 z v with the damping inside: held inputs move v by e^(-2 z h) and (1 - e^(-2 z h)) / 2 z, and
    // the determinant of the step, e^(-2 z h) + h (1 - e^(-2 z h)) / 2 z, is 1 where h = 2 z.
    for z in [1e-5f64, 1e-4, 1e-2] {
        let damped = advice(&[lag(0.0, 1.0), lag(-2.0 * z, -1.0)], true);
        let limit = held(&damped);
        assert!((limit / (2.0 * z) - 1.0).abs() < 1e-2, "{z}: {limit}");
    }
}

#[test]
fn a_system_that_grows_by_itself_may_grow_twice_as_fast() {
    // (x, v)' with eigenvalues 0.05 +- i: steps with held inputs grow by about 0.05 + h / 2 for small h.
    let growing = advice(&[lag(0.05, 1.0), lag(0.05, -1.0)], true);
    let limit = held(&growing);
    assert!((0.09..0.11).contains(&limit), "{limit}");
    // A mass that moves on by itself: positions grow with time, and steps are stable.
    let free = advice(&[lag(0.0, 1.0), lag(0.0, 0.0)], true);
    assert_eq!(held(&free), f64::INFINITY, "{free}");
}

#[test]
fn a_fast_part_does_not_hide_an_oscillation_that_held_inputs_feed() {
    // x' = v, v' = -x beside z' = -10^4 z: at steps that suit z, each step multiplies (x, v) by 1 + h^2 / 2 only.
    let model = Model {
        a: DMatrix::from_diagonal(&DVector::from_vec(vec![0.0, 0.0, -1e4])),
        b: DMatrix::identity(3, 3),
        c: DMatrix::identity(3, 3),
        d: DMatrix::zeros(3, 3),
        l: DMatrix::from_row_slice(3, 3, &[0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    };
    assert_eq!(explicit_limit(&model), 0.0);
}

#[test]
fn heat_that_flows_through_many_parts_is_stable_whatever_the_step() {
    // A row of x' = -2 x + u1 + u2, each fed by its neighbours: heat conduction, cut into single cells. Held inputs mix
    // values with weights that are positive and add up to less than 1, so nothing grows at any step.
    let cells = 51;
    let tridiagonal = |row: usize, column: usize| f64::from(u8::from(row.abs_diff(column) == 1));
    let model = Model {
        a: -2.0 * DMatrix::identity(cells, cells),
        b: DMatrix::identity(cells, cells),
        c: DMatrix::identity(cells, cells),
        d: DMatrix::zeros(cells, cells),
        l: DMatrix::from_fn(cells, cells, tridiagonal),
    };
    assert_eq!(explicit_limit(&model), f64::INFINITY);
}

/// Outputs that may depend on inputs, of components that provide nothing and cannot go back: what exporters for scripts
/// make.
#[test]
fn unknown_feed_through_is_unknown_and_advice_can_be_followed() {
    struct Unknown(f64);
    impl Component for Unknown {
        fn capabilities(&self) -> Capabilities {
            Capabilities::default().variable_step(true)
        }

        fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
            Some(self)
        }

        fn set_inputs(&mut self, _: &[f64]) -> Result<(), ComponentError> {
            Ok(())
        }
    }

    impl Stepping for Unknown {
        fn set_input_derivatives(&mut self, _: u32, _: &[f64]) -> Result<(), ComponentError> {
            Err("not possible".into())
        }

        fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
            y[0] = self.0;
            Ok(())
        }

        fn feed_through(&mut self, _: &mut [f64]) -> Result<(), ComponentError> {
            Err("not possible".into())
        }

        fn step(&mut self, _: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
            self.0 *= (-h).exp();
            Ok(Outcome::Done)
        }

        fn save(&mut self, _: usize) -> Result<(), ComponentError> {
            Err("not possible".into())
        }

        fn restore(&mut self, _: usize) -> Result<(), ComponentError> {
            Err("not possible".into())
        }
    }
    let make = |settings: Settings| {
        let mut coupling = Coupling::default();
        for number in 0..2 {
            let input = Input {
                name: format!("p{number}.u"),
                link: Link::Output {
                    output: 1 - number,
                    gain: 1.0,
                    offset: 0.0,
                },
            };
            // No dependencies are declared: it may depend on everything.
            let output = Output {
                name: format!("p{number}.y"),
                nominal: 1.0,
                feed_through: vec![0],
            };
            coupling.add(&format!("p{number}"), vec![input], vec![output]);
        }
        let components: Vec<Box<dyn Component>> = vec![Box::new(Unknown(1.0)), Box::new(Unknown(1.0))];
        Master::new(coupling, components, Signals::new(), settings)
    };
    let of_file = Settings::default().step(0.02).stop(30.0).insist(true);
    let mut master = make(of_file).expect("a master");
    master.initialize(&[0.0, 0.0]).expect("it begins");
    let advice = master.advise().expect("advice");
    let said = advice.to_string();
    assert!(!said.contains("unstable however small"), "{said}");
    assert!(said.contains("not known"), "{said}");
    // The step and the algorithm that are advised are possible with these components.
    let proposal = advice.proposal();
    assert_eq!(
        (proposal.algorithm, proposal.besides),
        ("gauss-seidel", ""),
        "{said}"
    );
    assert_eq!(proposal.step, Some(0.02), "{said}");
    let followed = Settings::default().algorithm(Algorithm::GaussSeidel).step(0.02);
    let mut master = make(followed).expect("what is advised is possible");
    master.initialize(&[0.0, 0.0]).expect("it begins");
    master.run(|_| true).expect("it runs");
    // A correction is not possible, and the message leads to nothing that is not possible either.
    let corrected = Settings::default().correction(Correction::Linear);
    let refused = make(corrected).err().expect("no feed-through").to_string();
    assert!(
        refused.contains("gauss-seidel") && !refused.contains("newton"),
        "{refused}"
    );
    let repeated = Settings::default().algorithm(Algorithm::Newton);
    let refused = make(repeated).err().expect("no snapshots").to_string();
    assert!(refused.contains("gauss-seidel with a fixed step"), "{refused}");
}
