/* The logger callback of FMI 2.0, which is variadic, and the memory callbacks.
 *
 * Messages of FMUs in the wild have conversions without arguments and pointers to nothing. So a message is not
 * handed to vsnprintf as a whole: each conversion is formatted alone, %n is never executed, and a string is copied
 * through the operating system, which says "bad address" where a plain read would crash.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <errno.h>
#include <unistd.h>
#endif

enum { MESSAGE_LIMIT = 64 * 1024, SPEC_LIMIT = 32 };

/* Implemented in Rust; copies what it needs. */
extern void fmu_importer_log(void *environment, const char *instance, size_t instance_length, int status,
                             const char *category, size_t category_length, const char *text, size_t length);

/* ---- reading memory that may not be there */

typedef struct {
#ifdef _WIN32
    HANDLE process;
#else
    int ends[2];
    int open;
#endif
} Probe;

static void probe_begin(Probe *probe) {
#ifdef _WIN32
    probe->process = GetCurrentProcess();
#else
    probe->open = pipe(probe->ends) == 0;
#endif
}

static void probe_end(Probe *probe) {
#ifdef _WIN32
    (void)probe;
#else
    if (probe->open) {
        close(probe->ends[0]);
        close(probe->ends[1]);
    }
#endif
}

/* Copies length bytes within one page; 0 if they cannot be read. */
static int probe_copy(Probe *probe, char *to, const char *from, size_t length) {
#ifdef _WIN32
    SIZE_T copied = 0;
    return ReadProcessMemory(probe->process, from, to, length, &copied) && copied == length;
#else
    if (!probe->open) {
        return 0;
    }
    ssize_t count;
    do {
        count = write(probe->ends[1], from, length);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
        return 0;
    }
    /* What is in the pipe must leave it, whether or not it is all that was asked for. */
    size_t received = 0;
    while (received < (size_t)count) {
        ssize_t part = read(probe->ends[0], to + received, (size_t)count - received);
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part <= 0) {
            return 0;
        }
        received += (size_t)part;
    }
    return received == length;
#endif
}

/* Copies a string of at most limit bytes and a zero; -1 if it is not readable memory. */
static long probe_string(Probe *probe, char *to, const char *from, size_t limit) {
    const size_t page = 4096;
    size_t length = 0;
    if ((uintptr_t)from < page) {
        return -1;
    }
    while (length < limit) {
        size_t chunk = page - ((uintptr_t)(from + length) & (page - 1));
        if (chunk > limit - length) {
            chunk = limit - length;
        }
        if (!probe_copy(probe, to + length, from + length, chunk)) {
            return -1;
        }
        const char *end = memchr(to + length, 0, chunk);
        if (end != NULL) {
            return (long)(end - to);
        }
        length += chunk;
    }
    to[length] = 0;
    return (long)length;
}

/* The same for Rust: the length, limit if there is no end before it, or -1. */
long fmu_importer_text(const char *from, char *to, size_t limit) {
    Probe probe;
    probe_begin(&probe);
    long length = probe_string(&probe, to, from, limit);
    probe_end(&probe);
    return length;
}

/* ---- formatting */

typedef struct {
    char *text;
    size_t length;
    Probe probe;
} Buffer;

static void append(Buffer *buffer, const char *text, size_t length) {
    if (length > MESSAGE_LIMIT - buffer->length) {
        length = MESSAGE_LIMIT - buffer->length;
    }
    memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
}

static void append_string(Buffer *buffer, const char *string, int has_precision, int precision, int width, int left) {
    size_t limit = MESSAGE_LIMIT - buffer->length;
    if (has_precision && precision >= 0 && (size_t)precision < limit) {
        limit = (size_t)precision;
    }
    if (string == NULL) {
        append(buffer, "(null)", 6);
        return;
    }
    /* One byte more than MESSAGE_LIMIT is allocated, for the zero. */
    char *to = buffer->text + buffer->length;
    long length = limit == 0 ? 0 : probe_string(&buffer->probe, to, string, limit);
    if (length < 0) {
        append(buffer, "(missing)", 9);
        return;
    }
    size_t padding = width > length ? (size_t)(width - length) : 0;
    if (padding > MESSAGE_LIMIT - buffer->length - (size_t)length) {
        padding = MESSAGE_LIMIT - buffer->length - (size_t)length;
    }
    if (left) {
        memset(to + length, ' ', padding);
    } else {
        memmove(to + padding, to, (size_t)length);
        memset(to, ' ', padding);
    }
    buffer->length += (size_t)length + padding;
}

