//! Small models to use as parts: switches that watch their own thresholds.
//!
//! Each of them has its own event indicators, so the model around it needs none.

mod hysteresis;
mod stick_slip;

pub use hysteresis::Hysteresis;
pub use stick_slip::StickSlip;
