// A library to be loaded before all others (LD_PRELOAD): its process sees other clocks, and a slow disk.
//
// STEERED_CLOCK names a file with the seconds by which that clock is ahead of the kernel's; monotonic clocks stay as they are.
// STEERED_UPTIME names one with the seconds by which CLOCK_BOOTTIME is ahead, as after a machine has slept. It must not fall.
// STEERED_SYNCHRONISED names one with 1 if that clock counts as synchronised, and 0 if not.
// STEERED_DISK names one with the milliseconds that the disk takes at least whenever it is waited for. All may change at any time.
