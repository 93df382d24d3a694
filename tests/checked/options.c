/* Linked to an engine with sanitizers: guests run without environment, so that what these are told stands here.
 * The engine traps the processor's counter, which they would read for the time of giving memory back. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_release_to_os_interval_ms=-1:abort_on_error=1";
}

const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1:halt_on_error=1:abort_on_error=1";
}
