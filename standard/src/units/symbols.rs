//! The symbols: SI, its prefixes, and what engineers write beside it.

/// One symbol: value in base units = numerator / denominator * (value + shift / 100).
pub(super) struct Symbol {
    pub name: &'static str,
    /// Exponents of kg, m, s, A, K, mol, cd, rad.
    pub exponents: [i32; 8],
    pub numerator: f64,
    pub denominator: f64,
    /// Hundredths of the own degree up to absolute zero; 0 for all but temperature scales.
    pub shift: f64,
    pub prefixable: bool,
}

/// A symbol that takes prefixes.
const fn si(name: &'static str, numerator: f64, denominator: f64, exponents: [i32; 8]) -> Symbol {
    Symbol {
        name,
        exponents,
        numerator,
        denominator,
        shift: 0.0,
        prefixable: true,
    }
}

/// A symbol that takes none.
const fn other(name: &'static str, numerator: f64, denominator: f64, exponents: [i32; 8]) -> Symbol {
    Symbol {
        name,
        exponents,
        numerator,
        denominator,
        shift: 0.0,
        prefixable: false,
    }
}

const fn temperature(name: &'static str, numerator: f64, denominator: f64, shift: f64) -> Symbol {
    Symbol {
        name,
        exponents: TEMPERATURE,
        numerator,
        denominator,
        shift,
        prefixable: false,
    }
}

const NUMBER: [i32; 8] = [0; 8];
const MASS: [i32; 8] = [1, 0, 0, 0, 0, 0, 0, 0];
const LENGTH: [i32; 8] = [0, 1, 0, 0, 0, 0, 0, 0];
const AREA: [i32; 8] = [0, 2, 0, 0, 0, 0, 0, 0];
const VOLUME: [i32; 8] = [0, 3, 0, 0, 0, 0, 0, 0];
const TIME: [i32; 8] = [0, 0, 1, 0, 0, 0, 0, 0];
const SPEED: [i32; 8] = [0, 1, -1, 0, 0, 0, 0, 0];
const FREQUENCY: [i32; 8] = [0, 0, -1, 0, 0, 0, 0, 0];
const TEMPERATURE: [i32; 8] = [0, 0, 0, 0, 1, 0, 0, 0];
const ANGLE: [i32; 8] = [0, 0, 0, 0, 0, 0, 0, 1];
const FORCE: [i32; 8] = [1, 1, -2, 0, 0, 0, 0, 0];
const PRESSURE: [i32; 8] = [1, -1, -2, 0, 0, 0, 0, 0];
const ENERGY: [i32; 8] = [1, 2, -2, 0, 0, 0, 0, 0];
const POWER: [i32; 8] = [1, 2, -3, 0, 0, 0, 0, 0];

const PI: f64 = std::f64::consts::PI;

