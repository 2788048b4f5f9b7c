// Each function returns its values, or a `Result` of them.
use fmu_runtime::prelude::*;

#[model]
struct Tank {
    #[state(initial = "approx", start = 1.0)]
    level: f64,
    #[parameter(start = 2.0, min = 0.0)]
    area: f64,
    #[parameter(calculated, tunable)]
    inverse: f64,
    #[local]
    pressure: f64,
    #[output]
    full: bool,
    #[internal]
    lines: Vec<String>,
}

fn positive(x: f64) -> Result<(), ModelError> {
    if x > 0.0 {
        Ok(())
    } else {
        Err(ModelError::new(format!("{x} is not positive")).recoverable())
    }
}

#[equations]
impl Model for Tank {
    fn calculated(&self) -> Result<Calculated<Self>, ModelError> {
        if self.area == 0.0 {
            return Err(ModelError::new("no area"));
        }
        Ok(Calculated::<Self> {
            inverse: 1.0 / self.area,
        })
    }

    fn initial(&self, _t: f64) -> Result<Initial<Self>, ModelError> {
        Ok(Initial::<Self> { level: self.level })
    }

    fn locals(&self, _t: f64) -> Result<Locals<Self>, ModelError> {
        Ok(Locals::<Self> {
            pressure: 9.81 * self.level,
        })
    }

    fn derivatives(&self, _t: f64) -> Result<Derivatives<Self>, ModelError> {
        Ok(Derivatives::<Self> {
            level: -self.pressure * self.inverse,
        })
    }

    fn outputs(&self, _t: f64) -> Result<Outputs<Self>, ModelError> {
        Ok(Outputs::<Self> {
            full: self.level >= 1.0,
        })
    }

    fn event_indicators(&self, _t: f64) -> Result<[f64; 1], ModelError> {
        Ok([self.level - 1.0])
    }

    fn event(&mut self, at: Event) -> Result<Next, ModelError> {
        positive(at.time + 1.0)?;
        Ok(Next::Continue)
    }

    fn next_event_time(&self, t: f64) -> Result<Option<f64>, ModelError> {
        Ok(Some(t + 1.0))
    }

    fn completed_step(&mut self, t: f64) -> Result<bool, ModelError> {
        Ok(t > 1.0)
    }

    fn instantiate(&mut self, resources: &Path) -> Result<(), ModelError> {
        self.lines.push(resources.display().to_string());
        Ok(())
    }
}

fn main() {
    let mut tank = Tank { area: 0.0, ..Tank::default() };
    assert!(tank.calculated().is_err());
    tank.area = 4.0;
    assert_eq!(tank.calculated().unwrap().inverse, 0.25);
    tank.instantiate(Path::new("resources")).unwrap();
    assert_eq!(tank.lines, ["resources"]);
}
