//! A system from a program. [`System::assemble`] checks everything, so mistakes are errors there.

use std::path::PathBuf;

use fmu_importer::Value;

use super::{Assignment, Component, Connection, External, LoopAlgorithm, Pattern, Place, Sum, System};
use crate::settings::{Algorithm, Interface, Settings, Solver};

impl System {
    /// An empty system.
    ///
    /// ```no_run
    /// use fmu_master::System;
    /// use fmu_master::settings::{Algorithm, Settings};
    ///
    /// let system = System::new("quarter car")
    ///     .component("wheel", "Wheel.fmu")
    ///     .component("chassis", "Chassis.fmu")
    ///     .set("chassis.m", 400.0)
    ///     .connect("wheel.x", "chassis.x_wheel")
    ///     .connect("chassis.f", "wheel.f")
    ///     .input("wheel.road", 0.1)
    ///     .record("*.x")
    ///     .settings(Settings::default().stop(2.0).algorithm(Algorithm::GaussSeidel));
    /// let mut assembled = system.assemble()?;
    /// assembled.master.initialize(&assembled.start)?;
    /// assembled.master.run(|point| point.t < 1.0)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Mistakes are found when it is assembled, whatever they are:
    ///
    /// ```
    /// use fmu_master::System;
    ///
    /// let system = System::new("nothing").component("a", "nowhere.fmu").connect("b.y", "a.u").set("c", 1.0);
    /// let error = system.assemble().err().unwrap();
    /// assert!(error.to_string().starts_with("the system, component a: cannot read nowhere.fmu"));
    /// ```
    #[must_use]
    pub fn new(name: &str) -> System {
        System {
            name: name.to_owned(),
            ..System::default()
        }
    }

    /// Adds an FMU that steps through its interface for Model Exchange, with this integrator around it.
    #[must_use]
    pub fn model_exchange(self, name: &str, fmu: impl Into<PathBuf>, solver: Solver) -> System {
        let mut system = self.component(name, fmu);
        if let Some(component) = system.components.last_mut() {
            component.interface = Some(Interface::ModelExchange);
            component.solver = Some(solver);
        }
        system
    }

    /// Adds an FMU.
    #[must_use]
    pub fn component(mut self, name: &str, fmu: impl Into<PathBuf>) -> System {
        self.components.push(Component {
            name: name.to_owned(),
            fmu: fmu.into(),
            interface: None,
            solver: None,
            isolated: false,
            values: Vec::new(),
            place: Place::default(),
        });
        self
    }

    /// Runs the component that was added last in a process of its own, which [`AssembleOptions::host`] starts.
    ///
    /// [`AssembleOptions::host`]: crate::system::AssembleOptions::host
    #[must_use]
    pub fn isolated(mut self) -> System {
        if let Some(component) = self.components.last_mut() {
            component.isolated = true;
        }
        self
    }

    /// Sets a parameter or start value, `component.variable`.
    ///
    /// ```
    /// use fmu_master::System;
    ///
    /// let system = System::new("car").component("wheel", "Wheel.fmu").set("wheel.m", 40.0);
    /// assert_eq!(system.values[0].variable, "wheel.m");
    /// ```
    #[must_use]
    pub fn set(mut self, variable: &str, value: impl Into<Value>) -> System {
        let value = value.into().to_string();
        self.values
            .push(Assignment::new(variable, value, Place::default()));
        self
    }

    /// Connects an output to an input. A `*` stands for any text in the name of the output, and for the same in that of
    /// the input: `connect("rod.T[*]", "wall.T[*]")`.
    #[must_use]
    pub fn connect(self, from: &str, to: &str) -> System {
        self.connect_with(from, to, 1.0, 0.0)
    }

    /// Connects an output to an input: `to = gain * from + offset`.
    ///
    /// ```
    /// use fmu_master::System;
    ///
    /// // A force on one side is the opposite on the other.
    /// let pair = System::new("pair").connect("a.x", "b.x").connect_with("b.f", "a.f", -1.0, 0.0);
    /// assert_eq!(pair.connections[1].gain, -1.0);
    /// ```
    #[must_use]
    pub fn connect_with(mut self, from: &str, to: &str, gain: f64, offset: f64) -> System {
        self.connections.push(Connection {
            from: from.to_owned(),
            to: to.to_owned(),
            gain,
            offset,
            convert: true,
            map: None,
            place: Place::default(),
        });
        self
    }

    /// Feeds an input with a sum of outputs, each with a factor, and an offset.
    #[must_use]
    pub fn connect_sum(mut self, terms: &[(&str, f64)], to: &str, offset: f64) -> System {
        self.sums.push(Sum {
            terms: terms
                .iter()
                .map(|&(from, gain)| (from.to_owned(), gain))
                .collect(),
            to: to.to_owned(),
            offset,
            convert: true,
            place: Place::default(),
        });
        self
    }

    /// Gives an input a value from outside that does not change.
    #[must_use]
    pub fn input(self, to: &str, value: f64) -> System {
        self.input_points(to, [(0.0, value)])
    }

    /// Gives an input values over time from outside, linear between the points. Of two points at one time the second
    /// counts from there on.
    ///
    /// ```
    /// use fmu_master::System;
    ///
    /// let ramp = System::default().input_points("car.u", [(0.0, 0.0), (1.0, 5.0)]);
    /// assert_eq!(ramp.inputs[0].points.len(), 2);
    /// ```
    #[must_use]
    pub fn input_points(mut self, to: &str, points: impl IntoIterator<Item = (f64, f64)>) -> System {
        self.inputs.push(External {
            to: to.to_owned(),
            points: points.into_iter().collect(),
            unit: None,
            place: Place::default(),
        });
        self
    }

    /// Lets components that need each other step by an algorithm of their own.
    ///
    /// ```
    /// use fmu_master::System;
    /// use fmu_master::settings::Algorithm;
    ///
    /// let system = System::new("car").loop_algorithm(&["wheel", "chassis"], Algorithm::Newton);
    /// assert_eq!(system.loops[0].components, ["wheel", "chassis"]);
    /// ```
    #[must_use]
    pub fn loop_algorithm(mut self, components: &[&str], algorithm: Algorithm) -> System {
        self.loops.push(LoopAlgorithm {
            components: components.iter().map(|&name| name.to_owned()).collect(),
            algorithm,
            place: Place::default(),
        });
        self
    }

    /// Records variables whose names match a pattern, `component.variable` with `*` and `?`.
    #[must_use]
    pub fn record(mut self, pattern: &str) -> System {
        self.record.push(Pattern {
            text: pattern.to_owned(),
            place: Place::default(),
        });
        self
    }

    /// Says how to simulate.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> System {
        self.settings = settings;
        self
    }
}
