//! What an FMU finds in its process and must leave as it is: working folder, umask, signals, floating-point mode,
//! locale, open files. The standard streams are not its own either.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::held::Held;

/// The files that stand for standard output and standard error of an FMU, in the folder for notes.
pub(super) const STREAMS: [(&str, &str); 2] = [
    ("standard-output", "standard output"),
    ("standard-error", "standard error"),
];

/// Watches over the process of an FMU.
pub(super) struct Surroundings {
    before: State,
    streams: Vec<(Held, &'static str)>,
    /// Rules that need not be reported again.
    reported: HashSet<&'static str>,
}

impl Surroundings {
    /// As they are now, before the FMU has done anything.
    pub fn new(notes: &Path) -> Self {
        let open = |(file, name)| {
            let options = &mut OpenOptions::new();
            let file = Held::open(&notes.join(file), options.read(true).append(true)).ok()?;
            Some((file, name))
        };
        Self {
            before: State::now(),
            streams: STREAMS.into_iter().filter_map(open).collect(),
            reported: HashSet::new(),
        }
    }

    /// What the FMU has changed since the last look: the rule and what happened, once per rule. Everything is put back.
    /// `was_closed` if another file that the FMU has not opened is closed.
    pub fn look(&mut self, also_at_streams: bool, was_closed: bool) -> Vec<(&'static str, String)> {
        let now = State::now();
        let mut found = self.before.differences(&now);
        let mut closed = self.closed();
        if was_closed && closed.is_empty() {
            closed.push("a file of the importer");
        }
        if !closed.is_empty() {
            found.push(("R26e", format!("it closed {}", closed.join(", "))));
        }
        if !found.is_empty() {
            self.before.restore();
        }
        platform::flush();
        for (file, name) in &mut self.streams {
            if let Some(text) = file.get().and_then(take).filter(|_| also_at_streams) {
                found.push(("R27", format!("it wrote to {name}: {text}")));
            }
        }
        found.retain(|(rule, _)| self.reported.insert(rule));
        found
    }

    /// The files that the FMU has closed, which are open again.
    fn closed(&mut self) -> Vec<&'static str> {
        let mut closed = platform::closed_streams();
        let mut others = false;
        for (file, _) in &mut self.streams {
            others |= file.renew();
        }
        for name in &closed {
            let held = self.streams.iter_mut().find(|(_, other)| other == name);
            platform::open_stream(name, held.and_then(|(file, _)| file.get()));
        }
        if others {
            closed.push("files of the importer");
        }
        closed
    }
}

/// The beginning of what is in a file, which is empty afterwards.
fn take(file: &mut File) -> Option<String> {
    file.metadata().ok().filter(|metadata| metadata.len() > 0)?;
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(200).read_to_end(&mut bytes).ok()?;
    let _ = file.set_len(0);
    let text = String::from_utf8_lossy(&bytes);
    Some(format!("{:?}", text.lines().next().unwrap_or_default()))
}

/// The state of a process that everybody in it shares, and the one of this thread.
struct State {
    folder: Option<PathBuf>,
    umask: platform::Umask,
    handlers: Vec<platform::Handler>,
    blocked: Vec<bool>,
    floating_point: [u32; 2],
    locale: String,
}

impl State {
    fn now() -> Self {
        Self {
            folder: std::env::current_dir().ok(),
            umask: platform::umask(),
            handlers: platform::handlers(),
            blocked: platform::blocked(),
            floating_point: floating_point::read(),
            locale: platform::locale(),
        }
    }

