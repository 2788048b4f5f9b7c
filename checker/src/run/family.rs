//! The processes that an FMU has started: which they are, how much memory they use, and how they end.
//!
//! Linux: this process adopts the orphans among them (a subreaper), so nothing that forks and leaves its session gets
//! lost. Windows: a job object. Elsewhere: the process group of the child.

use std::io;
use std::process::{Child, Command};

/// A process of the FMU's family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relative {
    pub id: u32,
    pub name: String,
}

impl std::fmt::Display for Relative {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.id {
            0 => f.write_str(&self.name),
            id => write!(f, "{} ({id})", self.name),
        }
    }
}

pub(super) use platform::Family;

/// From now on orphans of this process's descendants become its children.
pub(super) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // SAFETY: sets a flag of this process.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
    }
}

/// Ends the orphans that this process has adopted, and all other children.
pub(super) fn end_orphans() {
    #[cfg(target_os = "linux")]
    {
        Family.bury();
    }
}

/// Ends this process when the one that started it ends.
pub(super) fn end_with_the_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: sets a number of this process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Faults end this process. The handlers of Rust's runtime, which report an overflow of the stack, wait for an instruction that
/// fails again, and let a signal pass that a call has sent.
pub(super) fn end_at_faults() {
    #[cfg(unix)]
    for signal in [libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: the default action needs no memory.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use super::*;
    use std::collections::{HashMap, HashSet};
    use std::os::unix::process::CommandExt;
    use std::time::{Duration, Instant};

    pub struct Family;

    impl Family {
        pub fn start(command: &mut Command, _memory: u64) -> io::Result<(Child, Family)> {
            adopt_orphans();
            Ok((command.process_group(0).spawn()?, Family))
        }

        /// All descendants of this process that are alive. Nothing else may wait for one of them.
        pub fn alive(&self) -> Vec<Relative> {
            let seen = match has_children() {
                true => descendants(),
                false => return Vec::new(),
            };
            // One that has ended while it was looked for has left another one in its place.
            match seen.is_empty() && has_children() {
                true => vec![Relative {
                    id: 0,
                    name: "a process that is replaced all the time".into(),
                }],
                false => seen,
            }
        }

        /// Bytes of resident memory of all descendants.
        pub fn memory(&self) -> u64 {
            let pages = |relative: &Relative| {
                let text = std::fs::read_to_string(format!("/proc/{}/statm", relative.id)).ok()?;
                text.split(' ').nth(1)?.parse::<u64>().ok()
            };
            // SAFETY: asks for a constant.
            let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
            descendants().iter().filter_map(pages).sum::<u64>() * page
        }

        /// Ends all descendants. They are stopped first, each as soon as it is seen, so that those that start
        /// others do not get away.
        pub fn end(&self) {
            let patience = Instant::now() + Duration::from_secs(2);
            let mut stopped = HashSet::from([std::process::id()]);
            loop {
                let before = stopped.len();
                for id in processes() {
                    if !stopped.contains(&id)
                        && let Some((_, state, parent)) = status(id)
                        && is_alive(state)
                        && stopped.contains(&parent)
                    {
                        signal(id, libc::SIGSTOP);
                        stopped.insert(id);
                    }
                }
                if stopped.len() == before || Instant::now() > patience {
                    break;
                }
            }
            descendants()
                .iter()
                .for_each(|relative| signal(relative.id, libc::SIGKILL));
        }

        /// Ends all descendants until none is left. Nothing else may wait for one of them.
        pub fn bury(&self) {
            let patience = Instant::now() + Duration::from_secs(5);
            while has_children() && Instant::now() < patience {
                self.end();
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// Whether a child is alive. Those that have ended are taken leave of.
    fn has_children() -> bool {
        loop {
            // SAFETY: asks for any child that has ended; its status is not wanted.
            match unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } {
                ..0 => return false,
                0 => return true,
                1.. => {}
            }
        }
    }

    fn signal(process: u32, signal: libc::c_int) {
        // SAFETY: touches no memory; the process is a descendant of this one, which is its only possible reaper.
        unsafe { libc::kill(process as libc::pid_t, signal) };
    }

    /// Name, state and parent of a process.
    fn status(process: u32) -> Option<(String, char, u32)> {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name is in parentheses, and may have some of its own.
        let (name, rest) = (
            text.get(text.find('(')? + 1..text.rfind(')')?)?,
            text.get(text.rfind(')')? + 2..)?,
        );
        let mut fields = rest.split(' ');
        let state = fields.next()?.chars().next()?;
        Some((name.to_owned(), state, fields.next()?.parse().ok()?))
    }

    fn is_alive(state: char) -> bool {
        !matches!(state, 'Z' | 'X')
    }

    fn processes() -> impl Iterator<Item = u32> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    }

    fn descendants() -> Vec<Relative> {
        let mut children: HashMap<u32, Vec<(Relative, char)>> = HashMap::new();
        for id in processes() {
            if let Some((name, state, parent)) = status(id) {
                children
                    .entry(parent)
                    .or_default()
                    .push((Relative { id, name }, state));
            }
        }
        let (mut found, mut next) = (Vec::new(), vec![std::process::id()]);
        while let Some(parent) = next.pop() {
            for (relative, state) in children.remove(&parent).unwrap_or_default() {
                next.push(relative.id);
                if is_alive(state) {
                    found.push(relative);
                }
            }
        }
        found
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod platform {
    use super::*;
    use std::os::unix::process::CommandExt;

    pub struct Family(libc::pid_t);

    impl Family {
        pub fn start(command: &mut Command, _memory: u64) -> io::Result<(Child, Family)> {
            let child = command.process_group(0).spawn()?;
            let group = child.id() as libc::pid_t;
            Ok((child, Family(group)))
        }

        /// Whether a process of the group is left.
        pub fn alive(&self) -> Vec<Relative> {
            // SAFETY: signal 0 only asks.
            match unsafe { libc::kill(-self.0, 0) } {
                0 => vec![Relative {
                    id: 0,
                    name: "a process of its group".into(),
                }],
                _ => Vec::new(),
            }
        }

        /// Not known here.
        pub fn memory(&self) -> u64 {
            0
        }

        pub fn end(&self) {
            // SAFETY: touches no memory; the group is that of our child.
            unsafe { libc::kill(-self.0, libc::SIGKILL) };
        }

        pub fn bury(&self) {
            self.end();
        }
    }
}

#[cfg(windows)]
mod platform {
    use super::*;
    use std::ffi::c_void;
    use std::os::windows::io::AsRawHandle;

    type Handle = *mut c_void;

    /// `JOBOBJECT_BASIC_LIMIT_INFORMATION`, `IO_COUNTERS` and what `JOBOBJECT_EXTENDED_LIMIT_INFORMATION` has besides.
    #[repr(C)]
    #[derive(Default)]
    struct ExtendedLimits {
        process_user_time: i64,
        job_user_time: i64,
        flags: u32,
        minimum_working_set: usize,
        maximum_working_set: usize,
        active_processes: u32,
        affinity: usize,
        priority_class: u32,
        scheduling_class: u32,
        counters: [u64; 6],
        process_memory: usize,
        job_memory: usize,
        peak_process_memory: usize,
        peak_job_memory: usize,
    }

    /// `JOBOBJECT_BASIC_ACCOUNTING_INFORMATION`.
    #[repr(C)]
    #[derive(Default)]
    struct Accounting {
        times: [i64; 4],
        page_faults: u32,
        total: u32,
        active: u32,
        terminated: u32,
    }

    const BASIC_ACCOUNTING: i32 = 1;
    const EXTENDED_LIMITS: i32 = 9;
    const KILL_ON_JOB_CLOSE: u32 = 0x2000;
    const JOB_MEMORY: u32 = 0x200;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn CreateJobObjectW(attributes: *const c_void, name: *const u16) -> Handle;
        fn SetInformationJobObject(job: Handle, class: i32, information: *const c_void, length: u32) -> i32;
        fn QueryInformationJobObject(
            job: Handle,
            class: i32,
            information: *mut c_void,
            length: u32,
            returned: *mut u32,
        ) -> i32;
        fn AssignProcessToJobObject(job: Handle, process: Handle) -> i32;
        fn TerminateJobObject(job: Handle, code: u32) -> i32;
    }

    /// The handle is never closed: the operating system closes it with this process, and ends the job with it.
    pub struct Family(Handle);

    impl Family {
        pub fn start(command: &mut Command, memory: u64) -> io::Result<(Child, Family)> {
            let limits = ExtendedLimits {
                flags: KILL_ON_JOB_CLOSE | JOB_MEMORY,
                job_memory: usize::try_from(memory).unwrap_or(usize::MAX),
                ..ExtendedLimits::default()
            };
            // SAFETY: null means no attributes and no name.
            let job = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
            if job.is_null() {
                return Err(io::Error::last_os_error());
            }
            let length = size_of::<ExtendedLimits>() as u32;
            // SAFETY: the structure has the layout that belongs to the class, and its length is passed along.
            let limited =
                unsafe { SetInformationJobObject(job, EXTENDED_LIMITS, (&raw const limits).cast(), length) };
            if limited == 0 {
                return Err(io::Error::last_os_error());
            }
            let mut child = command.spawn()?;
            // SAFETY: both handles are open.
            if unsafe { AssignProcessToJobObject(job, child.as_raw_handle().cast()) } == 0 {
                let error = io::Error::last_os_error();
                let _ = child.kill();
                return Err(error);
            }
            Ok((child, Family(job)))
        }

        pub fn alive(&self) -> Vec<Relative> {
            let mut accounting = Accounting::default();
            let length = size_of::<Accounting>() as u32;
            // SAFETY: the structure has the layout that belongs to the class, and its length is passed along.
            unsafe {
                QueryInformationJobObject(
                    self.0,
                    BASIC_ACCOUNTING,
                    (&raw mut accounting).cast(),
                    length,
                    std::ptr::null_mut(),
                )
            };
            let relative = |_| Relative {
                id: 0,
                name: "a process of its job".into(),
            };
            (0..accounting.active).map(relative).collect()
        }

        /// The job holds the limit by itself.
        pub fn memory(&self) -> u64 {
            0
        }

        pub fn end(&self) {
            // SAFETY: the handle is open.
            unsafe { TerminateJobObject(self.0, 1) };
        }

        pub fn bury(&self) {
            self.end();
        }
    }
}
