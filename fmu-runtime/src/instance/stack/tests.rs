//! Both kinds of stacks, wherever they can be compiled.

/// What a stack must do.
macro_rules! tests {
    ($kind:ident) => {
        mod $kind {
            use super::super::$kind::{Stack, on_host};
            use super::deep;
            use std::cell::Cell;
            use std::panic::{AssertUnwindSafe, catch_unwind};
            use std::rc::Rc;
            use std::thread;

            const SIZE: usize = 32 << 20;

            /// Runs a test on a thread that has too little stack for `deep`.
            fn on_a_small_stack(test: impl FnOnce() + Send) {
                thread::scope(|scope| {
                    let host = thread::Builder::new().stack_size(256 << 10);
                    host.spawn_scoped(scope, test).unwrap().join().unwrap();
                });
            }

            #[test]
            fn it_is_as_large_as_asked_for() {
                on_a_small_stack(|| {
                    let stack = Stack::new(SIZE).unwrap();
                    // At least 4 MiB, three times: each call begins at the top again.
                    for _ in 0..3 {
                        assert_eq!(stack.run(|| deep(1024)), 1024);
                    }
                });
            }

            #[test]
            fn what_belongs_to_the_callers_thread_is_lent_and_comes_back() {
                let stack = Stack::new(SIZE).unwrap();
                let shared = Rc::new(Cell::new(1));
                let mine = &shared;
                let returned = stack.run(|| {
                    mine.set(mine.get() + 1);
                    mine.clone()
                });
                assert_eq!((shared.get(), Rc::strong_count(&returned)), (2, 2));
            }

            #[test]
            fn a_panic_goes_on_in_the_caller() {
                let stack = Stack::new(SIZE).unwrap();
                let payload =
                    catch_unwind(AssertUnwindSafe(|| stack.run(|| panic!("stop here")))).unwrap_err();
                assert_eq!(payload.downcast_ref::<&str>(), Some(&"stop here"));
                assert_eq!(stack.run(|| 7), 7);
            }

            #[test]
            fn functions_of_the_host_are_called_from_there() {
                let stack = Stack::new(SIZE).unwrap();
                let calls = Cell::new(0);
                let result = stack.run(|| {
                    let logged = on_host(|| calls.replace(calls.get() + 1));
                    (logged, on_host(|| calls.replace(calls.get() + 1)))
                });
                assert_eq!((result, calls.get()), ((0, 1), 2));
                assert_eq!(on_host(|| 3), 3);
            }

            #[test]
            fn stacks_of_two_instances_can_be_nested() {
                let (outer, inner) = (Stack::new(SIZE).unwrap(), Stack::new(SIZE).unwrap());
                let result = outer.run(|| on_host(|| inner.run(|| deep(100))) + deep(100));
                assert_eq!(result, 200);
            }
        }
    };
}

#[cfg(all(unix, target_arch = "x86_64"))]
tests!(own);
tests!(thread);

/// Uses at least 4 KiB of stack per level; code without optimization copies the array.
#[inline(never)]
fn deep(levels: u32) -> u32 {
    let room = std::hint::black_box([1_u8; 4096]);
    match levels {
        0 => 0,
        _ => deep(levels - 1) + u32::from(std::hint::black_box(room)[levels as usize % 4096]),
    }
}
