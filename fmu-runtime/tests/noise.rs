//! Seeded noise: its distribution, and that snapshots replay it.

use fmu_runtime::evaluator::Evaluator;
use fmu_runtime::prelude::*;
use fmu_runtime::stored::{Reader, Writer};

#[test]
fn published_numbers_of_the_generator() {
    // The first outputs of SplitMix64 with seed 1234567.
    let mut noise = Noise::new(1_234_567);
    let expected = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
    ];
    for bits in expected {
        assert_eq!(noise.bits(), bits);
    }
}

#[test]
fn moments_are_those_of_the_distributions() {
    let mut noise = Noise::new(7);
    let n = 200_000;
    let mut sums = [0.0; 5];
    let mut uniform = [0.0; 2];
    for _ in 0..n {
        let x = noise.normal();
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += x.powi(k as i32) / f64::from(n);
        }
        let u = noise.uniform();
        assert!((0.0..1.0).contains(&u));
        uniform[0] += u / f64::from(n);
        uniform[1] += (u - 0.5).powi(2) / f64::from(n);
    }
    // Five standard deviations of each mean.
    let deviation = 5.0 / f64::from(n).sqrt();
    assert!(sums[1].abs() < deviation && (sums[2] - 1.0).abs() < 2f64.sqrt() * deviation);
    assert!(sums[3].abs() < 15f64.sqrt() * deviation && (sums[4] - 3.0).abs() < 96f64.sqrt() * deviation);
    assert!((uniform[0] - 0.5).abs() < 0.3 * deviation);
    assert!((uniform[1] - 1.0 / 12.0).abs() < 0.1 * deviation);
}

/// A walk of random steps
#[model]
struct Walk {
    /// Position
    #[discrete(start = 0.0)]
    x: f64,
    #[internal(default = Noise::new(3))]
    noise: Noise,
}

#[equations]
impl Model for Walk {
    #[sampled(period = 0.1)]
    fn step(&mut self) {
        self.x += self.noise.normal();
    }
}

#[test]
fn snapshots_replay_the_noise() {
    let run = |evaluator: &mut Evaluator<Walk>| {
        let mut places = Vec::new();
        for _ in 0..101 {
            evaluator.begin_event();
            let next = evaluator.event_pass().unwrap().next_event_time.unwrap();
            places.push(evaluator.model().x);
            evaluator.set_time(next);
        }
        places
    };
    let mut evaluator = Evaluator::new(Box::new(Walk::default()));
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    let first = run(&mut evaluator);
    let mut bytes = Vec::new();
    evaluator.write_to(&mut Writer(&mut bytes));
    let mut copy = evaluator.clone();
    let mut read = Evaluator::read_from(Box::new(Walk::default()), &mut Reader(&bytes)).unwrap();
    let second = run(&mut evaluator);
    assert_ne!(first, second);
    assert_eq!(run(&mut copy), second);
    assert_eq!(run(&mut read), second);
}