#[rustfmt::skip] // a table
pub(super) const SYMBOLS: &[Symbol] = &[
    // SI base units, rad and sr
    si("m", 1.0, 1.0, LENGTH),
    si("g", 1.0, 1e3, MASS),
    si("s", 1.0, 1.0, TIME),
    si("A", 1.0, 1.0, [0, 0, 0, 1, 0, 0, 0, 0]),
    si("K", 1.0, 1.0, TEMPERATURE),
    si("mol", 1.0, 1.0, [0, 0, 0, 0, 0, 1, 0, 0]),
    si("cd", 1.0, 1.0, [0, 0, 0, 0, 0, 0, 1, 0]),
    si("rad", 1.0, 1.0, ANGLE),
    si("sr", 1.0, 1.0, [0, 0, 0, 0, 0, 0, 0, 2]),
    // SI derived units
    si("Hz", 1.0, 1.0, FREQUENCY),
    si("N", 1.0, 1.0, FORCE),
    si("Pa", 1.0, 1.0, PRESSURE),
    si("J", 1.0, 1.0, ENERGY),
    si("W", 1.0, 1.0, POWER),
    si("C", 1.0, 1.0, [0, 0, 1, 1, 0, 0, 0, 0]),
    si("V", 1.0, 1.0, [1, 2, -3, -1, 0, 0, 0, 0]),
    si("F", 1.0, 1.0, [-1, -2, 4, 2, 0, 0, 0, 0]),
    si("Ohm", 1.0, 1.0, [1, 2, -3, -2, 0, 0, 0, 0]),
    si("\u{3a9}", 1.0, 1.0, [1, 2, -3, -2, 0, 0, 0, 0]), // Greek omega
    si("\u{2126}", 1.0, 1.0, [1, 2, -3, -2, 0, 0, 0, 0]), // Ohm sign
    si("S", 1.0, 1.0, [-1, -2, 3, 2, 0, 0, 0, 0]),
    si("Wb", 1.0, 1.0, [1, 2, -2, -1, 0, 0, 0, 0]),
    si("T", 1.0, 1.0, [1, 0, -2, -1, 0, 0, 0, 0]),
    si("H", 1.0, 1.0, [1, 2, -2, -2, 0, 0, 0, 0]),
    si("lm", 1.0, 1.0, [0, 0, 0, 0, 0, 0, 1, 2]),
    si("lx", 1.0, 1.0, [0, -2, 0, 0, 0, 0, 1, 2]),
    si("Bq", 1.0, 1.0, FREQUENCY),
    si("Gy", 1.0, 1.0, [0, 2, -2, 0, 0, 0, 0, 0]),
    si("Sv", 1.0, 1.0, [0, 2, -2, 0, 0, 0, 0, 0]),
    si("kat", 1.0, 1.0, [0, 0, -1, 0, 0, 1, 0, 0]),
    si("var", 1.0, 1.0, POWER), // reactive power
    // accepted beside SI
    other("min", 60.0, 1.0, TIME),
    other("h", 3600.0, 1.0, TIME),
    other("d", 86400.0, 1.0, TIME),
    other("yr", 31_557_600.0, 1.0, TIME), // 365.25 d
    si("l", 1.0, 1e3, VOLUME),
    si("L", 1.0, 1e3, VOLUME),
    si("t", 1e3, 1.0, MASS),
    other("ha", 1e4, 1.0, AREA),
    si("bar", 1e5, 1.0, PRESSURE),
    si("eV", 1.602_176_634e-19, 1.0, ENERGY),
    other("u", 1.660_539_066_60e-27, 1.0, MASS),
    other("au", 149_597_870_700.0, 1.0, LENGTH),
    // angles and turns
    other("deg", PI, 180.0, ANGLE),
    other("\u{b0}", PI, 180.0, ANGLE),
    other("arcmin", PI, 10_800.0, ANGLE),
    other("arcsec", PI, 648_000.0, ANGLE),
    other("gon", PI, 200.0, ANGLE),
    si("rev", 2.0 * PI, 1.0, ANGLE),
    other("rpm", 2.0 * PI, 60.0, [0, 0, -1, 0, 0, 0, 0, 1]),
    // temperatures
    temperature("degC", 1.0, 1.0, 27_315.0),
    temperature("\u{b0}C", 1.0, 1.0, 27_315.0),
    temperature("degF", 5.0, 9.0, 45_967.0),
    temperature("\u{b0}F", 5.0, 9.0, 45_967.0),
    // numbers
    other("%", 1.0, 1e2, NUMBER),
    other("\u{2030}", 1.0, 1e3, NUMBER), // per mille
    other("ppm", 1.0, 1e6, NUMBER),
    other("ppb", 1.0, 1e9, NUMBER),
    // pressure, energy and power outside SI
    other("atm", 101_325.0, 1.0, PRESSURE),
    other("Torr", 101_325.0, 760.0, PRESSURE),
    other("mmHg", 133.322_387_415, 1.0, PRESSURE),
    other("psi", 6_894.757_293_168_361, 1.0, PRESSURE),
    si("cal", 4.184, 1.0, ENERGY),
    other("Btu", 1_055.055_852_62, 1.0, ENERGY),
    other("hp", 745.699_871_582_270_2, 1.0, POWER),
    // US customary and nautical
    other("in", 254.0, 1e4, LENGTH),
    other("ft", 3048.0, 1e4, LENGTH),
    other("yd", 9144.0, 1e4, LENGTH),
    other("mi", 1_609_344.0, 1e3, LENGTH),
    other("nmi", 1852.0, 1.0, LENGTH),
    other("kn", 1852.0, 3600.0, SPEED),
    other("lb", 0.453_592_37, 1.0, MASS),
    other("lbf", 4.448_221_615_260_5, 1.0, FORCE),
    other("oz", 0.453_592_37, 16.0, MASS),
    other("gal", 3.785_411_784, 1e3, VOLUME), // US liquid gallon
];

