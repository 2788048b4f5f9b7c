//! What the loops share: the models, the same equations without the macros, the C interface, a large model on a
//! small stack.

pub mod by_hand;
pub mod c_interface;
pub mod large;
mod pendulum;

pub use heat_rod::HeatRod;
pub use pendulum::UpperPendulum;
pub use van_der_pol::VanDerPol;

/// How often a loop runs, from the program's first arguments: its name, and the number of its rounds.
pub fn arguments() -> (String, u64) {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok());
    (name, rounds.unwrap_or(1))
}
