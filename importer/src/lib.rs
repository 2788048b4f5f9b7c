//! Any FMU, from anywhere: open, check, instantiate, simulate and linearize it.
