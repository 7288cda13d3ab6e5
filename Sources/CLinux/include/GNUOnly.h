// What the C library declares for _GNU_SOURCE only, and Swift's Glibc module therefore lacks.
#pragma once
#include <spawn.h>

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);
int memfd_create(const char *name, unsigned int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
