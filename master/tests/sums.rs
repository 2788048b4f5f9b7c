//! Sums of outputs in system files.

use fmu_master::{System, SystemError};

fn read(connections: &str) -> Result<System, SystemError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sum.toml");
    let text = format!("[components.a]\nfmu = 'a.fmu'\n\n{connections}");
    std::fs::write(&path, text).unwrap();
    System::open(path)
}

#[test]
fn a_connection_may_be_from_a_sum_of_outputs() {
    let system = read(
        "[[connections]]\nto = 'a.u'\nsum = [{ from = 'b.y', gain = 2.0 }, { from = 'c.y' }]\ngain = 3.0\noffset = 0.5\n",
    );
    let system = system.unwrap();
    assert!(system.connections.is_empty());
    let [sum] = &system.sums[..] else {
        panic!("one sum: {:?}", system.sums);
    };
    assert_eq!(sum.terms, [("b.y".to_owned(), 6.0), ("c.y".to_owned(), 3.0)]);
    assert_eq!((sum.to.as_str(), sum.offset, sum.place.line), ("a.u", 0.5, 5));
}

#[test]
fn a_connection_is_from_one_output_or_from_a_sum() {
    for wrong in ["", "from = 'b.y'\nsum = [{ from = 'c.y' }]\n", "sum = []\n"] {
        let error = read(&format!("[[connections]]\nto = 'a.u'\n{wrong}"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("sum.toml, line 5: a connection needs either"),
            "{error}"
        );
    }
}

#[cfg(feature = "aggregate")]
#[test]
fn solvers_go_by_their_names() {
    let read = |solver: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("solver.toml");
        let text = format!(
            "[simulation]\nalgorithm = 'aggregate'\nsolver = '{solver}'\n[components.a]\nfmu = 'a.fmu'\n"
        );
        std::fs::write(&path, text).unwrap();
        System::open(path)
    };
    let system = read("tr-bdf2").unwrap();
    assert_eq!(system.advance, fmu_master::settings::Advance::Aggregate);
    assert_eq!(system.settings.solver.as_str(), "tr-bdf2");
    let error = read("cvode").unwrap_err().to_string();
    assert!(
        error.contains("line 3: there is no solver `cvode`; there are bdf"),
        "{error}"
    );
}
