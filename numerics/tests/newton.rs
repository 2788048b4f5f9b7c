//! Newton's method against closed forms: small and large systems, exact and kept matrices, and its ways to fail.

use fmu_numerics::{Equations, Newton, Sparse, Why};

/// Counts what a solution takes.
#[derive(Default)]
struct Counts {
    residuals: usize,
    matrices: usize,
}

/// Bratu's problem u'' = -lambda exp(u), u(0) = u(1) = 0, by central differences on `n` inner points.
struct Bratu {
    n: usize,
    exact: bool,
    counts: Counts,
}

const LAMBDA: f64 = 1.0;

/// u(x) = -2 ln(cosh((x - 1/2) theta / 2) / cosh(theta / 4)), where theta = sqrt(2 lambda) cosh(theta / 4).
fn bratu(x: f64) -> f64 {
    let mut theta = 1.5f64;
    for _ in 0..100 {
        theta = (2.0 * LAMBDA).sqrt() * (0.25 * theta).cosh();
    }
    -2.0 * ((0.5 * (x - 0.5) * theta).cosh() / (0.25 * theta).cosh()).ln()
}

impl Equations for Bratu {
    type Stop = ();

    fn residual(&mut self, u: &[f64], r: &mut [f64]) -> Result<(), ()> {
        self.counts.residuals += 1;
        let h2 = (1.0 / (self.n + 1) as f64).powi(2);
        for i in 0..self.n {
            let left = if i > 0 { u[i - 1] } else { 0.0 };
            let right = u.get(i + 1).copied().unwrap_or(0.0);
            // Divided by the diagonal of the differences: near the identity for few points.
            r[i] = u[i] - 0.5 * (left + right + h2 * LAMBDA * u[i].exp());
        }
        Ok(())
    }

    fn jacobian(&mut self, u: &[f64], _: &[f64], matrix: &mut Sparse) -> Result<(), ()> {
        self.counts.matrices += 1;
        let h2 = (1.0 / (self.n + 1) as f64).powi(2);
        for (row, u) in u.iter().enumerate() {
            for (column, value) in matrix.row_mut(row) {
                *value = match row == column {
                    true => 1.0 - 0.5 * h2 * LAMBDA * u.exp(),
                    false => -0.5,
                };
            }
        }
        Ok(())
    }

    fn tolerated(&self, _: usize, _: f64) -> f64 {
        1e-13
    }

    fn exact(&self) -> bool {
        self.exact
    }
}

/// Three entries per row. Beyond a hundred unknowns products with the matrix take the place of its factors, and where
/// these do not converge, as here, factors again.
#[test]
fn small_and_large_systems_have_the_closed_form_to_order_two() {
    let error = |n: usize, exact: bool| {
        let near = |i: usize| (i.max(1) - 1..(i + 2).min(n)).collect();
        let mut newton = Newton::with_pattern(Sparse::new((0..n).map(near)));
        let mut system = Bratu {
            n,
            exact,
            counts: Counts::default(),
        };
        let iterations = newton.solve(&mut system, 30).unwrap().unwrap();
        assert!(iterations <= 12, "{n}: {iterations}");
        match exact {
            true => assert_eq!(system.counts.matrices, iterations),
            // Kept, with Broyden's updates or as it is.
            false => assert!(system.counts.matrices < iterations.max(2)),
        }
        let points = newton.x.iter().enumerate();
        let errors = points.map(|(i, u)| (u - bratu((i + 1) as f64 / (n + 1) as f64)).abs());
        errors.fold(0.0, f64::max)
    };
    for exact in [true, false] {
        let (coarse, fine, finest) = (error(24, exact), error(49, exact), error(199, exact));
        assert!(((coarse / fine).log2() - 2.0).abs() < 0.02, "{coarse:e} {fine:e}");
        assert!((fine / finest / 16.0 - 1.0).abs() < 0.02, "{fine:e} {finest:e}");
    }
}

/// One equation as a closure of value and slope.
struct Scalar<F>(F);

impl<F: Fn(f64) -> (f64, f64)> Equations for Scalar<F> {
    type Stop = ();

    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ()> {
        r[0] = (self.0)(x[0]).0;
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], _: &[f64], matrix: &mut Sparse) -> Result<(), ()> {
        matrix[(0, 0)] = (self.0)(x[0]).1;
        Ok(())
    }

    fn tolerated(&self, _: usize, _: f64) -> f64 {
        1e-14
    }

    fn exact(&self) -> bool {
        true
    }
}

#[test]
fn a_step_that_is_too_long_is_halved_until_it_helps() {
    // Undamped, the iteration for atan diverges from beyond 1.39.
    let mut newton = Newton::new(1);
    newton.x[0] = 20.0;
    let atan = |x: f64| (x.atan(), 1.0 / (1.0 + x * x));
    newton.solve(&mut Scalar(atan), 30).unwrap().unwrap();
    assert!(newton.x[0].abs() < 1e-13);
}

#[test]
fn what_has_no_solution_says_why() {
    let why = |start: f64, most: usize, f: fn(f64) -> (f64, f64)| {
        let mut newton = Newton::new(1);
        newton.x[0] = start;
        newton.solve(&mut Scalar(f), most).unwrap().unwrap_err().why
    };
    assert_eq!(why(0.0, 20, |x| (x * x + 1.0, 2.0 * x)), Why::Singular);
    assert_eq!(why(1.0, 20, |_| (f64::NAN, 1.0)), Why::NoNumber);
    // The slope points the wrong way.
    assert_eq!(why(1.0, 20, |x| (x, -1.0)), Why::Stuck);
    assert_eq!(why(1e6, 3, |x| (x.powi(3), 3.0 * x * x)), Why::Slow);
}

#[test]
fn an_evaluation_that_stops_ends_everything() {
    struct Stops;
    impl Equations for Stops {
        type Stop = &'static str;
        fn residual(&mut self, _: &[f64], _: &mut [f64]) -> Result<(), &'static str> {
            Err("no")
        }
        fn jacobian(&mut self, _: &[f64], _: &[f64], _: &mut Sparse) -> Result<(), &'static str> {
            Ok(())
        }
        fn tolerated(&self, _: usize, _: f64) -> f64 {
            1.0
        }
        fn exact(&self) -> bool {
            true
        }
    }
    assert_eq!(Newton::new(1).solve(&mut Stops, 5).unwrap_err(), "no");
}
