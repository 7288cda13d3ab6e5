// A library to be loaded before all others (LD_PRELOAD): its process sees another wall clock, and a slow disk.
//
// STEERED_CLOCK names a file with the seconds by which that clock is ahead of the kernel's: it is set anew while the process runs.
// Monotonic clocks stay as they are. STEERED_SYNC_MS is how long the disk takes at least whenever it is waited for.
