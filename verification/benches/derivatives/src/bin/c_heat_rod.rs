//! `HeatRod` through the C interface.

derivatives_bench::c_program!(derivatives_bench::HeatRod<1000>);
