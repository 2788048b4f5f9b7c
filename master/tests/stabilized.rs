//! Stabilized steps of three and more components, with feed-through, against the matrix exponential of the whole.

use test_support::{exponential, reference};

use exponential::{Matrix, exponential, product};
use fmu_importer::InputDerivatives;
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping};
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Parallel, Settings};
use fmu_master::signals::Signals;
use fmu_master::stabilize::{Linear, Rule};
use fmu_master::{Error, Master};

/// x' = A x + B u, y = C x + D u, integrated so precisely that the coupling alone counts.
#[derive(Clone, Default)]
struct Part {
    a: Matrix,
    b: Matrix,
    c: Matrix,
    d: Matrix,
    x: Vec<f64>,
}

struct LinearSlave {
    part: Part,
    u: Vec<f64>,
    t: f64,
    driver: Option<Box<dyn InputDerivatives>>,
}

fn times(m: &Matrix, v: &[f64]) -> Vec<f64> {
    m.iter()
        .map(|row| row.iter().zip(v).map(|(m, v)| m * v).sum())
        .collect()
}

fn sum(a: &[f64], b: &[f64], factor: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + factor * b).collect()
}

impl LinearSlave {
    fn slopes(&mut self, t: f64, state: &[f64]) -> Vec<f64> {
        let (x, u) = state.split_at(self.part.x.len());
        let mut all = sum(&times(&self.part.a, x), &times(&self.part.b, u), 1.0);
        let mut du = vec![0.0; u.len()];
        if let Some(driver) = &mut self.driver {
            assert!(driver.derivatives(t, u, x, &all, &mut du));
        }
        all.extend(du);
        all
    }
}

impl Component for LinearSlave {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .directional_derivatives(true)
            .outputs_follow_inputs(true)
            .variable_step(true)
            .states(Some(self.part.x.len()))
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.u.copy_from_slice(u);
        Ok(())
    }

    fn enter_initialization(&mut self, t: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.t = t;
        Ok(())
    }
}

impl Stepping for LinearSlave {
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        let Part { c, d, x, .. } = &self.part;
        y.copy_from_slice(&sum(&times(c, x), &times(d, &self.u), 1.0));
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        for (value, d) in matrix.iter_mut().zip(self.part.d.iter().flatten()) {
            *value = *d;
        }
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        let steps = 8;
        let dt = h / f64::from(steps);
        let mut z: Vec<f64> = self.part.x.iter().chain(&self.u).copied().collect();
        for step in 0..steps {
            let t = t + f64::from(step) * dt;
            reference::step(t, &mut z, dt, |t, z, dz| dz.copy_from_slice(&self.slopes(t, z)));
        }
        let (x, u) = z.split_at(self.part.x.len());
        (self.part.x, self.u, self.t) = (x.to_vec(), u.to_vec(), t + h);
        Ok(Outcome::Done)
    }

    fn save(&mut self, _: usize) -> Result<(), ComponentError> {
        Err("it cannot".into())
    }

    fn restore(&mut self, _: usize) -> Result<(), ComponentError> {
        Err("it cannot".into())
    }

    fn linearize(&mut self, linear: &mut Linear) -> Result<(), ComponentError> {
        let Part { a, b, c, d, x } = &self.part;
        linear.x.copy_from_slice(x);
        linear
            .dx
            .copy_from_slice(&sum(&times(a, x), &times(b, &self.u), 1.0));
        for (to, from) in [
            (&mut linear.a, a),
            (&mut linear.b, b),
            (&mut linear.c, c),
            (&mut linear.d, d),
        ] {
            for (i, row) in from.iter().enumerate() {
                for (j, value) in row.iter().enumerate() {
                    to[(i, j)] = *value;
                }
            }
        }
        Ok(())
    }

    fn stabilize(&mut self, derivatives: Box<dyn InputDerivatives>) -> Result<(), ComponentError> {
        self.driver = Some(derivatives);
        Ok(())
    }
}

/// Linear components, and the output (among all) that feeds each input (among all).
#[derive(Clone)]
struct Whole {
    parts: Vec<Part>,
    sources: Vec<usize>,
}

/// Numbers between -1 and 1 (Knuth's linear congruential generator).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / 2f64.powi(52) - 1.0
    }

    fn matrix(&mut self, rows: usize, columns: usize, size: f64) -> Matrix {
        (0..rows)
            .map(|_| (0..columns).map(|_| size * self.next()).collect())
            .collect()
    }
}

