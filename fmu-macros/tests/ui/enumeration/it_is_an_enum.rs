// A struct has no items.
use fmu_runtime::prelude::*;

#[derive(Enumeration, Clone, Copy)]
struct Mode { //~
    on: bool,
}

fn main() {}
