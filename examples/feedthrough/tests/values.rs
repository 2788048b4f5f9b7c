//! Every way through, with values that no other way gives.

use feedthrough::{Direction, Feedthrough};
use fmu_runtime::ModelError;
use fmu_runtime::native::Native;

#[test]
fn start_values_go_through() -> Result<(), ModelError> {
    let mut model = Native::new(Feedthrough::default());
    model.initialize(0.0)?;
    assert_eq!(
        (model.real_out, model.sampled_out, model.integer_out),
        (3.0, 0.0, 1)
    );
    assert_eq!(
        (model.boolean_out, model.string_out.as_str()),
        (true, "Hello, nobody!")
    );
    assert_eq!((model.direction_out, model.product), (Direction::Forward, 1.0));
    Ok(())
}

#[test]
fn every_type_goes_through() -> Result<(), ModelError> {
    let mut model = Native::new(Feedthrough::default());
    model.fixed = 4.0;
    model.initialize(0.0)?;
    (model.real_in, model.sampled_in, model.integer_in) = (5.0, 6.0, 7);
    (model.boolean_in, model.string_in) = (true, "world".to_owned());
    for (direction, real_out) in [
        (Direction::Forward, 13.0),
        (Direction::Backward, -7.0),
        (Direction::Blocked, 3.0),
    ] {
        model.direction_in = direction;
        model.update()?;
        assert_eq!(
            (model.real_out, model.sampled_out, model.integer_out),
            (real_out, 6.0, 8)
        );
        assert_eq!(
            (model.boolean_out, model.string_out.as_str()),
            (false, "Hello, world!")
        );
        assert_eq!(model.direction_out, direction);
    }
    Ok(())
}

#[test]
fn a_tuned_parameter_takes_the_calculated_one_along() -> Result<(), ModelError> {
    let mut model = Native::new(Feedthrough::default());
    model.initialize(0.0)?;
    (model.real_in, model.tunable) = (1.0, 10.0);
    model.fire()?;
    assert_eq!((model.product, model.real_out), (20.0, 23.0));
    Ok(())
}
