//! Coupled FMUs: connection graph, initialization, master algorithms, results.

pub mod graph;
