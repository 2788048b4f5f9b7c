//! One step per second, from wherever it starts.

use fmu_runtime::ModelError;
use fmu_runtime::native::Native;
use stair::Stair;

#[test]
fn it_counts_the_seconds_and_ends_at_the_top() -> Result<(), ModelError> {
    for start in [0.0, 2.5, -100.0] {
        let mut stair = Native::new(Stair::default());
        stair.initialize(start)?;
        for second in 0..10 {
            let due = start + f64::from(second) + 1.0;
            assert_eq!(stair.upcoming_event(), Some(due));
            stair.simulate(due - 1e-9, 0.1)?;
            assert_eq!((stair.count, stair.is_over()), (second, false));
            stair.simulate(due, 0.1)?;
            assert_eq!(stair.count, second + 1);
        }
        stair.simulate(start + 12.0, 0.1)?;
        assert_eq!((stair.time(), stair.is_over()), (start + 10.0, true));
        assert_eq!((stair.count, stair.events()), (10, 10));
    }
    Ok(())
}

/// An event of another kind is not a step.
#[test]
fn it_climbs_only_when_the_second_is_over() -> Result<(), ModelError> {
    let mut stair = Native::new(Stair::default());
    stair.initialize(0.0)?;
    stair.simulate(0.5, 0.1)?;
    stair.fire()?;
    assert_eq!((stair.count, stair.upcoming_event()), (0, Some(1.0)));
    Ok(())
}
