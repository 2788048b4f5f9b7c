//! The rules of section 2.2.7 against the standard's table, written out cell by cell.

use fmu_standard::description::{Causality, Initial, Variability};
use fmu_standard::legality::*;

const CAUSALITIES: [Causality; 6] = [
    Causality::Parameter,
    Causality::CalculatedParameter,
    Causality::Input,
    Causality::Output,
    Causality::Local,
    Causality::Independent,
];

/// Rows as the standard prints them, columns in the order of `CAUSALITIES`.
const TABLE: [(Variability, &str); 5] = [
    (Variability::Constant, "---AA-"),
    (Variability::Fixed, "AB--B-"),
    (Variability::Tunable, "AB--B-"),
    (Variability::Discrete, "--DCC-"),
    (Variability::Continuous, "--DCCE"),
];

fn cells() -> impl Iterator<Item = (Causality, Variability, char)> {
    TABLE.into_iter().flat_map(|(variability, row)| {
        CAUSALITIES
            .into_iter()
            .zip(row.chars())
            .map(move |(c, cell)| (c, variability, cell))
    })
}

#[test]
fn pairs() {
    for (causality, variability, cell) in cells() {
        let allowed = cell != '-';
        assert_eq!(
            is_allowed(causality, variability),
            allowed,
            "{causality} {variability}"
        );
        assert_eq!(
            why_forbidden(causality, variability).is_none(),
            allowed,
            "{causality} {variability}"
        );
        assert_eq!(
            allowed_variabilities(causality).contains(&variability),
            allowed,
            "{causality} {variability}"
        );
    }
}

#[test]
fn initial_values() {
    use Initial::*;
    for (causality, variability, cell) in cells() {
        let (default, allowed): (_, &[Initial]) = match cell {
            'A' => (Some(Exact), &[Exact]),
            'B' => (Some(Calculated), &[Approx, Calculated]),
            'C' => (Some(Calculated), &[Exact, Approx, Calculated]),
            _ => (None, &[]),
        };
        assert_eq!(
            default_initial(causality, variability),
            default,
            "{causality} {variability}"
        );
        assert_eq!(
            allowed_initials(causality, variability),
            allowed,
            "{causality} {variability}"
        );
        assert_eq!(effective_initial(causality, variability, None), default);
        assert_eq!(
            effective_initial(causality, variability, Some(Approx)),
            Some(Approx)
        );
    }
}

#[test]
fn start_values() {
    for (causality, variability, cell) in cells() {
        let by_default = match cell {
            'A' | 'D' => Start::Required,
            'B' | 'C' | 'E' => Start::Forbidden,
            _ => continue,
        };
        assert_eq!(
            start(causality, variability, None),
            by_default,
            "{causality} {variability}"
        );
        for &initial in allowed_initials(causality, variability) {
            let expected = if initial == Initial::Calculated {
                Start::Forbidden
            } else {
                Start::Required
            };
            assert_eq!(
                start(causality, variability, Some(initial)),
                expected,
                "{causality} {variability} {initial}"
            );
        }
    }
}

#[test]
fn start_values_of_forbidden_pairs_follow_the_causality() {
    assert_eq!(
        start(Causality::Parameter, Variability::Continuous, None),
        Start::Required
    );
    assert_eq!(start(Causality::Input, Variability::Fixed, None), Start::Required);
    assert_eq!(
        start(Causality::Independent, Variability::Discrete, None),
        Start::Forbidden
    );
    assert_eq!(
        start(Causality::Output, Variability::Tunable, None),
        Start::Forbidden
    );
}

/// Phases in the order instantiated, initialization, event, continuous time, communication point.
#[track_caller]
fn settable(
    causality: Causality,
    variability: Variability,
    initial: Option<Initial>,
    is_state: bool,
    expected: &str,
) {
    let phases = [
        Phase::Instantiated,
        Phase::Initialization,
        Phase::Event,
        Phase::ContinuousTime,
        Phase::CommunicationPoint,
    ];
    let found: String = phases
        .into_iter()
        .map(|phase| {
            if is_settable(
                Role {
                    causality,
                    variability,
                    initial,
                    is_state,
                    ..Role::default()
                },
                phase,
            ) {
                'x'
            } else {
                '.'
            }
        })
        .collect();
    assert_eq!(
        found, expected,
        "{causality} {variability} {initial:?} state: {is_state}"
    );
}

#[test]
fn settable_variables() {
    use Causality::*;
    use Initial::*;
    use Variability::*;
    settable(Parameter, Fixed, None, false, "xx...");
    settable(Parameter, Tunable, Some(Exact), false, "xxx.x");
    settable(CalculatedParameter, Fixed, None, false, ".....");
    settable(CalculatedParameter, Tunable, Some(Approx), false, "x....");
    settable(Input, Continuous, None, false, ".xxxx");
    settable(Input, Discrete, None, false, ".xx.x");
    settable(Output, Continuous, None, false, ".....");
    settable(Output, Constant, None, false, ".....");
    settable(Output, Discrete, Some(Exact), false, "xx...");
    settable(Local, Discrete, Some(Approx), false, "x....");
    settable(Local, Tunable, None, false, ".....");
    settable(Local, Continuous, Some(Exact), true, "xx.x.");
    settable(Output, Continuous, Some(Approx), true, "x..x.");
    settable(Output, Continuous, None, true, "...x.");
    settable(Independent, Continuous, None, false, ".....");
}