/* What a wint_t becomes as a variadic argument: on Windows it is shorter than an int. */
#ifdef _WIN32
typedef int promoted_wint;
#else
typedef wint_t promoted_wint;
#endif

/* With a prefix: windows.h defines types named CHAR, SHORT, INT, LONG and SIZE. */
enum Size {
    LENGTH_CHAR, LENGTH_SHORT, LENGTH_INT, LENGTH_LONG, LENGTH_LONG_LONG, LENGTH_INTMAX, LENGTH_SIZE, LENGTH_PTRDIFF,
    LENGTH_LONG_DOUBLE
};

static int number(const char **at) {
    int value = 0;
    while (**at >= '0' && **at <= '9') {
        value = value < 100000 ? value * 10 + (**at - '0') : value;
        *at += 1;
    }
    return value;
}

static void format(Buffer *buffer, const char *at, va_list *arguments) {
    while (*at != 0) {
        if (*at != '%') {
            const char *next = strchr(at, '%');
            size_t length = next ? (size_t)(next - at) : strlen(at);
            append(buffer, at, length);
            at += length;
            continue;
        }
        const char *begin = at++;
        if (*at == '%') {
            append(buffer, "%", 1);
            at++;
            continue;
        }
        char flags[6];
        size_t flag_count = 0;
        int left = 0;
        while (*at != 0 && strchr("-+ #0", *at) != NULL) {
            left |= *at == '-';
            if (flag_count < sizeof flags && memchr(flags, *at, flag_count) == NULL) {
                flags[flag_count++] = *at;
            }
            at++;
        }
        int width = 0;
        if (*at == '*') {
            width = va_arg(*arguments, int);
            left |= width < 0;
            if (width < 0 && width >= -MESSAGE_LIMIT) {
                width = -width;
            }
            at++;
        } else {
            width = number(&at);
        }
        int has_precision = *at == '.', precision = 0;
        if (has_precision) {
            at++;
            if (*at == '*') {
                precision = va_arg(*arguments, int);
                has_precision = precision >= 0;
                at++;
            } else {
                precision = number(&at);
            }
        }
        /* Numbers wider than this are mistakes, or attacks on the buffer below. */
        width = width < 0 || width > 400 ? 0 : width;
        enum Size size = LENGTH_INT;
        switch (*at) {
        case 'h': at++; size = LENGTH_SHORT; if (*at == 'h') { at++; size = LENGTH_CHAR; } break;
        case 'l': at++; size = LENGTH_LONG; if (*at == 'l') { at++; size = LENGTH_LONG_LONG; } break;
        case 'j': at++; size = LENGTH_INTMAX; break;
        case 'z': at++; size = LENGTH_SIZE; break;
        case 't': at++; size = LENGTH_PTRDIFF; break;
        case 'L': at++; size = LENGTH_LONG_DOUBLE; break;
        case 'I': /* Microsoft: I64, I32 */
            if (at[1] == '6' && at[2] == '4') { at += 3; size = LENGTH_LONG_LONG; }
            else if (at[1] == '3' && at[2] == '2') { at += 3; }
            break;
        default: break;
        }
        char conversion = *at;
        if (conversion != 0) {
            at++;
        }
        char spec[SPEC_LIMIT], text[1024];
        int text_length = 0;
        int spec_length = snprintf(spec, sizeof spec, "%%%.*s", (int)flag_count, flags);
        if (width > 0) {
            spec_length += snprintf(spec + spec_length, sizeof spec - (size_t)spec_length, "%d", width);
        }
        if (has_precision && precision <= 300) {
            spec_length += snprintf(spec + spec_length, sizeof spec - (size_t)spec_length, ".%d", precision);
        }
        char *tail = spec + spec_length;
        switch (conversion) {
        case 'd': case 'i': {
            long long value = size == LENGTH_LONG ? va_arg(*arguments, long)
                : size == LENGTH_LONG_LONG ? va_arg(*arguments, long long)
                : size == LENGTH_INTMAX ? (long long)va_arg(*arguments, intmax_t)
                : size == LENGTH_SIZE ? (long long)va_arg(*arguments, size_t)
                : size == LENGTH_PTRDIFF ? (long long)va_arg(*arguments, ptrdiff_t)
                : va_arg(*arguments, int);
            value = size == LENGTH_CHAR ? (signed char)value : size == LENGTH_SHORT ? (short)value : value;
            memcpy(tail, "lld", 4);
            text_length = snprintf(text, sizeof text, spec, value);
            break;
        }
        case 'u': case 'o': case 'x': case 'X': {
            unsigned long long value = size == LENGTH_LONG ? va_arg(*arguments, unsigned long)
                : size == LENGTH_LONG_LONG ? va_arg(*arguments, unsigned long long)
                : size == LENGTH_INTMAX ? (unsigned long long)va_arg(*arguments, uintmax_t)
                : size == LENGTH_SIZE ? va_arg(*arguments, size_t)
                : size == LENGTH_PTRDIFF ? (unsigned long long)va_arg(*arguments, ptrdiff_t)
                : va_arg(*arguments, unsigned);
            value = size == LENGTH_CHAR ? (unsigned char)value : size == LENGTH_SHORT ? (unsigned short)value : value;
            memcpy(tail, "ll", 2);
            tail[2] = conversion;
            tail[3] = 0;
            text_length = snprintf(text, sizeof text, spec, value);
            break;
        }
        case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
            if (size == LENGTH_LONG_DOUBLE) {
                tail[0] = 'L';
                tail[1] = conversion;
                tail[2] = 0;
                text_length = snprintf(text, sizeof text, spec, va_arg(*arguments, long double));
            } else {
                tail[0] = conversion;
                tail[1] = 0;
                text_length = snprintf(text, sizeof text, spec, va_arg(*arguments, double));
            }
            break;
        case 'c':
            if (size == LENGTH_LONG) {
                promoted_wint wide = va_arg(*arguments, promoted_wint);
                text[0] = wide < 128 ? (char)wide : '?';
            } else {
                text[0] = (char)va_arg(*arguments, int);
            }
            text_length = 1;
            break;
        case 'p':
            text_length = snprintf(text, sizeof text, "%p", va_arg(*arguments, void *));
            break;
        case 's':
            if (size == LENGTH_LONG) {
                (void)va_arg(*arguments, wchar_t *);
                append(buffer, "(wide text)", 11);
            } else {
                append_string(buffer, va_arg(*arguments, const char *), has_precision, precision, width, left);
            }
            break;
        case 'n': /* Writes through a pointer of the FMU's choice: never. */
            (void)va_arg(*arguments, void *);
            break;
        default: /* No conversion: shown as it was written. */
            append(buffer, begin, (size_t)(at - begin));
            break;
        }
        if (text_length > 0) {
            append(buffer, text, (size_t)text_length < sizeof text ? (size_t)text_length : sizeof text - 1);
        }
    }
}