/// Prefix, numerator, denominator, and its name; `da` before `d`.
#[rustfmt::skip] // a table
pub(super) const PREFIXES: &[(&str, f64, f64, &str)] = &[
    ("da", 1e1, 1.0, "deca"), ("h", 1e2, 1.0, "hecto"), ("k", 1e3, 1.0, "kilo"), ("M", 1e6, 1.0, "mega"),
    ("G", 1e9, 1.0, "giga"), ("T", 1e12, 1.0, "tera"), ("P", 1e15, 1.0, "peta"), ("E", 1e18, 1.0, "exa"),
    ("Z", 1e21, 1.0, "zetta"), ("Y", 1e24, 1.0, "yotta"),
    ("d", 1.0, 1e1, "deci"), ("c", 1.0, 1e2, "centi"), ("m", 1.0, 1e3, "milli"), ("u", 1.0, 1e6, "micro"),
    ("\u{b5}", 1.0, 1e6, "micro"), ("\u{3bc}", 1.0, 1e6, "micro"),
    ("n", 1.0, 1e9, "nano"), ("p", 1.0, 1e12, "pico"), ("f", 1.0, 1e15, "femto"), ("a", 1.0, 1e18, "atto"),
    ("z", 1.0, 1e21, "zepto"), ("y", 1.0, 1e24, "yocto"),
];

/// Names that people write, and the symbol for each.
#[rustfmt::skip] // a table
pub(super) const WORDS: &[(&str, &str)] = &[
    ("metre", "m"), ("meter", "m"), ("gram", "g"), ("gramme", "g"), ("second", "s"), ("sec", "s"),
    ("ampere", "A"), ("amp", "A"), ("kelvin", "K"), ("mole", "mol"), ("candela", "cd"), ("radian", "rad"),
    ("steradian", "sr"), ("hertz", "Hz"), ("newton", "N"), ("pascal", "Pa"), ("joule", "J"), ("watt", "W"),
    ("coulomb", "C"), ("volt", "V"), ("farad", "F"), ("ohm", "Ohm"), ("siemens", "S"), ("weber", "Wb"),
    ("tesla", "T"), ("henry", "H"), ("lumen", "lm"), ("lux", "lx"), ("becquerel", "Bq"), ("gray", "Gy"),
    ("sievert", "Sv"), ("katal", "kat"), ("minute", "min"), ("hour", "h"), ("hr", "h"), ("day", "d"),
    ("year", "yr"), ("litre", "l"), ("liter", "l"), ("tonne", "t"), ("ton", "t"), ("hectare", "ha"),
    ("electronvolt", "eV"), ("degree", "deg"), ("revolution", "rev"), ("turn", "rev"), ("celsius", "degC"),
    ("centigrade", "degC"), ("fahrenheit", "degF"), ("percent", "%"), ("inch", "in"), ("foot", "ft"), ("feet", "ft"),
    ("yard", "yd"), ("mile", "mi"), ("knot", "kn"), ("pound", "lb"), ("lbs", "lb"), ("ounce", "oz"),
    ("gallon", "gal"), ("calorie", "cal"), ("horsepower", "hp"), ("dimensionless", "1"), ("none", "1"),
    ("mps", "m/s"), ("kmh", "km/h"), ("kph", "km/h"), ("kmph", "km/h"), ("mph", "mi/h"), ("gpm", "gal/min"),
    ("lpm", "l/min"), ("cc", "cm3"), ("sqm", "m2"), ("cfm", "ft3/min"),
];
