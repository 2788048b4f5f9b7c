//! Every type and every direction: what kinds of variables there are.
//!
//! | attribute | what sets the value | when it changes |
//! |---|---|---|
//! | `#[input]` | the tool that runs the FMU | any time (`f64`), at events (other types and `discrete`) |
//! | `#[output]` | `fn outputs` | with what it is computed from |
//! | `#[local]` | `fn locals`, before everything else | the same |
//! | `#[parameter]` | the tool that runs the FMU | before the start; `tunable`: at events, too |
//! | `#[parameter(calculated)]` | `fn calculated` | with the parameters it is computed from |
//! | `#[constant(start = ...)]` | the source | never |
//!
//! Only an `f64` can change continuously. An enumeration is a Rust enum whose variants are the items.

use fmu_runtime::prelude::*;

/// What happens to a number on its way
#[derive(Enumeration, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It goes through as it is
    Forward = 1,
    /// It comes out with the other sign
    Backward,
    /// It does not go through
    Blocked,
}

/// Passes values of every type through.
#[model(stop_time = 2.0, step_size = 0.1)]
pub struct Feedthrough {
    /// Changes at any time
    #[input(start = 0.0)]
    pub real_in: f64,
    /// Scaled, in the given direction, and shifted
    #[output]
    pub real_out: f64,
    /// Changes at events only
    #[input(discrete, start = 0.0)]
    pub sampled_in: f64,
    /// As it comes in
    #[output(discrete)]
    pub sampled_out: f64,
    /// A number to count with
    #[input(start = 0, min = -1000, max = 1000)]
    pub integer_in: i32,
    /// One more
    #[output]
    pub integer_out: i32,
    /// A switch
    #[input(start = false)]
    pub boolean_in: bool,
    /// The opposite
    #[output]
    pub boolean_out: bool,
    /// A text
    #[input(start = "nobody")]
    pub string_in: String,
    /// A greeting
    #[output]
    pub string_out: String,
    /// A choice
    #[input(start = Direction::Forward)]
    pub direction_in: Direction,
    /// As it comes in
    #[output]
    pub direction_out: Direction,
    /// Set before the start
    #[parameter(start = 2.0)]
    pub fixed: f64,
    /// Set at any event
    #[parameter(start = 0.5, tunable)]
    pub tunable: f64,
    /// Product of the two, and as tunable as the second
    #[parameter(calculated, tunable)]
    pub product: f64,
    /// Set once and for all, here
    #[constant(start = 3.0, output)]
    pub shift: f64,
    /// Computed before everything else; the equations after it read it like any field
    #[local]
    pub directed: f64,
}

#[equations]
impl Model for Feedthrough {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> {
            product: self.fixed * self.tunable,
        }
    }

    fn locals(&self, _t: f64) -> Locals<Self> {
        Locals::<Self> {
            directed: match self.direction_in {
                Direction::Forward => self.real_in,
                Direction::Backward => -self.real_in,
                Direction::Blocked => 0.0,
            },
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            real_out: self.product * self.directed + self.shift,
            sampled_out: self.sampled_in,
            integer_out: self.integer_in + 1,
            boolean_out: !self.boolean_in,
            string_out: format!("Hello, {}!", self.string_in),
            direction_out: self.direction_in,
        }
    }
}

export_fmu!(Feedthrough);