    fn differences(&self, now: &Self) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let folder = |folder: &Option<PathBuf>| match folder {
            Some(folder) => folder.display().to_string(),
            None => "one that does not exist".into(),
        };
        if self.folder != now.folder {
            let now = folder(&now.folder);
            found.push(("R26", format!("the working folder of the process is now {now}")));
        }
        if self.umask != now.umask {
            let (old, new) = (self.umask, now.umask);
            found.push(("R26a", format!("the umask is now {new:03o}, not {old:03o}")));
        }
        let signals = |list: Vec<usize>| {
            let list: Vec<_> = list.iter().map(|at| (at + 1).to_string()).collect();
            list.join(", ")
        };
        let handlers = self.handlers.iter().zip(&now.handlers).enumerate();
        let changed: Vec<_> = handlers
            .filter(|(_, (old, new))| !platform::is_same(old, new))
            .map(|(at, _)| at)
            .collect();
        if !changed.is_empty() {
            let changed = signals(changed);
            found.push(("R26b", format!("it handles signals by itself: {changed}")));
        }
        let blocked = self.blocked.iter().zip(&now.blocked).enumerate();
        let changed: Vec<_> = blocked
            .filter(|(_, (old, new))| old != new)
            .map(|(at, _)| at)
            .collect();
        if !changed.is_empty() {
            let changed = signals(changed);
            found.push(("R26b", format!("it blocks or unblocks signals: {changed}")));
        }
        if self.floating_point != now.floating_point {
            let what = floating_point::difference(self.floating_point, now.floating_point);
            found.push(("R26c", format!("the floating-point mode is another: {what}")));
        }
        if self.locale != now.locale {
            let (old, new) = (&self.locale, &now.locale);
            found.push(("R26d", format!("the locale is now {new:?}, not {old:?}")));
        }
        found
    }

    fn restore(&self) {
        if let Some(folder) = &self.folder {
            let _ = std::env::set_current_dir(folder);
        }
        platform::restore(self.umask, &self.handlers, &self.blocked, &self.locale);
        floating_point::write(self.floating_point);
    }
}

#[cfg(unix)]
mod platform {
    use std::ffi::{CStr, CString};
    use std::fs::File;
    use std::mem::MaybeUninit;
    use std::ptr;

    /// What happens at a signal; `None` where the operating system does not say.
    pub type Handler = Option<libc::sigaction>;

    pub type Umask = libc::mode_t;

    /// Signals are numbers from 1 on.
    const SIGNALS: libc::c_int = 64;

    pub fn is_same(a: &Handler, b: &Handler) -> bool {
        a.map(|a| a.sa_sigaction) == b.map(|b| b.sa_sigaction)
    }

    pub fn umask() -> Umask {
        // SAFETY: sets a number of the process and puts it back.
        unsafe {
            let now = libc::umask(0o077);
            libc::umask(now);
            now
        }
    }

    pub fn handlers() -> Vec<Handler> {
        let one = |signal| {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: only asks; the answer is written into `action`, for which all zeros are valid.
            unsafe {
                let answer = libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
                (answer == 0).then(|| action.assume_init())
            }
        };
        (1..=SIGNALS).map(one).collect()
    }

    fn mask() -> libc::sigset_t {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: only asks; the answer is written into `set`, for which all zeros are valid.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), set.as_mut_ptr());
            set.assume_init()
        }
    }

    pub fn blocked() -> Vec<bool> {
        let set = mask();
        // SAFETY: looks at a bit of the set.
        let is_blocked = |signal| unsafe { libc::sigismember(&set, signal) } == 1;
        (1..=SIGNALS).map(is_blocked).collect()
    }

    pub fn locale() -> String {
        // SAFETY: only asks; the text is valid until the next call, and copied before it.
        unsafe {
            let text = libc::setlocale(libc::LC_ALL, ptr::null());
            match text.is_null() {
                true => String::new(),
                false => CStr::from_ptr(text).to_string_lossy().into_owned(),
            }
        }
    }

    /// The standard streams, by their numbers.
    const STREAMS: [&str; 3] = ["standard input", "standard output", "standard error"];

    /// The standard streams that are not open.
    pub fn closed_streams() -> Vec<&'static str> {
        // SAFETY: asks for a flag of a number, which need not be open.
        let is_closed = |number| unsafe { libc::fcntl(number, libc::F_GETFD) } == -1;
        let streams = (0..).zip(STREAMS);
        streams
            .filter(|(number, _)| is_closed(*number))
            .map(|(_, name)| name)
            .collect()
    }

    /// Opens a standard stream again: as this file, or as one that is empty.
    pub fn open_stream(name: &str, file: Option<&mut File>) {
        let empty = || File::options().read(true).write(true).open("/dev/null");
        let (Some(number), Ok(file)) = (
            (0..).zip(STREAMS).find(|(_, other)| *other == name),
            file.map_or_else(empty, |file| file.try_clone()),
        ) else {
            return;
        };
        let (number, file) = (number.0, std::os::fd::IntoRawFd::into_raw_fd(file));
        if file != number {
            // SAFETY: the stream is closed, and the file is open and belongs to nothing else.
            unsafe {
                libc::dup2(file, number);
                libc::close(file);
            }
        }
    }

    pub fn flush() {
        // SAFETY: writes what C's streams hold back.
        unsafe { libc::fflush(ptr::null_mut()) };
    }

    pub fn restore(umask: Umask, handlers: &[Handler], blocked: &[bool], locale: &str) {
        let mut set = mask();
        // SAFETY: everything is set to what was read before from the same places.
        unsafe {
            libc::umask(umask);
            for (signal, handler) in (1..).zip(handlers) {
                if let Some(handler) = handler {
                    libc::sigaction(signal, handler, ptr::null_mut());
                }
            }
            for (signal, blocked) in (1..).zip(blocked) {
                match blocked {
                    true => libc::sigaddset(&mut set, signal),
                    false => libc::sigdelset(&mut set, signal),
                };
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &set, ptr::null_mut());
            if let Ok(locale) = CString::new(locale) {
                libc::setlocale(libc::LC_ALL, locale.as_ptr());
            }
        }
    }
}

