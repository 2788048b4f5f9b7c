//! Structured names against the grammar of section 2.2.9.

use fmu_standard::naming::*;

#[test]
fn names_of_the_grammar() {
    for name in [
        "vehicle.engine.speed",
        "resistor12.u",
        "v_min",
        "_x",
        "robot.axis.'motor #234'",
        "der(pipe[3,4].T[14],2)",
        "der(x)",
        "der(a.b)",
        "der",
        "der.x",
        "a.b.mod[3,4].'#123'.c",
        "x[0]",
        "x[00]",
        "T[1,2,3]",
        "'a.b'[1].c",
        r"'it\'s \\ \n \v'",
        "'!#$%&()*+,-./:;<>=?@[]^{}|~ _a0'",
    ] {
        assert_eq!(check_structured(name), Ok(()), "{name}");
    }
}

#[test]
fn names_outside_the_grammar() {
    for (name, position) in [
        ("", 0),
        ("1x", 0),
        ("x(18)", 1),
        ("a..b", 2),
        ("a.", 2),
        (".a", 0),
        ("a b", 1),
        ("x[", 2),
        ("x[]", 2),
        ("x[1", 3),
        ("x[1,]", 4),
        ("x[-1]", 2),
        ("x[1][2]", 4),
        ("x[1]y", 4),
        ("der(x", 5),
        ("der()", 4),
        ("der(x,)", 6),
        ("der(x,2).y", 8),
        ("der(der(x))", 7),
        ("'abc", 4),
        ("''", 1),
        ("'a\"b'", 2),
        ("'a`b'", 2),
        (r"'a\qb'", 3),
        ("'a\nb'", 2),
        ("gr\u{f6}\u{df}e", 2),
        ("'gr\u{f6}\u{df}e'", 3),
        ("\u{2019}a\u{2019}", 0),
        ("a-b", 1),
    ] {
        let error = check_structured(name).expect_err(name);
        assert_eq!((error.name.as_str(), error.position), (name, position), "{error}");
    }
}

#[test]
fn made_names_are_names() {
    assert_eq!(element("x", &[]), "x");
    assert_eq!(element("x", &[7]), "x[7]");
    assert_eq!(elements("x", &[3]).collect::<Vec<_>>(), ["x[1]", "x[2]", "x[3]"]);
    assert_eq!(
        elements("T", &[2, 1, 2]).collect::<Vec<_>>(),
        ["T[1,1,1]", "T[1,1,2]", "T[2,1,1]", "T[2,1,2]"]
    );
    assert_eq!(elements("x", &[0, 3]).count(), 0);
    assert_eq!(elements("x", &[]).collect::<Vec<_>>(), ["x"]);
    assert_eq!(der("x[1,2]"), "der(x[1,2])");
    assert_eq!(der("der(x[1,2])"), "der(x[1,2],2)");
    assert_eq!(der(&der(&der("a.'b,3'"))), "der(a.'b,3',3)");
    for name in ["speed", "motor #2", "it's", "a\\b", "say \"x\"", "type", "2nd"] {
        assert_eq!(check_structured(&quoted(name)), Ok(()), "{name}");
    }
}

#[test]
fn c_identifiers() {
    for identifier in ["a", "_", "BouncingBall", "a_1"] {
        assert!(is_c_identifier(identifier), "{identifier}");
    }
    for text in ["", "1a", "a-b", "a b", "a.b", "\u{e4}"] {
        assert!(!is_c_identifier(text), "{text}");
    }
}
