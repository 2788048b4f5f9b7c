//! Decisions that no exploration sees: by an integer, a text, a part that has one, an internal field that events change.

use super::lines::structure;
use fmu_runtime::prelude::*;

const MAGIC: i32 = 1234;

#[differentiable]
fn is_special(n: i32, x: f64) -> f64 {
    if n == 4711 { x } else { 0.0 }
}

/// Integers and texts that decide: by comparison, by arithmetic, out of sight.
#[model]
struct Hidden {
    /// A number
    #[input]
    u: f64,
    /// Another
    #[input]
    w: f64,
    /// Any integer
    #[input]
    n: i32,
    /// One of a few
    #[input(min = 0, max = 99)]
    few: i32,
    /// A text
    #[input(start = "a")]
    text: String,
    /// Values to choose from
    #[parameter(start = 1.0)]
    row: [f64; 100],
    /// By a literal
    #[output]
    literal: f64,
    /// By a constant of the module, a negative number, a range
    #[output]
    matched: f64,
    /// By something computed
    #[output]
    computed: f64,
    /// By a remainder
    #[output]
    remainder: f64,
    /// By a variable in between
    #[output]
    between: f64,
    /// By a function
    #[output]
    called: f64,
    /// By the text
    #[output]
    spelled: f64,
    /// As a number
    #[output]
    counted: f64,
    /// One more
    #[output]
    next: i32,
    /// As an index, of few values
    #[output]
    indexed: f64,
    /// A comparison with a number of the model
    #[output]
    above: bool,
    /// By a local variable
    #[output]
    by_local: f64,
    /// By nothing of the kind
    #[output]
    free: f64,
    /// A number that carries the integer
    #[local]
    scaled: f64,
}

#[equations]
impl Model for Hidden {
    fn locals(&self, _t: f64) -> Locals<Self> {
        Locals::<Self> {
            scaled: self.n as f64 / 1e3,
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let key = self.n / 3;
        let mut between = 0.0;
        for i in 0..3 {
            if key == 100 + i {
                between += self.u;
            }
        }
        Outputs::<Self> {
            literal: if self.n == 42 { self.u } else { 1.0 },
            matched: match self.n {
                MAGIC => self.u,
                -70_000 => 2.0,
                5_000..=6_000 => self.w,
                _ => 3.0,
            },
            computed: if self.n * 2 == 84 { self.u } else { 0.0 },
            remainder: match self.n % 1000 {
                999 => self.w,
                _ => 0.0,
            },
            between,
            called: is_special(self.n, self.u),
            spelled: if self.text == "open" { self.u } else { 0.0 },
            counted: self.n as f64 * self.u,
            next: self.n + 1,
            indexed: self.row[self.few as usize],
            above: self.n > self.few,
            by_local: if self.scaled > 2.5 { self.u } else { 0.0 },
            free: self.w,
        }
    }
}

#[test]
fn no_value_of_an_integer_or_a_text_hides_a_dependency() {
    let found = structure::<Hidden>();
    let all = "u dependent, w dependent, n dependent, few dependent, text dependent, time dependent";
    assert_eq!(
        found.outputs(),
        [
            "literal: u discrete, n dependent".to_owned(),
            "matched: u discrete, w discrete, n dependent".to_owned(),
            format!("computed: {all}"),
            format!("remainder: {all}"),
            format!("between: {all}"),
            format!("called: {all}"),
            format!("spelled: {all}"),
            "counted: u discrete, n dependent".to_owned(),
            "next: n dependent".to_owned(),
            "indexed: few dependent".to_owned(),
            format!("above: {all}"),
            format!("by_local: {all}"),
            "free: w constant".to_owned(),
        ]
    );
    let about = |variable: &str| {
        let start = format!("{variable} is listed as dependent on all knowns: ");
        let note = found.notes.iter().find(|note| note.starts_with(&start));
        note.unwrap_or_else(|| panic!("no note about {variable}: {:?}", found.notes))
            .clone()
    };
    assert!(
        about("computed").contains("`n` may decide in it") && about("computed").contains("`min` and `max`")
    );
    assert!(about("spelled").contains("`text`"));
    assert!(about("above").contains("`n`"));
}

/// A part that decides by an integer, and one that has none.
#[model]
struct Gate {
    /// In
    #[input]
    u: f64,
    /// Which gate is open
    #[input]
    n: i32,
    /// Out
    #[output]
    y: f64,
    /// The integer as a number
    #[output]
    number: f64,
}

#[equations]
impl Model for Gate {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: if self.n == 42 { self.u } else { 0.0 },
            number: self.n as f64,
        }
    }
}

/// No integer
#[model]
struct Wire {
    /// In
    #[input]
    u: f64,
    /// Out
    #[output]
    y: f64,
}

#[equations]
impl Model for Wire {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: self.u }
    }
}

/// Parts with and without integers, and an internal field that events change.
#[model]
struct Gates {
    #[part]
    gate: Gate,
    #[part]
    wires: [Wire; 2],
    #[internal(default = false)]
    open: bool,
    #[internal(default = vec![2.0])]
    gains: Vec<f64>,
    /// What the part computes from its integer
    #[output]
    passed: f64,
    /// A decision about what the part computes from its integer
    #[output]
    compared: f64,
    /// A decision about what the other parts compute
    #[output]
    wired: f64,
    /// By an internal field that events change
    #[output]
    toggled: f64,
    /// By one that they leave alone
    #[output]
    amplified: f64,
}

#[equations]
impl Model for Gates {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let second = self.wires[1].y;
        Outputs::<Self> {
            passed: 2.0 * self.gate.y,
            compared: if self.gate.number > 1e6 + 0.5 {
                self.wires[0].y
            } else {
                0.0
            },
            wired: if self.wires[0].y > 0.0 { second } else { 0.0 },
            toggled: if self.open { self.wires[0].u } else { 0.0 },
            amplified: self.gains[0] * self.wires[0].u,
        }
    }
    fn event(&mut self, _at: Event) {
        self.open = !self.open;
    }
}

#[test]
fn what_parts_and_events_decide_is_not_missed() {
    let found = structure::<Gates>();
    let all =
        "gate.u dependent, gate.n dependent, wires[1].u dependent, wires[2].u dependent, time dependent";
    let outputs = found.outputs();
    let own: Vec<&String> = outputs
        .iter()
        .filter(|line| !line.starts_with(['g', 'w']) || line.starts_with("wired"))
        .collect();
    assert_eq!(
        own,
        [
            "passed: gate.u discrete, gate.n dependent",
            &format!("compared: {all}"),
            "wired: wires[1].u dependent, wires[2].u dependent",
            &format!("toggled: {all}"),
            "amplified: wires[1].u constant",
        ]
    );
    assert!(
        found.notes.iter().any(|note| note.contains("`gate.n`")),
        "{:?}",
        found.notes
    );
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("internal field `open`")),
        "{:?}",
        found.notes
    );
}
