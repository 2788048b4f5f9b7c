//! Units against the SI brochure and the examples of the standard.

use fmu_standard::units::{UnitError, dimension, display_unit, parse, unit};

const PI: f64 = std::f64::consts::PI;

/// Unit, its base dimension, factor.
#[rustfmt::skip] // a table
const UNITS: &[(&str, &str, f64)] = &[
    // the standard's own table (section 2.2.2), Hz as in SI
    ("N.m", "kg.m2.s-2", 1.0), ("N*m", "kg.m2.s-2", 1.0), ("J", "kg.m2.s-2", 1.0), ("bar", "kg.m-1.s-2", 1e5),
    ("deg", "rad", PI / 180.0), ("rad/s", "s-1.rad", 1.0), ("rpm", "s-1.rad", 2.0 * PI / 60.0), ("Hz", "s-1", 1.0),
    ("%/m", "m-1", 0.01), ("ppm", "1", 1e-6), ("km", "m", 1000.0), ("yd", "m", 0.9144), ("1", "1", 1.0),
    // structure
    ("m/s2", "m.s-2", 1.0), ("m/s^2", "m.s-2", 1.0), ("m.s-2", "m.s-2", 1.0), ("m*s^-2", "m.s-2", 1.0),
    ("m/s/s", "m.s-2", 1.0), ("kg.m2/s", "kg.m2.s-1", 1.0), ("W/(m.K)", "kg.m.s-3.K-1", 1.0),
    ("W/(m2.K4)", "kg.s-3.K-4", 1.0), ("1/min", "s-1", 1.0 / 60.0), ("rev/min", "s-1.rad", 2.0 * PI / 60.0),
    ("(N.m)/(rad/s)", "kg.m2.s-1.rad-1", 1.0), ("J/(kg.K)", "m2.s-2.K-1", 1.0), ("m+3", "m3", 1.0),
    ("m\u{b2}", "m2", 1.0), ("N\u{b7}m", "kg.m2.s-2", 1.0), ("m0", "1", 1.0),
    // SI
    ("kg", "kg", 1.0), ("g", "kg", 1e-3), ("mg", "kg", 1e-6), ("A", "A", 1.0), ("K", "K", 1.0), ("mol", "mol", 1.0),
    ("cd", "cd", 1.0), ("rad", "rad", 1.0), ("N", "kg.m.s-2", 1.0), ("Pa", "kg.m-1.s-2", 1.0), ("W", "kg.m2.s-3", 1.0),
    ("C", "s.A", 1.0), ("V", "kg.m2.s-3.A-1", 1.0), ("F", "kg-1.m-2.s4.A2", 1.0), ("Ohm", "kg.m2.s-3.A-2", 1.0),
    ("\u{3a9}", "kg.m2.s-3.A-2", 1.0), ("S", "kg-1.m-2.s3.A2", 1.0), ("Wb", "kg.m2.s-2.A-1", 1.0),
    ("T", "kg.s-2.A-1", 1.0), ("H", "kg.m2.s-2.A-2", 1.0), ("lm", "cd.rad2", 1.0), ("lx", "m-2.cd.rad2", 1.0),
    ("kat", "s-1.mol", 1.0), ("Sv", "m2.s-2", 1.0),
    // prefixes; `min` is a minute, `cd` a candela, `Pa` a pascal, `ha` a hectare, `mm2` squares the prefix too
    ("min", "s", 60.0), ("h", "s", 3600.0), ("d", "s", 86400.0), ("mm", "m", 1e-3), ("mm2", "m2", 1e-6),
    ("cm3", "m3", 1e-6), ("um", "m", 1e-6), ("\u{b5}m", "m", 1e-6), ("nF", "kg-1.m-2.s4.A2", 1e-9), ("dam", "m", 10.0),
    ("dm3", "m3", 1e-3), ("hPa", "kg.m-1.s-2", 100.0), ("MPa", "kg.m-1.s-2", 1e6), ("mbar", "kg.m-1.s-2", 100.0),
    ("GHz", "s-1", 1e9), ("ha", "m2", 1e4), ("mT", "kg.s-2.A-1", 1e-3), ("kt", "kg", 1e6), ("mmol/l", "m-3.mol", 1.0),
    // beside SI
    ("kW.h", "kg.m2.s-2", 3.6e6), ("l/min", "m3.s-1", 1e-3 / 60.0), ("A.h", "s.A", 3600.0), ("km/h", "m.s-1", 1.0 / 3.6),
    ("t", "kg", 1000.0), ("%", "1", 0.01), ("kcal", "kg.m2.s-2", 4184.0), ("mi/h", "m.s-1", 0.44704),
    ("lbf/in2", "kg.m-1.s-2", 6894.757293168361), ("psi", "kg.m-1.s-2", 6894.757293168361),
    ("ft.lbf/s", "kg.m2.s-3", 745.6998715822702 / 550.0), ("kn", "m.s-1", 1852.0 / 3600.0), ("atm", "kg.m-1.s-2", 101325.0),
    ("in", "m", 0.0254), ("oz", "kg", 0.028349523125), ("gal/min", "m3.s-1", 3.785411784e-3 / 60.0),
    // a temperature inside a product is a difference
    ("J/(kg.degC)", "m2.s-2.K-1", 1.0), ("W/degF", "kg.m2.s-3.K-1", 1.8), ("degC/s", "s-1.K", 1.0),
];

