#define _GNU_SOURCE
#include "SteeredKernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

// The number in the file that a variable names, as it is now; 0 where there is none.
static long long steered(const char *variable) {
    const int before = errno;
    const char *path = getenv(variable);
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char text[32] = "";
    if (file >= 0) {
        const ssize_t count = read(file, text, sizeof text - 1);
        if (count < 0) text[0] = 0;
        close(file);
    }
    const long long number = strtoll(text, NULL, 10);
    errno = before;
    return number;
}

// Each asks the kernel itself: the C library's own would be this one.

int clock_gettime(clockid_t clock, struct timespec *moment) {
    const int code = (int)syscall(SYS_clock_gettime, clock, moment);
    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) moment->tv_sec += steered("STEERED_CLOCK");
    if (code == 0 && clock == CLOCK_BOOTTIME) moment->tv_sec += steered("STEERED_UPTIME");
    return code;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    *moment = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *moment) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (moment) *moment = now.tv_sec;
    return now.tv_sec;
}

int adjtimex(struct timex *state) {
    const int code = (int)syscall(SYS_adjtimex, state);
    if (code >= 0 && getenv("STEERED_SYNCHRONISED")) {
        if (steered("STEERED_SYNCHRONISED")) state->status &= ~STA_UNSYNC;
        else state->status |= STA_UNSYNC;
    }
    return code;
}

static void wait_for_disk(void) {
    const long long milliseconds = steered("STEERED_DISK");
    struct timespec rest = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue;
}

int fsync(int file) {
    wait_for_disk();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    wait_for_disk();
    return (int)syscall(SYS_fdatasync, file);
}

// It waits for pages that the kernel is writing.
int ftruncate(int file, off_t length) {
    wait_for_disk();
    return (int)syscall(SYS_ftruncate, file, length);
}
