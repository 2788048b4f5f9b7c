//! Instructions of a program, counted by valgrind's callgrind.

use std::process::Command;

/// The instructions of one run of a program, or `None` without valgrind or if the program fails.
///
/// Callgrind removes the file of its profile before it writes it, so the profile goes to a private folder: with
/// `/dev/null` as the file, a run with root's rights replaces that device by a plain file.
pub fn instructions(program: impl FnOnce(&mut Command)) -> Option<u64> {
    let folder = tempfile::tempdir().ok()?;
    let mut command = Command::new("valgrind");
    let mut profile = std::ffi::OsString::from("--callgrind-out-file=");
    profile.push(folder.path().join("profile"));
    command.arg("--tool=callgrind").arg(profile);
    program(&mut command);
    let output = command.output().ok()?;
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = printed.lines().find(|line| line.contains("Collected :"))?;
    let total = line.rsplit(' ').next()?.parse().ok()?;
    output.status.success().then_some(total)
}
