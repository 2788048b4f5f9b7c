//! `UpperPendulum` through the C interface.

derivatives_bench::c_program!(derivatives_bench::UpperPendulum);
