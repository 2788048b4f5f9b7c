// `export_fmu!` takes the names of models.
use fmu_runtime::prelude::*;

export_fmu!(); //~

fn main() {}
