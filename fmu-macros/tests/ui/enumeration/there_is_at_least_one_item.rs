// An empty enumeration.
use fmu_runtime::prelude::*;

#[derive(Enumeration, Clone, Copy)]
enum Mode {} //~

fn main() {}
