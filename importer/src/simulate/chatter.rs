//! Detects events that follow each other while time does not advance.

use super::SimulateError;

/// This many events at one time, up to roundings, are too many.
const LIMIT: usize = 200;

/// Counts events between which time hardly moves.
#[derive(Debug, Default)]
pub(super) struct Chatter {
    since: f64,
    last: f64,
    events: usize,
}

impl Chatter {
    /// Another event, with the indicators that changed their sign.
    pub fn event(&mut self, time: f64, changed: &[usize]) -> Result<(), SimulateError> {
        // Times that a solver can distinguish, with room for the tolerance of locating an event.
        let distance = 1e-9 * time.abs().max(1e-3);
        if self.events == 0 || time - self.last > distance {
            self.events = 0;
            self.since = time;
        }
        self.last = time;
        self.events += 1;
        if self.events <= LIMIT {
            return Ok(());
        }
        Err(SimulateError::Chattering {
            time,
            events: self.events,
            span: time - self.since,
            indicators: changed.iter().map(|at| at + 1).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Chatter;

    #[test]
    fn many_events_are_fine_as_long_as_time_goes_on() {
        let mut chatter = Chatter::default();
        for event in 0..10_000 {
            chatter.event(1.0 + f64::from(event) * 1e-6, &[]).unwrap();
        }
    }

    #[test]
    fn events_without_progress_are_chattering() {
        let mut chatter = Chatter::default();
        let error = (0..10_000).find_map(|event| chatter.event(1.0 + f64::from(event) * 1e-12, &[2]).err());
        let text = error.expect("chattering is noticed").to_string();
        assert!(
            text.starts_with("chattering") && text.contains("event indicator 3"),
            "{text}"
        );
    }
}