#[cfg(not(unix))]
mod platform {
    pub type Handler = ();

    pub type Umask = u32;

    pub fn is_same(_: &Handler, _: &Handler) -> bool {
        true
    }

    pub fn umask() -> Umask {
        0
    }

    pub fn handlers() -> Vec<Handler> {
        Vec::new()
    }

    pub fn blocked() -> Vec<bool> {
        Vec::new()
    }

    pub fn locale() -> String {
        String::new()
    }

    pub fn closed_streams() -> Vec<&'static str> {
        Vec::new()
    }

    pub fn open_stream(_: &str, _: Option<&mut std::fs::File>) {}

    pub fn flush() {}

    pub fn restore(_: Umask, _: &[Handler], _: &[bool], _: &str) {}
}

/// Rounding, traps, and what becomes of subnormal numbers.
#[cfg(target_arch = "x86_64")]
mod floating_point {
    use std::arch::asm;

    /// All of MXCSR but the flags of exceptions that have occurred.
    const CONTROL: u32 = 0xffc0;

    /// The control bits of MXCSR, and the control word of the x87 unit.
    pub fn read() -> [u32; 2] {
        let (mut word, mut old_unit) = (0_u32, 0_u16);
        // SAFETY: each instruction stores a register in the variable behind it and changes nothing else.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &mut word, options(nostack, preserves_flags));
            asm!("fnstcw [{}]", in(reg) &mut old_unit, options(nostack, preserves_flags));
        }
        [word & CONTROL, old_unit.into()]
    }

    pub fn write([word, old_unit]: [u32; 2]) {
        let old_unit = old_unit as u16;
        // SAFETY: both registers get what was read from them, so no reserved bit is set.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, preserves_flags));
            asm!("fldcw [{}]", in(reg) &old_unit, options(nostack, preserves_flags));
        }
    }

    pub fn difference(old: [u32; 2], new: [u32; 2]) -> String {
        let change = old[0] ^ new[0];
        let mut words = Vec::new();
        for (bits, what) in [
            (0x6000, "rounding"),
            (0x1f80, "exceptions that are trapped"),
            (0x8040, "subnormal numbers become 0"),
        ] {
            if change & bits != 0 {
                words.push(what);
            }
        }
        if words.is_empty() {
            words.push("control word of the x87 unit");
        }
        words.join(", ")
    }
}

#[cfg(target_arch = "aarch64")]
mod floating_point {
    use std::arch::asm;

    /// FPCR.
    pub fn read() -> [u32; 2] {
        let word: u64;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        [word as u32, 0]
    }

    pub fn write([word, _]: [u32; 2]) {
        // SAFETY: writes what was read from the same register.
        unsafe { asm!("msr fpcr, {}", in(reg) u64::from(word), options(nostack, preserves_flags)) };
    }

    pub fn difference(old: [u32; 2], new: [u32; 2]) -> String {
        format!("control register {:#x}, not {:#x}", new[0], old[0])
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod floating_point {
    pub fn read() -> [u32; 2] {
        [0; 2]
    }

    pub fn write(_: [u32; 2]) {}

    pub fn difference(_: [u32; 2], _: [u32; 2]) -> String {
        String::new()
    }
}
