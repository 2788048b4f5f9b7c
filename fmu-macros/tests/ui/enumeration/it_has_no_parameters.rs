// An FMI enumeration is one type.
use fmu_runtime::prelude::*;

#[derive(Enumeration, Clone, Copy)]
enum Mode<const N: usize> { //~
    Off,
}

fn main() {}