void fmu_importer_logger(void *environment, const char *instance, int status, const char *category,
                         const char *message, ...) {
    enum { NAME_LIMIT = 256 };
    char instance_copy[NAME_LIMIT + 1], category_copy[NAME_LIMIT + 1];
    Buffer buffer;
    memset(&buffer, 0, sizeof buffer);
    buffer.text = malloc(2 * (MESSAGE_LIMIT + 1));
    if (buffer.text == NULL) {
        return;
    }
    char *format_copy = buffer.text + MESSAGE_LIMIT + 1;
    probe_begin(&buffer.probe);
    long instance_length = probe_string(&buffer.probe, instance_copy, instance, NAME_LIMIT);
    long category_length = probe_string(&buffer.probe, category_copy, category, NAME_LIMIT);
    if (probe_string(&buffer.probe, format_copy, message, MESSAGE_LIMIT) >= 0) {
        va_list arguments;
        va_start(arguments, message);
        format(&buffer, format_copy, &arguments);
        va_end(arguments);
    }
    probe_end(&buffer.probe);
    fmu_importer_log(environment, instance_copy, instance_length < 0 ? 0 : (size_t)instance_length, status,
                     category_copy, category_length < 0 ? 0 : (size_t)category_length, buffer.text, buffer.length);
    free(buffer.text);
}

void *fmu_importer_allocate(size_t count, size_t size) {
    return calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
}

void fmu_importer_free(void *memory) {
    free(memory);
}
