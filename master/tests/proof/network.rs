//! Linear components and what connects them: the coupled system for a master, the same for an aggregate, and as one
//! system of equations for the reference.

use fmu_master::aggregate::Assembly;
use fmu_master::component::{Capabilities, Component};
use fmu_master::coupling::{Coupling, Input, Link, Output};
use nalgebra::{DMatrix, DVector};

use crate::linear::{Linear, Plant};
use crate::matrix::{Closed, condition};

/// Components, and for each input of all components the output of all components that feeds it, with a factor.
#[derive(Clone, Debug)]
pub struct Network {
    pub plants: Vec<Plant>,
    pub links: Vec<(usize, f64)>,
}

impl Network {
    /// The closed system x' = (A + B K (I - D K)^-1 C) x, y = (I - D K)^-1 C x, and the condition number of I - D K.
    pub fn closed(&self) -> Option<(Closed, f64)> {
        let size = |of: fn(&Plant) -> usize| self.plants.iter().map(of).sum::<usize>();
        let (n, m, p) = (
            size(|plant| plant.a.nrows()),
            size(|plant| plant.b.ncols()),
            size(|plant| plant.c.nrows()),
        );
        let [mut a, mut b] = [DMatrix::zeros(n, n), DMatrix::zeros(n, m)];
        let [mut c, mut d] = [DMatrix::zeros(p, n), DMatrix::zeros(p, m)];
        let (mut x, mut u, mut y) = (0, 0, 0);
        for plant in &self.plants {
            a.view_mut((x, x), plant.a.shape()).copy_from(&plant.a);
            b.view_mut((x, u), plant.b.shape()).copy_from(&plant.b);
            c.view_mut((y, x), plant.c.shape()).copy_from(&plant.c);
            d.view_mut((y, u), plant.d.shape()).copy_from(&plant.d);
            (x, u, y) = (x + plant.a.nrows(), u + plant.b.ncols(), y + plant.c.nrows());
        }
        let mut k = DMatrix::zeros(m, p);
        for (input, &(output, gain)) in self.links.iter().enumerate() {
            k[(input, output)] = gain;
        }
        let algebra = DMatrix::identity(p, p) - &d * &k;
        let c = algebra.clone().lu().solve(&c)?;
        let start = self.plants.iter().flat_map(|plant| plant.x.iter().copied());
        let closed = Closed {
            a: a + b * k * &c,
            c,
            x: DVector::from_iterator(n, start),
        };
        Some((closed, condition(&algebra)))
    }

    /// The coupling and the components, which can do what `can` leaves of their capabilities.
    pub fn couple(&self, can: &dyn Fn(usize, &mut Capabilities)) -> (Coupling, Vec<Box<dyn Component>>) {
        let mut coupling = Coupling::default();
        let mut components: Vec<Box<dyn Component>> = Vec::new();
        let mut links = self.links.iter();
        for (number, plant) in self.plants.iter().enumerate() {
            let name = format!("s{}", number + 1);
            let (inputs, outputs) = (plant.b.ncols(), plant.c.nrows());
            let input = |(at, &(output, gain)): (usize, &(usize, f64))| Input {
                name: format!("{name}.u{}", at + 1),
                link: Link::Output {
                    output,
                    gain,
                    offset: 0.0,
                },
            };
            let inputs_of = links.by_ref().take(inputs).enumerate().map(input).collect();
            let output = |row: usize| Output {
                name: format!("{name}.y{}", row + 1),
                nominal: 1.0,
                feed_through: (0..inputs)
                    .filter(|&column| plant.d[(row, column)] != 0.0)
                    .collect(),
            };
            coupling.add(&name, inputs_of, (0..outputs).map(output).collect());
            let mut component = Linear::new(plant);
            can(number, &mut component.can);
            components.push(Box::new(component));
        }
        (coupling, components)
    }

    /// The same under one solver.
    pub fn assembly(&self) -> Assembly {
        let mut assembly = Assembly::new();
        let mut outputs = Vec::new();
        for (number, plant) in self.plants.iter().enumerate() {
            let added = assembly.add_component(&format!("s{}", number + 1), Box::new(Linear::new(plant)));
            added.expect("it has equations");
            outputs.extend((1..=plant.c.nrows()).map(|row| format!("s{}.y{row}", number + 1)));
        }
        let mut links = self.links.iter();
        for (number, plant) in self.plants.iter().enumerate() {
            for (column, &(output, gain)) in (1..=plant.b.ncols()).zip(links.by_ref()) {
                let to = format!("s{}.u{column}", number + 1);
                assembly.connect_with(&outputs[output], &to, gain, 0.0);
            }
        }
        assembly
    }
}

/// A plant from its rows.
pub fn plant(a: &[&[f64]], b: &[&[f64]], c: &[&[f64]], d: &[&[f64]], x: &[f64]) -> Plant {
    let inputs = b.first().or(d.first()).map_or(0, |row| row.len());
    Plant {
        a: matrix(a, x.len()),
        b: matrix(b, inputs),
        c: matrix(c, x.len()),
        d: match d.is_empty() {
            true => DMatrix::zeros(c.len(), inputs),
            false => matrix(d, inputs),
        },
        x: x.to_vec(),
    }
}

fn matrix(rows: &[&[f64]], columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), columns, |row, column| rows[row][column])
}

/// A coupling of components without feed-through, each with the outputs that feed its inputs and the number of its outputs.
pub fn wire(components: &[(&str, &[usize], usize)]) -> Coupling {
    let mut coupling = Coupling::default();
    for (name, sources, outputs) in components {
        let input = |(at, &output): (usize, &usize)| Input {
            name: format!("{name}.u{}", at + 1),
            link: Link::Output {
                output,
                gain: 1.0,
                offset: 0.0,
            },
        };
        let output = |at: usize| Output {
            name: format!("{name}.y{}", at + 1),
            nominal: 1.0,
            feed_through: Vec::new(),
        };
        let inputs = sources.iter().enumerate().map(input).collect();
        coupling.add(name, inputs, (0..*outputs).map(output).collect());
    }
    coupling
}