#[test]
fn known_units() {
    for &(text, base, factor) in UNITS {
        let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(dimension(&parsed.exponents), base, "{text}");
        assert!(
            (parsed.factor / factor - 1.0).abs() < 4e-16,
            "{text}: {} is not {factor}",
            parsed.factor
        );
        assert_eq!(parsed.offset, 0.0, "{text}");
    }
}

#[test]
fn decimal_factors_are_exact() {
    for (text, factor) in [
        ("kg", 1.0),
        ("mm3", 1e-9),
        ("l", 1e-3),
        ("kW.h", 3.6e6),
        ("mg/ml", 1.0),
        ("g/cm3", 1e3),
    ] {
        assert_eq!(parse(text).unwrap().factor, factor, "{text}");
    }
}

#[test]
fn temperatures() {
    let celsius = parse("degC").unwrap();
    assert_eq!((celsius.factor, celsius.offset), (1.0, 273.15));
    let fahrenheit = parse("\u{b0}F").unwrap();
    assert_eq!(
        (fahrenheit.factor, fahrenheit.offset),
        (5.0 / 9.0, 229_835.0 / 900.0)
    ); // 459.67 * 5/9
    assert_eq!(unit("degC").unwrap().base_unit, Some(celsius));
}

#[test]
fn display_units() {
    for (from, to, factor, offset) in [
        ("K", "degC", 1.0, -273.15),
        ("K", "degF", 1.8, -459.67),
        ("degC", "K", 1.0, 273.15),
        ("degC", "degF", 1.8, 32.0),
        ("degC", "degC", 1.0, 0.0),
        ("rad", "deg", 57.29577951308232, 0.0),
        ("rad/s", "deg/s", 57.29577951308232, 0.0),
        ("rad/s", "rev/min", 9.549296585513721, 0.0),
        ("rad/s", "rpm", 9.549296585513721, 0.0),
        ("rad/s", "Hz", 0.15915494309189535, 0.0),
        ("1/s", "Hz", 1.0, 0.0),
        ("Pa", "bar", 1e-5, 0.0),
        ("bar", "kPa", 100.0, 0.0),
        ("m/s", "km/h", 3.6, 0.0),
        ("J", "kW.h", 1.0 / 3.6e6, 0.0),
        ("m3/s", "l/min", 60000.0, 0.0),
        ("1", "%", 100.0, 0.0),
    ] {
        let display = display_unit(from, to).unwrap_or_else(|error| panic!("{from} as {to}: {error}"));
        assert_eq!(
            (display.name.as_str(), display.factor, display.offset),
            (to, factor, offset),
            "{from} as {to}"
        );
    }
}

