//! What is advised, against systems whose stability is known in closed form.

use master::Master;
use master::advise::Advice;
use master::coupling::{Coupling, Input, Link, Output};
use master::settings::Settings;
use master::signals::Signals;
use master::slave::{Capabilities, Outcome, Slave, SlaveError};
use master::stabilize::Linear;

/// `x' = a x + b u`, `y = x + d u`; or `y = d u` without a state.
#[derive(Clone, Copy)]
struct Part {
    state: Option<(f64, f64)>,
    d: f64,
    u: f64,
}

fn lag(a: f64, b: f64) -> Part {
    Part {
        state: Some((a, b)),
        d: 0.0,
        u: 0.0,
    }
}

fn gain(d: f64) -> Part {
    Part {
        state: None,
        d,
        u: 0.0,
    }
}

impl Slave for Part {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            snapshots: true,
            directional_derivatives: true,
            outputs_follow_inputs: true,
            variable_step: true,
            states: Some(usize::from(self.state.is_some())),
            ..Capabilities::default()
        }
    }
    fn set_inputs(&mut self, u: &[f64]) -> Result<(), SlaveError> {
        self.u = u[0];
        Ok(())
    }
    fn set_input_derivatives(&mut self, _: u32, _: &[f64]) -> Result<(), SlaveError> {
        Ok(())
    }
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), SlaveError> {
        y[0] = self.d * self.u;
        Ok(())
    }
    fn output_derivatives(&mut self, _: u32, _: &mut [f64]) -> Result<(), SlaveError> {
        Ok(())
    }
    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), SlaveError> {
        matrix[0] = self.d;
        Ok(())
    }
    fn step(&mut self, _: f64, _: f64, _: bool) -> Result<Outcome, SlaveError> {
        Ok(Outcome::Done)
    }
    fn save(&mut self, _: usize) -> Result<(), SlaveError> {
        Ok(())
    }
    fn restore(&mut self, _: usize) -> Result<(), SlaveError> {
        Ok(())
    }
    fn linearize(&mut self, linear: &mut Linear) -> Result<(), SlaveError> {
        if let Some((a, b)) = self.state {
            (linear.a[(0, 0)], linear.b[(0, 0)], linear.c[(0, 0)]) = (a, b, 1.0);
        }
        linear.d[(0, 0)] = self.d;
        Ok(())
    }
    fn enter_initialization(&mut self, _: f64, _: f64, _: Option<f64>) -> Result<(), SlaveError> {
        Ok(())
    }
    fn exit_initialization(&mut self) -> Result<(), SlaveError> {
        Ok(())
    }
    fn terminate(&mut self) -> Result<(), SlaveError> {
        Ok(())
    }
}

/// The advice for parts in a ring, each fed by the one before it; or in a row, whose first part has a fixed input.
fn advice(parts: &[Part], ring: bool) -> Advice {
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
    let slaves = parts
        .iter()
        .map(|part| Box::new(*part) as Box<dyn Slave>)
        .collect();
    let settings = Settings {
        insist: true,
        ..Settings::default()
    };
    let mut master = Master::new(coupling, slaves, Signals::new(), settings).expect("a master");
    master.initialize(&vec![0.0; parts.len()]).expect("it begins");
    master.advise().expect("advice")
}

#[test]
fn systems_without_states_get_an_algorithm_and_any_step() {
    let ring = advice(&[gain(0.5), gain(-0.5)], true);
    let proposal = ring.proposal();
    assert_eq!((proposal.algorithm, proposal.step), ("newton", None), "{ring}");
    let said = ring.to_string();
    assert!(said.contains("there are no continuous states"), "{said}");
    assert!(said.contains("algorithm = \"newton\", and any step"), "{said}");

    let row = advice(&[gain(2.0), gain(3.0)], false).proposal();
    assert_eq!((row.algorithm, row.step), ("gauss-seidel", None));
}
