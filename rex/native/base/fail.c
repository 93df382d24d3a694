/* Errors that end the engine, and the report that the caller reads. */
#include "base/base.h"

#include <stdarg.h>

static FILE *report;
static const char *report_path;

void report_open(const char *path)
{
    report_path = path;
    if (path && !(report = fopen(path, "we")))
        die("cannot write %s: %s", path, strerror(errno));
}

void report_line(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (report) {
        vfprintf(report, format, list);
        fputc(0, report);                 /* values may hold newlines */
    }
    va_end(list);
}

/* The caller tells the user; without a report we do. */
static _Noreturn void end(const char *kind, const char *format, va_list list)
{
    char message[1024];
    vsnprintf(message, sizeof message, format, list);
    if (report) {
        report_line("%s=%s", kind, message);
        fflush(report);
    } else
        fprintf(stderr, "rex-engine: %s\n", message);
    _exit(2);          /* tracees go with us: PTRACE_O_EXITKILL */
}

void die(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    end("died", format, list);
}

/* The log is not as a recorder writes it. */
void log_is_damaged(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    end("damaged", format, list);
}

void report_finish(int status)
{
    report_line("status=%d", status);
    if (report && fclose(report))
        die("cannot write %s: %s", report_path, strerror(errno));
}
