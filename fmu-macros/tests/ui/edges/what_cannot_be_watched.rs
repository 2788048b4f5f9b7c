// A condition of `rising` is a comparison of fields, constants and the time.
use fmu_runtime::prelude::*;

#[model]
struct Tank {
    #[state(start = 1.0)]
    level: f64,
    #[discrete(start = 0)]
    count: i32,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { level: 1.0 }
    }

    fn event(&mut self, _at: Event) {
        let limit = 2.0;
        if rising(self.level > limit) { //~
            self.count += 1;
        }
        if falling(self.is_full()) { //~
            self.count += 1;
        }
        if rising() { //~
            self.count += 1;
        }
    }
}

impl Tank {
    fn is_full(&self) -> bool {
        self.level > 2.0
    }
}

fn main() {}