#[test]
fn display_units_of_another_dimension_are_refused() {
    let error = display_unit("N.m", "kW").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`kW` cannot show `N.m`: their dimensions are kg.m2.s-3 and kg.m2.s-2"
    );
    assert!(matches!(
        display_unit("rad/s", "1/s"),
        Err(UnitError::Dimension { .. })
    ));
    assert!(matches!(
        display_unit("m", "Hz"),
        Err(UnitError::Dimension { .. })
    ));
    assert!(matches!(
        display_unit("m", "metre"),
        Err(UnitError::Unknown { .. })
    ));
    assert!(matches!(
        display_unit("metre", "m"),
        Err(UnitError::Unknown { .. })
    ));
}

#[test]
fn unknown_units_get_a_suggestion() {
    for (text, symbol, expected) in [
        ("metre", "metre", Some("m")),
        ("meters/s", "meters", Some("m")),
        ("kg.millimetre2", "millimetre", Some("mm")),
        ("seconds", "seconds", Some("s")),
        ("kilogram", "kilogram", Some("kg")),
        ("hertz", "hertz", Some("Hz")),
        ("HZ", "HZ", Some("Hz")),
        ("KG", "KG", Some("kg")),
        ("pa", "pa", Some("Pa")),
        ("khz", "khz", Some("kHz")),
        ("Nm", "Nm", Some("N.m")),
        ("kWh", "kWh", Some("kW.h")),
        ("mAh", "mAh", Some("mA.h")),
        ("kmh", "kmh", Some("km/h")),
        ("celsius", "celsius", Some("degC")),
        ("degCs", "degCs", Some("degC.s")),
        ("farenheit", "farenheit", Some("degF")),
        ("ohms", "ohms", Some("Ohm")),
        ("W/(m.kelvin)", "kelvin", Some("K")),
        ("furlong", "furlong", None),
        ("Euro/PersonYear", "Euro", None),
    ] {
        match &parse(text) {
            Err(
                error @ UnitError::Unknown {
                    symbol: found,
                    position,
                },
            ) => {
                let suggestion = error.suggestion();
                assert_eq!(found, symbol, "{text}");
                assert_eq!(*position, text.find(symbol).unwrap(), "{text}");
                assert_eq!(suggestion.as_deref(), expected, "{text}");
                if let Some(suggestion) = suggestion {
                    assert!(parse(&suggestion).is_ok(), "{text}: {suggestion}");
                }
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn what_is_no_unit_is_refused_where_it_goes_wrong() {
    for (text, position) in [
        ("", 0),
        ("m/", 2),
        ("/s", 0),
        ("m..s", 2),
        ("J/kg.K", 4),
        ("W/(m.K", 6),
        ("m)", 1),
        ("kg m", 2),
        (" m", 0),
        ("m^", 2),
        ("m-", 2),
        ("m2.5", 3),
        ("10/s", 0),
        ("m123", 1),
        ("m99999999999", 1),
        ("-", 0),
        ("(m)2", 3),
        ("Ym99", 4),
        ("\u{3a9}/", 3),
    ] {
        match parse(text) {
            Err(UnitError::Syntax {
                unit,
                position: found,
                ..
            }) => assert_eq!((unit.as_str(), found), (text, position)),
            other => panic!("{text}: {other:?}"),
        }
    }
    assert_eq!(
        parse("J/kg.K").unwrap_err().to_string(),
        "`J/kg.K` is not a unit, at character 5: a product after `/` needs parentheses, as in `W/(m.K)`"
    );
    let nested = "(".repeat(100_000);
    assert!(parse(&nested).is_err());
}