impl Whole {
    /// Components with two states, inputs and outputs each: lightly damped oscillators that pull at each other. Outputs feed
    /// through from inputs whose sources are components with lower numbers, so that there is no loop.
    fn random(seed: u64, components: usize) -> Whole {
        let mut numbers = Numbers(seed);
        for _ in 0..10 {
            numbers.next();
        }
        let sources: Vec<usize> = (0..2 * components)
            .map(|input| {
                let own = input / 2;
                // The first input is fed by the component before, the other one by any.
                let far = 1 + ((numbers.next() + 1.0) * 0.5 * (components - 1) as f64) as usize;
                let other = if input % 2 == 0 {
                    components - 1
                } else {
                    far.min(components - 1)
                };
                2 * ((own + other) % components) + input % 2
            })
            .collect();
        let part = |number: usize| {
            let omega = 6.0 + 3.0 * numbers.next();
            let mut d = numbers.matrix(2, 2, 0.6);
            for row in &mut d {
                for (column, value) in row.iter_mut().enumerate() {
                    if sources[2 * number + column] / 2 >= number {
                        *value = 0.0;
                    }
                }
            }
            Part {
                a: vec![vec![-0.4, omega], vec![-omega, -0.2]],
                b: numbers.matrix(2, 2, 4.0),
                c: numbers.matrix(2, 2, 1.0),
                d,
                x: vec![numbers.next(), numbers.next()],
            }
        };
        Whole {
            parts: (0..components).map(part).collect(),
            sources,
        }
    }

    /// All states at a time: x' = (A + B (I - K D)^-1 K C) x, where (I - K D)^-1 is a sum of powers.
    fn exact(&self, t: f64) -> Vec<f64> {
        let diagonal = |of: &dyn Fn(&Part) -> &Matrix| -> Matrix {
            let columns: usize = self.parts.iter().map(|part| of(part)[0].len()).sum();
            let mut before = 0;
            let mut rows = Matrix::new();
            for part in &self.parts {
                for row in of(part) {
                    let mut wide = vec![0.0; columns];
                    wide[before..before + row.len()].copy_from_slice(row);
                    rows.push(wide);
                }
                before += of(part)[0].len();
            }
            rows
        };
        let [a, b, c, d] = [
            diagonal(&|part| &part.a),
            diagonal(&|part| &part.b),
            diagonal(&|part| &part.c),
            diagonal(&|part| &part.d),
        ];
        let k: Matrix = self
            .sources
            .iter()
            .map(|&source| {
                (0..c.len())
                    .map(|output| f64::from(u8::from(output == source)))
                    .collect()
            })
            .collect();
        let kd = product(&k, &d);
        let kc = product(&k, &c);
        let (mut u, mut term) = (kc.clone(), kc);
        for _ in 0..self.sources.len() {
            term = product(&kd, &term);
            for (u, term) in u.iter_mut().flatten().zip(term.iter().flatten()) {
                *u += term;
            }
        }
        assert!(
            term.iter().flatten().all(|value| *value == 0.0),
            "D K is nilpotent"
        );
        let mut whole = product(&b, &u);
        for (whole, a) in whole.iter_mut().flatten().zip(a.iter().flatten()) {
            *whole += a;
        }
        let start: Vec<f64> = self.parts.iter().flat_map(|part| part.x.clone()).collect();
        times(&exponential(&whole, t), &start)
    }

    fn couple(&self, settings: Settings) -> Result<Master, Error> {
        let mut coupling = Coupling::default();
        let mut components: Vec<Box<dyn Component>> = Vec::new();
        let mut first = 0;
        for (number, part) in self.parts.iter().enumerate() {
            let count = part.b[0].len();
            let inputs = (first..first + count).map(|input| Input {
                name: format!("s{number}.u{}", input - first),
                link: Link::Output {
                    output: self.sources[input],
                    gain: 1.0,
                    offset: 0.0,
                },
            });
            let outputs = part.d.iter().enumerate().map(|(output, row)| Output {
                name: format!("s{number}.y{output}"),
                nominal: 1.0,
                // What stands as a zero may be declared all the same.
                feed_through: (0..row.len())
                    .filter(|input| row[*input] != 0.0 || row[*input].is_sign_negative())
                    .collect(),
            });
            coupling.add(&format!("s{number}"), inputs.collect(), outputs.collect());
            first += count;
            components.push(Box::new(LinearSlave {
                part: part.clone(),
                u: vec![0.0; count],
                t: 0.0,
                driver: None,
            }));
        }
        let mut master = Master::new(coupling, components, Signals::new(), settings)?;
        let start = vec![0.0; self.sources.len()];
        master.initialize(&start)?;
        Ok(master)
    }

