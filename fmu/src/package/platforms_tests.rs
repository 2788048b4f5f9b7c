//! What `fmu platforms` says on machines of different kinds.

use super::*;

fn tools(host: &str, programs: &[&str]) -> Tools {
    Tools {
        host: Platform::of(host).unwrap(),
        release: "1.95.0".to_owned(),
        installed: [host.to_owned()].into(),
        add_target: Some("rustup target add".to_owned()),
        programs: programs.iter().map(|program| (*program).to_owned()).collect(),
        multilib: false,
        configured: Default::default(),
    }
}

fn lines(tools: &Tools) -> String {
    list(tools).split_once("\n\n").unwrap().1.to_owned()
}

#[test]
fn on_linux() {
    let mut debian = tools("x86_64-unknown-linux-gnu", &["apt-get", "x86_64-w64-mingw32-gcc"]);
    debian.installed.insert("x86_64-pc-windows-gnu".to_owned());
    debian.installed.insert("riscv64gc-unknown-linux-gnu".to_owned());
    assert_eq!(
        list(&debian),
        "\
This machine is x86_64-unknown-linux-gnu with rustc 1.95.0. It can package for the platforms with `yes`; the others need what is listed.

linux64          yes  x86_64-unknown-linux-gnu (this machine)
win64            yes  x86_64-pc-windows-gnu, linked by x86_64-w64-mingw32-gcc
aarch64-linux    no   rustup target add aarch64-unknown-linux-gnu
                      apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross
darwin64         no   build on macOS, or install a linker with its SDK, such as osxcross
aarch64-darwin   no   build on macOS, or install a linker with its SDK, such as osxcross
linux32          no   rustup target add i686-unknown-linux-gnu
                      apt-get install gcc-i686-linux-gnu libc6-dev-i386-cross
win32            no   rustup target add i686-pc-windows-gnu
                      apt-get install gcc-mingw-w64-i686
aarch64-windows  no   install llvm-mingw and name its compiler in .cargo/config.toml, or build on Windows
aarch32-linux    no   rustup target add armv7-unknown-linux-gnueabihf
                      apt-get install gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
riscv64-linux    no   apt-get install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
"
    );
    let folders: Vec<String> = buildable(&debian)
        .into_iter()
        .map(|platform| platform.folder)
        .collect();
    assert_eq!(folders, ["linux64", "win64"]);
    debian.multilib = true;
    assert!(lines(&debian).contains("linux32          no   rustup target add i686-unknown-linux-gnu\nwin32"));
}

#[test]
fn on_other_linux_systems() {
    let fedora = lines(&tools("x86_64-unknown-linux-gnu", &["dnf"]));
    assert!(
        fedora.contains(
            "win64            no   rustup target add x86_64-pc-windows-gnu\n                      \
             dnf install mingw64-gcc mingw64-winpthreads-static\n"
        ),
        "{fedora}"
    );
    // Neither a package manager that we know nor rustup.
    let mut other = tools("x86_64-unknown-linux-gnu", &[]);
    other.add_target = None;
    let text = lines(&other);
    assert!(
        text.contains("\nwin64            no   this Rust toolchain has no standard library for x86_64-pc-windows-gnu; install Rust"),
        "{text}"
    );
    other.installed.insert("x86_64-pc-windows-gnu".to_owned());
    let text = lines(&other);
    assert!(
        text.contains("win64            no   install x86_64-w64-mingw32-gcc, which is in the package gcc-mingw-w64-x86-64 of"),
        "{text}"
    );
}

#[test]
fn on_windows() {
    let text = lines(&tools("x86_64-pc-windows-msvc", &[]));
    for line in [
        "win64            yes  x86_64-pc-windows-msvc (this machine)",
        "linux64          no   package in the Windows Subsystem for Linux (`wsl --install`)",
        "aarch64-linux    no   package in the Windows Subsystem for Linux (`wsl --install`)",
        "win32            no   rustup target add i686-pc-windows-msvc",
        "aarch64-windows  no   rustup target add aarch64-pc-windows-msvc",
        "darwin64         no   build on macOS, or install a linker with its SDK, such as osxcross",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn on_macos() {
    let mut mac = tools("aarch64-apple-darwin", &["brew"]);
    let text = lines(&mac);
    for line in [
        "aarch64-darwin   yes  aarch64-apple-darwin (this machine)",
        "darwin64         no   rustup target add x86_64-apple-darwin",
        "win64            no   rustup target add x86_64-pc-windows-gnu",
        "                      brew install mingw-w64",
        "linux64          no   package on Linux, for example in a container",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    // The compiler of macOS links for both of its processors.
    mac.installed.insert("x86_64-apple-darwin".to_owned());
    let text = lines(&mac);
    assert!(
        text.contains("darwin64         yes  x86_64-apple-darwin\n"),
        "{text}"
    );
}

#[test]
fn a_linker_that_the_user_names_is_taken() {
    let mut machine = tools("x86_64-unknown-linux-gnu", &["apt-get"]);
    machine.installed.insert("aarch64-unknown-linux-gnu".to_owned());
    machine.configured.insert("aarch64-unknown-linux-gnu".to_owned());
    let text = lines(&machine);
    assert!(
        text.contains("aarch64-linux    yes  aarch64-unknown-linux-gnu, linked as configured\n"),
        "{text}"
    );
}

#[test]
fn a_missing_linker_is_named_with_what_installs_it() {
    let say = |triple: &str, programs: &[&str]| {
        let machine = tools("x86_64-unknown-linux-gnu", programs);
        let remedy = linker::choose(&Platform::of(triple).unwrap(), &machine).unwrap_err();
        let error = Error::MissingLinker {
            triple: triple.to_owned(),
            remedy: remedy.sentence(),
        };
        error.to_string()
    };
    assert_eq!(
        say("x86_64-pc-windows-gnu", &["apt-get"]),
        "no linker for `x86_64-pc-windows-gnu` on this machine; run: apt-get install gcc-mingw-w64-x86-64; or name one in \
         .cargo/config.toml ([target.x86_64-pc-windows-gnu] linker = \"...\")"
    );
    assert!(say("x86_64-pc-windows-msvc", &[]).contains("or take the target that ends with -windows-gnu,"));
    assert!(say("aarch64-apple-darwin", &[]).contains("; build on macOS, or install a linker with its SDK"));
}
