//! The inner loop of an integrator on the VanDerPol example, against `verification/benches/c/van_der_pol.c`.

use super::Figure;
use super::race::{Loop, Ours, Race};
use crate::chore::{Place, Result};

/// Time and, where valgrind is there, instructions.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let ours = Ours {
        model: "VanDerPol",
        crate_name: "van-der-pol",
        directory: &place.root,
        target: None,
    };
    let race = Race::prepare(place, &ours, "van_der_pol", "{c-baseline-van-der-pol}")?;
    let lap = Loop {
        what: "one loop",
        name: "derivatives",
        loops: "5000",
        limit: Some(1.15),
    };
    race.run(&lap, smoke)
}
