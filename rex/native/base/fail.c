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

/* The calling program reports it to the user; without a report file the engine does. */
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

/* In a handler of a signal: what was reported so far may be cut off within a line, and goes. */
void die_at_once(const char *message)
{
    char item[512] = "died=";
    strncpy(item + 5, message, sizeof item - 6);
    int fd = report ? fileno(report) : STDERR_FILENO;
    bool is_ready = !report || (!ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET));
    _exit(is_ready && write_whole(fd, item, strlen(item) + 1) ? 2 : 3);
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
