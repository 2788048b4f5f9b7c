//! What an observer sees of a coupled simulation: its points, and how it ended.

/// A communication point or, where components are aggregated, an output point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Point<'a> {
    /// When.
    pub t: f64,
    /// All outputs of the coupling.
    pub y: &'a [f64],
    /// All inputs of the coupling.
    pub u: &'a [f64],
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// At its stop time.
    Reached,
    /// Earlier, because the observer asked for it.
    Interrupted,
    /// A component ended the simulation.
    Terminated {
        /// Which one.
        component: String,
        /// When, if it says so.
        time: Option<f64>,
    },
}

/// What can be recorded: a coupled simulation at some point.
pub trait Recordable {
    /// Time, outputs and inputs.
    fn point(&self) -> Point<'_>;

    /// The instance of a component, if it is an FMU.
    fn instance(&mut self, component: usize) -> Option<&mut fmu_importer::Instance>;
}
