// Integrator, tolerance and step size are attributes; internal fields of any kind are possible.
use fmu_runtime::model::Describe;
use fmu_runtime::prelude::*;
use std::collections::HashMap;

#[derive(Enumeration, Clone, Copy)]
enum Mood {
    Good,
    Bad,
}

#[derive(Clone, Default)]
struct Anything;

/// A part
#[model]
struct Memory<const N: usize> {
    /// What was seen
    #[internal(default = [0.0; N])]
    seen: [f64; N],
    #[internal]
    unknown: Anything,
}

#[equations]
impl<const N: usize> Model for Memory<N> {}

/// A tank
#[model(solver = "rk4", tolerance = 1e-8, max_step = 0.01, solver_parameters, solver_statistics)]
struct Tank {
    /// Level
    #[state(start = 1.0, unit = "m")]
    level: f64,
    #[internal(default = Mood::Good)]
    mood: Mood,
    #[internal(fixed)]
    names: HashMap<String, f64>,
    #[internal]
    queue: Vec<(f64, Option<String>)>,
    #[part]
    memories: [Memory<3>; 2],
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { level: -self.level }
    }
}

fn main() {
    let tank = Tank::default();
    assert_eq!((tank.solver.tolerance, tank.solver.max_step), (1e-8, 0.01));
    assert_eq!((tank.statistics.steps, tank.statistics.evaluations), (0, 0));
    let mut unstored = Vec::new();
    tank.unstored("", &mut |name| unstored.push(name));
    assert_eq!(unstored, ["memories.unknown"]);
    assert!(matches!(tank.mood, Mood::Good) && !matches!(tank.mood, Mood::Bad));
}
