//! Two models in one program: the functions of the C interface exist in the library of an FMU alone, so model crates
//! do not get into each other's way.

use bouncing_ball::BouncingBall;
use dahlquist::Dahlquist;
use fmu_runtime::fmi2::model_description;

#[test]
fn two_model_crates_link_into_one_program() {
    assert_eq!(BouncingBall::default().derivatives(0.0).v, -9.81);
    assert_eq!(Dahlquist::default().derivatives(0.0).x, -1.0);
}

#[test]
fn each_keeps_its_own_description() {
    let ball = model_description::<BouncingBall>().expect("a description");
    let decay = model_description::<Dahlquist>().expect("a description");
    assert_eq!(
        (ball.model_name.as_str(), decay.model_name.as_str()),
        ("BouncingBall", "Dahlquist")
    );
    assert_ne!(ball.guid, decay.guid);
}
