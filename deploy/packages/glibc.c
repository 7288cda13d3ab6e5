// What Swift's library of sid takes of glibc 2.38 and libstdc++ 13, and Debian 12's 2.36 and 12 lack: cross.sh links it, hidden, into both programs.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// glibc's headers have named these so since 2.38. Since then they also read 0b101, of which Swift's library has none.
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }

unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }

int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int count = vsscanf(text, format, values);
    va_end(values);
    return count;
}

size_t strlcpy(char *to, const char *from, size_t size) {
    size_t length = strlen(from), copied = length < size ? length : size - 1;
    if (size == 0) return length;
    memcpy(to, from, copied);
    to[copied] = 0;
    return length;
}

size_t strlcat(char *to, const char *from, size_t size) {
    size_t length = strnlen(to, size);
    return length + strlcpy(to + length, from, size - length);
}

// std::ios_base_library_init(): a newer library has initialised its streams by itself. This one does so for an object of std::ios_base::Init.
void _ZSt21ios_base_library_initv(void) {}
void _ZNSt8ios_base4InitC1Ev(void *init);

__attribute__((constructor)) static void initialise_streams(void) {
    static char init;
    _ZNSt8ios_base4InitC1Ev(&init);
}
