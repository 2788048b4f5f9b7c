// `export_fmu!` takes the name of one model.
use fmu_runtime::prelude::*;

export_fmu!(); //~

fn main() {}
