//! Graphs: strongly connected components, matchings, and the blocks of a system of equations.

mod components;
mod matching;

pub use components::strongly_connected;
pub use matching::{Block, Matching, blocks, maximum_matching};
