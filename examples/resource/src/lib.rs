//! A file that travels in the FMU: the folder `resources/` beside `Cargo.toml`.
//!
//! `fn instantiate` runs when an instance of the FMU comes into being, and receives the path of that folder. What it
//! reads goes into `#[internal]` fields: no FMI variables, any Rust type. An `Err` becomes a message to the user.

use fmu_runtime::prelude::*;

/// A pressure sensor: turns volts into pressure by the polynomial of its calibration sheet.
#[model(stop_time = 1.0, step_size = 0.1)]
pub struct Resource {
    /// Voltage at the sensor
    #[input(start = 1.0, unit = "V")]
    pub voltage: f64,
    /// Pressure, by the calibration
    #[output(unit = "bar")]
    pub pressure: f64,
    /// Title of the calibration sheet
    #[output]
    pub title: String,
    /// Number of coefficients on the sheet
    #[output]
    pub count: i32,
    /// Coefficients, the constant term first
    #[internal]
    coefficients: Vec<f64>,
    /// First line of the sheet
    #[internal]
    heading: String,
}

#[equations]
impl Model for Resource {
    fn instantiate(&mut self, resources: &Path) -> Result<(), ModelError> {
        let file = resources.join("calibration.txt");
        let text = std::fs::read_to_string(&file)
            .map_err(|error| ModelError::new(format!("cannot read {}: {error}", file.display())))?;
        let mut lines = text.lines();
        self.heading = lines.next().unwrap_or_default().to_owned();
        self.coefficients = lines
            .map(|line| {
                let number = line.trim().parse::<f64>();
                number.map_err(|_| ModelError::new(format!("{}: `{line}` is not a number", file.display())))
            })
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let highest_first = self.coefficients.iter().rev();
        Outputs::<Self> {
            pressure: highest_first.fold(0.0, |sum, coefficient| sum * self.voltage + *coefficient),
            title: self.heading.clone(),
            count: self.coefficients.len() as i32,
        }
    }
}

export_fmu!(Resource);
