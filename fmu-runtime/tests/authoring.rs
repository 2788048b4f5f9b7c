//! Everything that the authoring surface promises, used as an author would.

use fmu_runtime::prelude::*;

/// How the valve is driven
#[derive(Enumeration, Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// Nothing flows
    Closed = 1,
    /// Everything flows
    Open,
}

const GRAVITY: f64 = 9.81;
const WEIGHTS: [f64; 3] = [0.25, 0.5, 0.25];

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

/// A cell of a chain
#[model]
#[derive(Debug)]
struct Cell {
    /// Level
    #[state(start = 1.0, unit = "m")]
    level: f64,
    /// Inflow
    #[input(unit = "m3/s", start = 0.0)]
    inflow: f64,
    /// Area
    #[parameter(start = 2.0, unit = "m2", min = 0.0)]
    area: f64,
    /// Doubled level
    #[output]
    doubled: f64,
    /// Rate
    #[local(unit = "m/s")]
    rate: f64,
}

#[equations]
impl Model for Cell {
    fn locals(&self, _t: f64) -> Locals<Self> {
        Locals::<Self> {
            rate: self.inflow / self.area,
        }
    }
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            level: self.rate - 0.1 * self.level,
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            doubled: 2.0 * self.level,
        }
    }
}

/// Everything at once
#[model(
    name = "Plant",
    stop_time = 10.0,
    tolerance = 1e-6,
    author = "Anna",
    version = "1.2",
    log_categories("valve" = "Valve movements"),
    types(Pressure(unit = "Pa", display_unit = "bar", min = 0.0, nominal = 1e5, description = "Absolute pressure"))
)]
struct Plant<const N: usize = 3> {
    /// Chain of temperatures
    #[state(start = 300.0, unit = "K", display_unit = "degC", nominal = 300.0)]
    chain: [f64; N],
    /// Positions
    #[state(start = [[0.0, 1.0], [2.0, 3.0]], unit = "m")]
    grid: [[f64; 2]; 2],
    /// Pressure
    #[state(initial = "calculated", declared_type = Pressure)]
    p: f64,
    /// Height
    #[parameter(start = 10.0, unit = "m")]
    height: f64,
    /// Density
    #[constant(start = 1000.0, unit = "kg/m3", output)]
    rho: f64,
    /// Hydrostatic pressure
    #[parameter(calculated, unit = "Pa")]
    p0: f64,
    /// Mode of the valve
    #[input(start = Mode::Closed)]
    mode: Mode,
    /// Name of the plant
    #[parameter(start = "north")]
    label: String,
    /// Steps
    #[discrete(start = 0, min = 0, output)]
    count: i32,
    /// Switch
    #[input]
    on: bool,
    /// Sampled
    #[output(discrete)]
    sampled: f64,
    /// Copy of the mode
    #[output]
    mode_out: Mode,
    #[internal(default = vec![1.0, 2.0])]
    table: Vec<f64>,
    #[part(connect(inflow))]
    first: Cell,
    #[part(default = Cell { area: 4.0, ..Cell::default() })]
    cells: [Cell; 2],
}

#[equations]
impl<const N: usize> Plant<N> {
    fn mean(&self) -> f64 {
        self.chain.iter().sum::<f64>() / N as f64
    }
}

#[equations]
impl<const N: usize> Model for Plant<N> {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> {
            p0: self.rho * GRAVITY * self.height,
        }
    }
    fn initial(&self, _t: f64) -> Initial<Self> {
        Initial::<Self> {
            p: self.p0 + 101325.0,
        }
    }
    fn connections(&self, t: f64) -> Connections<Self> {
        Connections::<Self> {
            first_inflow: square(t),
        }
    }
    fn derivatives(&self, t: f64) -> Result<Derivatives<Self>, ModelError> {
        if self.p < 0.0 {
            return Err(ModelError::new(format!("negative pressure {} Pa at {t} s", self.p)).recoverable());
        }
        let mut chain = [0.0; N];
        for (i, rate) in chain.iter_mut().enumerate() {
            let left = if i > 0 { self.chain[i - 1] } else { 300.0 };
            let right = if i + 1 < N { self.chain[i + 1] } else { 300.0 };
            *rate = WEIGHTS[0] * left + WEIGHTS[2] * right - WEIGHTS[1] * self.chain[i] + self.table[0];
        }
        let flow = match self.mode {
            Mode::Closed => 0.0,
            Mode::Open if self.on => GRAVITY,
            Mode::Open => std::f64::consts::PI.sin().max(-1.0),
        };
        Ok(Derivatives::<Self> {
            chain,
            grid: [[1.0, flow]; 2],
            p: -self.p * (self.mean() / 300.0).powi(2),
        })
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            sampled: self.count as f64 * 0.5,
            mode_out: self.mode,
        }
    }
    fn event(&mut self, at: Event) -> Next {
        if at.scheduled {
            self.count += 1;
        }
        if self.count > 3 {
            Next::Terminate
        } else {
            Next::Continue
        }
    }
    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(f64::from(self.count + 1))
    }
    fn instantiate(&mut self, _resources: &Path) -> Result<(), ModelError> {
        self.table = vec![0.0];
        Ok(())
    }
}

#[test]
fn a_model_runs_without_any_fmu() {
    let mut plant = Plant::<3> {
        table: vec![0.0],
        mode: Mode::Open,
        on: true,
        ..Plant::default()
    };
    let derivatives = plant.derivatives(0.0).unwrap();
    assert_eq!(derivatives.grid[1][1], GRAVITY);
    assert_eq!(derivatives.chain, [0.0; 3]);
    assert_eq!(plant.mean(), 300.0);
    assert_eq!(plant.calculated().p0, 98100.0);
    plant.p = -1.0;
    assert!(plant.derivatives(0.0).err().unwrap().is_recoverable());
}

#[test]
fn the_description_follows_the_declaration() {
    let description = fmu_runtime::fmi2::model_description::<Plant>().unwrap();
    let names: Vec<&str> = description
        .model_variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "chain[1]",
            "chain[2]",
            "chain[3]",
            "grid[1,1]",
            "grid[1,2]",
            "grid[2,1]",
            "grid[2,2]",
            "p",
            "height",
            "rho",
            "p0",
            "mode",
            "label",
            "count",
            "on",
            "sampled",
            "mode_out",
            "first.level",
            "first.inflow",
            "first.area",
            "first.doubled",
            "first.rate",
            "cells[1].level",
            "cells[1].inflow",
            "cells[1].area",
            "cells[1].doubled",
            "cells[1].rate",
            "cells[2].level",
            "cells[2].inflow",
            "cells[2].area",
            "cells[2].doubled",
            "cells[2].rate",
            "der(chain[1])",
            "der(chain[2])",
            "der(chain[3])",
            "der(grid[1,1])",
            "der(grid[1,2])",
            "der(grid[2,1])",
            "der(grid[2,2])",
            "der(p)",
            "der(first.level)",
            "der(cells[1].level)",
            "der(cells[2].level)",
            "time"
        ]
    );
    assert_eq!(description.model_name, "Plant");
}
