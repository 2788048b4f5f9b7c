use super::*;
use syn::{Expr, parse_quote};

/// The outputs that `n` may decide unseen, and the integers to try.
fn outputs(body: syn::Block) -> (Vec<String>, Vec<String>) {
    let summary: ModelSummary = parse_quote!({
        [::fmu_runtime] sound Gate [] [] []
        [input u number real, input n integer unbounded, output y number real, output z number real, internal table]
    });
    let method: ImplItemFn = parse_quote!(fn outputs(&self, t: f64) -> Outputs<Self> #body);
    let hidden = hidden_decisions(&summary, &[("outputs", &method)]);
    let decided = hidden.decided.into_iter().map(|(_, field)| field).collect();
    let integers = hidden
        .seen
        .integers
        .iter()
        .map(|value| value.to_token_stream().to_string());
    (decided, integers.collect())
}

#[track_caller]
fn assert_decided(body: syn::Block, expected: &[&str]) {
    assert_eq!(outputs(body).0, expected);
}

#[test]
fn comparisons_with_numbers_give_the_values_to_try() {
    let (decided, integers) = outputs(parse_quote!({
        let open = self.n == 42 || -7 < self.n;
        Outputs::<Self> {
            y: if open { self.u } else { 0.0 },
            z: match self.n {
                1 | 2 => self.u,
                10..=20 => 1.0,
                LIMIT => 2.0,
                n => n as f64,
            },
        }
    }));
    assert_eq!(decided, Vec::<String>::new());
    assert_eq!(integers, ["42", "- 7", "1", "2", "10", "20", "LIMIT"]);
}

#[test]
fn a_constant_of_the_body_cannot_be_named_outside() {
    assert_decided(
        parse_quote!({
            const KEY: i32 = 42;
            Outputs::<Self> {
                y: if self.n == KEY { self.u } else { 0.0 },
                z: 0.0,
            }
        }),
        &["y"],
    );
}

#[test]
fn arithmetic_decides_nothing_until_it_is_looked_at() {
    assert_decided(
        parse_quote!({
            let scaled = self.n as f64 * 2.0 + 1.0;
            Outputs::<Self> {
                y: scaled * self.u,
                z: if scaled > 7.0 { 1.0 } else { 0.0 },
            }
        }),
        &["z"],
    );
}

#[test]
fn what_is_assigned_under_a_hidden_decision_is_decided() {
    assert_decided(
        parse_quote!({
            let mut y = 0.0;
            let z = self.u;
            if self.n * 2 == 84 {
                y = self.u;
            }
            Outputs::<Self> { y, z }
        }),
        &["y"],
    );
    assert_decided(
        parse_quote!({
            let (mut a, mut y) = (0.0, 0.0);
            for i in 0..3 {
                y = a;
                if self.n == self.k(i) {
                    a = self.u;
                }
            }
            Outputs::<Self> { y, z: self.u }
        }),
        &["y"],
    );
}

#[test]
fn borrows_and_closures_lead_to_what_they_change() {
    assert_decided(
        parse_quote!({
            let mut y = 0.0;
            let target = &mut y;
            if self.n / 2 == 21 {
                *target = self.u;
            }
            Outputs::<Self> { y, z: self.u }
        }),
        &["y"],
    );
    assert_decided(
        parse_quote!({
            let mut y = 0.0;
            let mut open = |k: i32| {
                if k == 42 {
                    y = self.u;
                }
            };
            open(self.n);
            Outputs::<Self> { y, z: self.u }
        }),
        &["y"],
    );
    assert_decided(
        parse_quote!({
            let mut list = vec![0.0];
            fill(&mut list, self.n);
            Outputs::<Self> {
                y: list[0],
                z: self.u,
            }
        }),
        &["y"],
    );
}

#[test]
fn leaving_early_decides_everything() {
    assert_decided(
        parse_quote!({
            if self.n * 2 == 84 {
                return Outputs::<Self> { y: 1.0, z: 1.0 };
            }
            Outputs::<Self> { y: 0.0, z: 0.0 }
        }),
        &["y", "z"],
    );
    assert_decided(
        parse_quote!({
            if self.n == 42 {
                return Outputs::<Self> { y: 1.0, z: 1.0 };
            }
            Ok(Outputs::<Self> { y: 0.0, z: 0.0 })
        }),
        &[],
    );
}

#[test]
fn methods_loops_and_macros_are_not_looked_into() {
    assert_decided(
        parse_quote!({
            Outputs::<Self> {
                y: self.energy(),
                z: self.u,
            }
        }),
        &["y"],
    );
    assert_decided(
        parse_quote!({
            let y = (0..self.n).map(|i| i as f64 * self.u).sum::<f64>();
            let open = matches!(self.n, 42);
            Outputs::<Self> {
                y,
                z: if open { 1.0 } else { 0.0 },
            }
        }),
        &["y", "z"],
    );
    assert_decided(
        parse_quote!({
            Outputs::<Self> {
                y: self.table[self.n as usize],
                z: [self.u; 2][1],
            }
        }),
        &["y"],
    );
}

#[test]
fn events_that_change_an_internal_field_are_seen() {
    let changed = |body: syn::Block| {
        let method: ImplItemFn = parse_quote!(fn event(&mut self, at: Event) #body);
        is_changed("table", &[("event", &method)])
    };
    assert!(changed(parse_quote!({
        self.table = Vec::new();
    })));
    assert!(changed(parse_quote!({
        if at.initial {
            self.table[0] += 1.0;
        }
    })));
    assert!(changed(parse_quote!({
        self.table.rows[1].x -= 2;
    })));
    assert!(changed(parse_quote!({
        self.table.push(1.0);
    })));
    assert!(changed(parse_quote!({
        refill(&mut self.table);
    })));
    assert!(!changed(parse_quote!({
        self.d = self.table.value(self.x);
    })));
    assert!(!changed(parse_quote!({
        if self.table[0] == 1.0 {
            self.d = self.table.len() as f64;
        }
    })));
    assert!(!changed(parse_quote!({
        self.tables = 1;
    })));
}

/// What the output `y` carries and what decides in it, with an internal field that events change.
fn usage(body: syn::Block) -> (Vec<String>, Vec<String>) {
    let summary: ModelSummary = parse_quote!({
        [::fmu_runtime] sound Belt [] [] []
        [input u number real, input n integer unbounded, output y number real, part wheels, internal table, internal map fixed]
    });
    let outputs: ImplItemFn = parse_quote!(fn outputs(&self, t: f64) -> Outputs<Self> #body);
    let event: ImplItemFn = parse_quote!(
        fn event(&mut self, at: Event) {
            self.table[0] += 1.0;
        }
    );
    let hidden = hidden_decisions(&summary, &[("outputs", &outputs), ("event", &event)]);
    let text = |causes: &Causes| -> Vec<String> {
        let text = |cause: &Cause| {
            let (decided, factor) = (
                ["", "!"][usize::from(cause.only_decided)],
                ["*", ""][usize::from(cause.added)],
            );
            format!("{}{decided}{factor}", cause.what)
        };
        causes.iter().map(text).collect()
    };
    match hidden.usages.first() {
        Some((_, _, usage)) => (text(&usage.carries), text(&usage.decided)),
        None => (Vec::new(), Vec::new()),
    }
}

#[track_caller]
fn assert_usage(body: syn::Block, carries: &[&str], decided: &[&str]) {
    let (found, deciding) = usage(body);
    assert_eq!(
        (found, deciding),
        (
            carries.iter().map(ToString::to_string).collect(),
            decided.iter().map(ToString::to_string).collect(),
        )
    );
}

#[test]
fn what_is_made_of_internal_fields_alone_decides_nothing() {
    let of = |value: Expr| -> syn::Block { parse_quote!({ Outputs::<Self> { y: #value } }) };
    assert_usage(of(parse_quote!(self.table[3] + self.u)), &["table"], &[]);
    assert_usage(
        of(parse_quote!(self.table.last().copied().unwrap_or(0.0) - self.u)),
        &["table"],
        &[],
    );
    assert_usage(of(parse_quote!(self.table[0] * self.u)), &["table*"], &[]);
    assert_usage(
        of(parse_quote!(if self.table[0] > 1.0 {
            2.0
        } else {
            self.table[1]
        })),
        &["table"],
        &[],
    );
    assert_usage(
        of(parse_quote!(if self.table[0] > 1.0 { self.u } else { 0.0 })),
        &[],
        &["table*"],
    );
    assert_usage(of(parse_quote!(self.table.at(self.u))), &[], &["table*"]);
    assert_usage(of(parse_quote!(self.map.at(self.u))), &[], &[]);
    assert_usage(of(parse_quote!(self.map[self.n as usize])), &[], &["n*"]);
    assert_usage(
        parse_quote!({
            let mut sum = 0.0;
            for value in &self.table {
                sum += *value;
            }
            Outputs::<Self> { y: sum }
        }),
        &["table"],
        &[],
    );
    assert_usage(
        parse_quote!({
            let mut sum = 0.0;
            for _ in &self.table {
                sum += self.u;
            }
            Outputs::<Self> { y: sum }
        }),
        &["table"],
        &["table*"],
    );
}

#[test]
fn helper_methods_and_elements_of_parts_are_named() {
    assert_usage(
        parse_quote!({
            Outputs::<Self> {
                y: self.gain() * self.u,
            }
        }),
        &["gain()*"],
        &["gain()!*"],
    );
    assert_usage(
        parse_quote!({
            let slips = self.wheels.iter().any(|wheel| wheel.slips);
            Outputs::<Self> {
                y: if slips { self.u } else { 0.0 },
            }
        }),
        &[],
        &["wheels.slips*", "wheels.slips!*"],
    );
    assert_usage(
        parse_quote!({
            Outputs::<Self> {
                y: if self.wheels[1].rim.w > 0.0 { self.u } else { 0.0 },
            }
        }),
        &[],
        &["wheels.rim.w*", "wheels.rim.w!*"],
    );
}
