//! What `rising` and `falling` in `fn event` become.

use crate::Event;

/// Whether a condition holds now and did not before the event.
#[inline]
pub fn rising(at: Event, number: u32, holds: bool) -> bool {
    holds && (at.held >> number) & 1 == 0
}

/// Whether a condition held before the event and does not now.
#[inline]
pub fn falling(at: Event, number: u32, holds: bool) -> bool {
    !holds && (at.held >> number) & 1 == 1
}

/// One bit per condition.
#[inline]
pub fn bits<const N: usize>(conditions: [bool; N]) -> u64 {
    let numbered = conditions.into_iter().zip(0u32..);
    numbered.fold(0, |bits, (holds, number)| bits | (u64::from(holds) << number))
}