    /// The outputs at the end of a run, and what they should be.
    fn run(&self, settings: Settings) -> Result<(Vec<f64>, Vec<f64>), Error> {
        let mut master = self.couple(settings)?;
        master.run(|_| true)?;
        let x = self.exact(settings.stop);
        let mut y = vec![0.0; master.outputs().len()];
        // Outputs follow from inputs in the order of the components, as often as there are components.
        for _ in 0..self.parts.len() {
            let u: Vec<f64> = self.sources.iter().map(|&source| y[source]).collect();
            y = self
                .parts
                .iter()
                .enumerate()
                .flat_map(|(at, part)| {
                    let (x, u) = (&x[2 * at..2 * at + 2], &u[2 * at..2 * at + 2]);
                    sum(&times(&part.c, x), &times(&part.d, u), 1.0)
                })
                .collect();
        }
        Ok((master.outputs().to_vec(), y))
    }
}

fn stabilized(step: f64, rule: Rule) -> Settings {
    Settings::default()
        .stop(0.5)
        .step(step)
        .algorithm(Algorithm::Stabilized)
        .rule(rule)
        .parallel(Parallel::Never)
}

fn error(found: &[f64], exact: &[f64]) -> f64 {
    let size = exact.iter().fold(0.0_f64, |most, exact| most.max(exact.abs()));
    let errors = found
        .iter()
        .zip(exact)
        .map(|(found, exact)| (found - exact).abs());
    errors.fold(0.0, f64::max) / size
}

#[test]
fn three_to_six_components_with_feed_through_converge_with_order_two() {
    for components in [3, 4, 6] {
        for seed in 1..=2 {
            let whole = Whole::random(seed, components);
            for rule in [Rule::Trapezoidal, Rule::BackwardEuler] {
                let errors = [0.02, 0.01].map(|step| {
                    let (found, exact) = whole.run(stabilized(step, rule)).unwrap();
                    error(&found, &exact)
                });
                let held = stabilized(0.01, rule).algorithm(Algorithm::Jacobi);
                let (found, exact) = whole.run(held).unwrap();
                let held = error(&found, &exact);
                let about =
                    format!("{components} components, seed {seed}, {rule:?}: {errors:?}, held {held}");
                assert!(errors[1] < 0.02 && errors[1] < 0.1 * held, "{about}");
                assert!(errors[0] / errors[1] > 3.0, "{about}");
            }
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let whole = Whole::random(7, 5);
    let run = |parallel: Parallel| {
        let settings = stabilized(0.02, Rule::Trapezoidal).parallel(parallel);
        whole.run(settings).unwrap().0
    };
    assert_eq!(run(Parallel::Never), run(Parallel::Always));
}

/// Two lags that declare feed-through: x' = -x + u, y = x + d u.
fn lags(d: [f64; 2]) -> Whole {
    let lag = |d: f64| Part {
        a: vec![vec![-1.0, 0.0], vec![0.0, -2.0]],
        b: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
        c: vec![vec![0.5, 0.5], vec![0.2, -1.0]],
        d: vec![vec![d, 0.0], vec![0.0, d]],
        x: vec![1.0, 0.5],
    };
    Whole {
        parts: d.map(lag).to_vec(),
        sources: vec![2, 3, 0, 1],
    }
}

#[test]
fn feed_through_that_is_declared_and_zero_is_no_loop() {
    // A negative zero is declared.
    let whole = lags([0.7, -0.0]);
    let (found, exact) = whole.run(stabilized(0.01, Rule::Trapezoidal)).unwrap();
    assert!(error(&found, &exact) < 1e-4, "{found:?} {exact:?}");
    let refused = lags([0.7, 0.4]).couple(stabilized(0.01, Rule::Trapezoidal));
    let message = match refused.and_then(|mut master| master.run(|_| true)) {
        Ok(_) => panic!("a loop is refused"),
        Err(error) => error.to_string(),
    };
    assert!(message.contains("s0.y0 -> s1.u0 -> s1.y0 -> s0.u0"), "{message}");
}
