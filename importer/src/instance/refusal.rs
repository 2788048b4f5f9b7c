//! Adds the values that an FMU refuses to the error of the call.

use super::Instance;
use crate::{BaseType, Error, Message};
use fmu_results::table::number;

/// More values than this in a message are not read.
const MOST: usize = 5;

impl Instance {
    /// Adds to the error of a call what was to be set, unless the FMU itself has named the problem.
    #[cold]
    pub(super) fn with_values(
        &self,
        mut error: Error,
        base_type: BaseType,
        value_references: &[u32],
        values: impl Iterator<Item = f64>,
    ) -> Error {
        let Error::Call { status, messages, .. } = &mut error else {
            return error;
        };
        if !messages.is_empty() {
            return error;
        }
        let mut outside = Vec::new();
        let mut all = Vec::new();
        for (reference, value) in value_references.iter().zip(values) {
            let Some(position) = self.fmu.variables().position_of_reference(base_type, *reference) else {
                continue;
            };
            let name = &self.fmu.description().model_variables[position].name;
            let given = format!("{name} = {}", number(value));
            match self.fmu.range(position) {
                (Some(min), Some(max)) if value < min || value > max => {
                    let range = format!("its range from {} to {}", number(min), number(max));
                    outside.push(format!("{given} is outside {range}"));
                }
                (Some(min), _) if value < min => {
                    outside.push(format!("{given} is less than its minimum {}", number(min)));
                }
                (_, Some(max)) if value > max => {
                    outside.push(format!("{given} is more than its maximum {}", number(max)));
                }
                _ => {}
            }
            all.push(given);
        }
        // Whatever is within its range may be what the FMU refuses all the same.
        let said = if outside.is_empty() { all } else { outside };
        let more = match said.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = said[..said.len().min(MOST)].join(", ") + &more;
        messages.push(Message {
            instance: self.name.clone(),
            status: *status,
            category: String::new(),
            text,
        });
        error
    }
}
