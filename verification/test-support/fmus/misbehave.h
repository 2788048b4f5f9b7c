/* What FMUs do to the process that they run in, chosen by the environment:
 *
 *     MISBEHAVE=KIND  MISBEHAVE_AT=TIME  MISBEHAVE_IN=FUNCTION (any if absent)
 *     MISBEHAVE_IF=VARIABLE (only where the environment has this variable)
 *
 * Happens once, in the first matching call. -DFAULT_MISBEHAVE='"KIND"' chooses without the environment.
 */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

/* An exception needs the library of C++, which the others should not have to bring along. */
#if !defined FAULT_MISBEHAVE || defined THROWS
#define THROW __cxa_throw(__cxa_allocate_exception(4), &_ZTIi, 0)
#else
#define THROW abort()
#endif
void *__cxa_allocate_exception(size_t);
void __cxa_throw(void *, void *, void (*)(void *));
extern void *_ZTIi;
int feenableexcept(int);

static void ignore(int signal) { (void)signal; }

static int recurse(volatile int depth) {
    volatile char frame[4096];
    frame[depth % 4096] = 1;
    return recurse(depth + 1) + frame[0];
}

static void sleep_long(void) {
    for (int s = 0; s < 120; s++) sleep(1);
    _exit(0);
}

static void *crash_later(void *nothing) {
    usleep(20000);
    *(volatile int *)8 = 1;
    return nothing;
}

static void misbehave(const char *function, double time) {
    static int done;
    const char *kind = getenv("MISBEHAVE"), *at = getenv("MISBEHAVE_AT"), *in = getenv("MISBEHAVE_IN");
    const char *condition = getenv("MISBEHAVE_IF");
#ifdef FAULT_MISBEHAVE
    if (!kind) kind = FAULT_MISBEHAVE;
#endif
    if (done || !kind || (condition && !getenv(condition))) return;
    if ((at && time < atof(at)) || (in && strcmp(in, function) != 0)) return;
    /* In the middle of a step, while others step. */
    if (strncmp(kind, "late-", 5) == 0 && strcmp(function, "fmi2DoStep") != 0) return;
    done = 1;
#define IS(name) (strcmp(kind, name) == 0)
    if (IS("segfault")) *(volatile int *)8 = 1;
    if (IS("late-segfault")) { usleep(50000); *(volatile int *)8 = 1; }
    if (IS("late-exit")) { usleep(50000); exit(0); }
    if (IS("late-_exit")) { usleep(50000); _exit(0); }
    if (IS("late-kill")) { usleep(50000); kill(getpid(), SIGKILL); }
    if (IS("jump-to-null")) ((void (*)(void))0)();
    if (IS("write-to-code")) *(volatile char *)&recurse = 1;
    if (IS("abort")) abort();
    if (IS("trap")) __builtin_trap();
    if (IS("divide")) { volatile int zero = 0; volatile int x = 7 / zero; (void)x; }
    if (IS("exit-0")) exit(0);
    if (IS("exit-3")) exit(3);
    if (IS("_exit-0")) _exit(0);
    if (IS("_exit-1")) _exit(1);
    if (IS("thread-exit")) pthread_exit(0);
    if (IS("throw")) THROW;
    if (IS("longjmp")) { jmp_buf nowhere; memset(&nowhere, 0x5a, sizeof nowhere); longjmp(nowhere, 1); }
    if (IS("stack-overflow")) recurse(0);
    if (IS("hang")) for (;;) pause();
    if (IS("spin")) for (volatile long n = 0;; n++) {}
    if (IS("kill-itself")) kill(getpid(), SIGKILL);
    if (IS("terminate-itself")) kill(getpid(), SIGTERM);
    if (IS("raise")) raise(SIGSEGV);
    if (IS("alarm")) { alarm(1); for (;;) pause(); }
    if (IS("memory")) {
        struct rlimit limit = {64u << 20, 64u << 20};
        setrlimit(RLIMIT_AS, &limit);
        for (;;) { char *p = malloc(1 << 20); memset(p, 1, 1 << 20); }
    }
    if (IS("crash-later")) { pthread_t t; pthread_create(&t, 0, crash_later, 0); usleep(300000); }
    if (IS("resident")) for (long n = 0; n < 20000; n++) { char *p = malloc(1 << 20); memset(p, 1, 1 << 20); usleep(100); }
    if (IS("kill-parent")) { kill(getppid(), SIGKILL); usleep(300000); }
    if (IS("orphan")) { if (fork() == 0) { setsid(); sleep_long(); } kill(getppid(), SIGKILL); usleep(300000); }
    /* From here on nothing that concerns the results. */
    if (IS("fork")) { if (fork() == 0) { usleep(100000); return; } }
    if (IS("leave-process")) { if (fork() == 0) sleep_long(); }
    if (IS("daemon")) { pid_t p = fork(); if (p == 0) { setsid(); if (fork() == 0) sleep_long(); _exit(0); } waitpid(p, 0, 0); }
    if (IS("fork-chain")) { if (fork() == 0) { setsid(); for (int n = 0; n < 20000; n++) { usleep(2000); if (fork()) _exit(0); } _exit(0); } }
    if (IS("interrupt")) kill(getpid(), SIGINT);
    if (IS("hangup")) kill(getpid(), SIGHUP);
    if (IS("change-folder")) chdir("/");
    if (IS("umask")) umask(0777);
    if (IS("locale")) { setlocale(LC_ALL, "de_DE.UTF-8"); setlocale(LC_ALL, "C.UTF-8"); }
    if (IS("rounding")) fesetround(FE_UPWARD);
    if (IS("trap-on-overflow")) feenableexcept(FE_OVERFLOW);
    if (IS("handlers")) for (int s = 1; s < 32; s++) signal(s, ignore);
    if (IS("block-signals")) { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); }
    if (IS("print")) { printf("hello, \x1b[31mtime,x\n0,99\n"); fflush(stdout); }
    if (IS("print-error")) fprintf(stderr, "trouble\n");
    if (IS("print-much")) { for (int n = 0; n < 3000000; n++) putchar('x'); fflush(stdout); }
    if (IS("close-streams")) { close(0); close(1); close(2); }
    if (IS("close-all")) for (int n = 0; n < 1024; n++) close(n);
    if (IS("read")) { if (getchar() != EOF) abort(); }
    if (IS("setenv")) { setenv("TMPDIR", "/nowhere", 1); unsetenv("PATH"); }
    if (IS("nice")) nice(5);
    if (IS("session")) setsid();
}
