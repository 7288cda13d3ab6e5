// Virtual Low Energy controllers on /dev/vhci, and the air between them: what the jobs of the virtual machine have instead of radio. Debian's kernel for
// arm64 has no /dev/vhci: there they are at a serial line, like the Raspberry Pi's own.
//
// Commands come line by line on standard input, and each is answered by one line, `#N ok ...` or `#N error ...`, N counting from 1:
//
//   add legacy|extended|strict ADDRESS   a controller; answers its number here, which is not the kernel's. Strict refuses legacy
//                                        commands once extended ones were used, and the other way round (Core 5.4, Vol 4, E 3.1.1)
//   remove N                             unplugs it
//   mute N 0|1                           it no longer answers, nor hears
//   refuse N OPCODE STATUS               answers that command so; status 0 ends it
//   hardware_error N CODE                raises the event
//   filter N 0|1                         whether it honours the host's wish to filter duplicates (1 at first)
//   beacon N ADDRESS RSSI MS MAJOR MINOR an iBeacon that it hears every MS milliseconds; MS 0 ends all that it hears
//   phone N ADDRESS RSSI MS              the same of a device whose advertisements are no beacon's
//   flood N COUNT RATE [FIRST]           COUNT iBeacons at RATE per second, numbered in major and minor from FIRST (0); answered when all are sent
//   distance N RSSI                      how strongly it hears the other controllers (-40 at first)
//   status N                             commands taken, reports sent, scanning, its scan interval and window, advertising, its interval
//   took N OPCODE                        how often it was given that command
//   trace 0|1                            prints each command
//
// Every advertisement of one controller is heard by every other that scans.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { controllers_limit = 64, beacons_limit = 32, refusals_limit = 8, filter_limit = 4096 };
enum { command_disallowed = 0x0c, unknown_command = 0x01 };
typedef enum { none, legacy, extended } Family;

typedef struct {
    uint16_t opcode;
    uint8_t status;
} Refusal;

typedef struct {
    int fd;
    // What a serial line brought of a packet so far.
    uint8_t packet[512];
    size_t packet_length;
    bool has_extended, is_strict, is_mute, honours_filter;
    Family family;
    uint8_t address[6], random_address[6];
    int8_t rssi;
    // 0 off; 1 legacy and 2 extended, which is how reports are written.
    Family scanning;
    bool filters;
    uint16_t scan_interval, scan_window;
    uint8_t heard[filter_limit][6];
    int heard_count;
    bool advertises;
    uint8_t own_address_type, data_length, data[31];
    uint32_t advertising_interval;
    uint64_t next_advertisement;
    Refusal refusals[refusals_limit];
    uint64_t commands, reports, lost;
} Controller;

typedef struct {
    int controller;
    uint8_t address[6];
    int8_t rssi;
    uint64_t interval, next;
    uint8_t data[30];
} Beacon;

static Controller controllers[controllers_limit];
static int controllers_count;
// By opcode.
static uint32_t taken[controllers_limit][1 << 16];
static Beacon beacons[beacons_limit];
static int beacons_count;
static struct {
    int controller, request;
    uint64_t began, first, count, sent, rate;
} flood = {.controller = -1};
static bool is_tracing;
static int request;

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void answer(int number, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("#%d ", number);
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
    va_end(arguments);
}

// MARK: to the kernel

static bool to_host(Controller *c, const uint8_t *packet, size_t length) {
    if (write(c->fd, packet, length) == (ssize_t)length) return true;
    c->lost++;
    return false;
}

static void complete(Controller *c, uint16_t opcode, const uint8_t *parameters, size_t length) {
    uint8_t packet[260] = {0x04, 0x0e, (uint8_t)(3 + length), 1, (uint8_t)opcode, (uint8_t)(opcode >> 8)};
    memcpy(packet + 6, parameters, length);
    to_host(c, packet, 6 + length);
}

static void complete_status(Controller *c, uint16_t opcode, uint8_t status) { complete(c, opcode, &status, 1); }

static bool is_duplicate(Controller *c, const uint8_t *address) {
    if (!c->filters || !c->honours_filter) return false;
    for (int i = 0; i < c->heard_count; i++)
        if (memcmp(c->heard[i], address, 6) == 0) return true;
    if (c->heard_count < filter_limit) memcpy(c->heard[c->heard_count++], address, 6);
    return false;
}

// Reports a non-connectable advertisement, as the scan that is on has it.
static void hear(Controller *c, uint8_t address_type, const uint8_t *address, int8_t rssi, const uint8_t *data, uint8_t length) {
    if (c->fd < 0 || c->is_mute || c->scanning == none || is_duplicate(c, address)) return;
    uint8_t packet[80] = {0x04, 0x3e};
    size_t at = 3;
    if (c->scanning == legacy) {
        // Subevent, one report, ADV_NONCONN_IND, address, data, RSSI.
        memcpy(packet + at, (uint8_t[]){0x02, 1, 0x03, address_type}, 4), at += 4;
        memcpy(packet + at, address, 6), at += 6;
        packet[at++] = length;
        memcpy(packet + at, data, length), at += length;
        packet[at++] = (uint8_t)rssi;
    } else {
        // Subevent, one report, legacy ADV_NONCONN_IND (0x0010), address, LE 1M, no secondary, no set, no TX power, RSSI.
        memcpy(packet + at, (uint8_t[]){0x0d, 1, 0x10, 0x00, address_type}, 5), at += 5;
        memcpy(packet + at, address, 6), at += 6;
        memcpy(packet + at, (uint8_t[]){1, 0, 0xff, 0x7f, (uint8_t)rssi}, 5), at += 5;
        at += 2 + 7;  // no periodic advertising, directed at nobody
        packet[at++] = length;
        memcpy(packet + at, data, length), at += length;
    }
    packet[2] = (uint8_t)(at - 3);
    if (to_host(c, packet, at)) c->reports++;
}

// MARK: from the kernel

// Legacy and extended commands exclude each other until the next reset, on a strict controller.
static uint8_t enters(Controller *c, Family family) {
    if (!c->is_strict) return 0;
    if (c->family != none && c->family != family) return command_disallowed;
    c->family = family;
    return 0;
}

static void scan(Controller *c, Family family, const uint8_t *p) {
    c->scanning = p[0] ? family : none;
    c->filters = p[1];
    c->heard_count = 0;
}

static void advertise(Controller *c, bool on) {
    c->advertises = on;
    c->next_advertisement = now();
}

// What the kernel asks of every controller when it is switched on. False: not one of those.
static bool take_setup(Controller *c, uint16_t opcode) {
    uint8_t r[65] = {0};
    switch (opcode) {
    case 0x0c03:  // Reset
        c->scanning = c->family = none;
        c->advertises = false;
        return complete(c, opcode, r, 1), true;
    case 0x1001:  // Read Local Version: Bluetooth 5.0 or 4.2, of the Linux Foundation
        memcpy(r + 1, (uint8_t[]){c->has_extended ? 9 : 8, 1, 0, c->has_extended ? 9 : 8, 0xf0, 0x05, 1, 0}, 8);
        return complete(c, opcode, r, 9), true;
    case 0x1002:  // Read Local Supported Commands: those that are answered here
        r[1 + 5] = 0xc0, r[1 + 14] = 0x28;
        r[1 + 25] = r[1 + 26] = 0xff, r[1 + 27] = 0x7f, r[1 + 28] = 0x7f;
        if (c->has_extended) r[1 + 36] = 0xff, r[1 + 37] = 0x7f;
        return complete(c, opcode, r, 65), true;
    case 0x1003: r[1 + 4] = 0x60; return complete(c, opcode, r, 9), true;  // Features: Low Energy, no BR/EDR
    case 0x1009: memcpy(r + 1, c->address, 6); return complete(c, opcode, r, 7), true;
    case 0x2002: r[1] = 251, r[3] = 8; return complete(c, opcode, r, 4), true;  // LE Read Buffer Size
    case 0x2003: if (c->has_extended) r[2] = 0x10; return complete(c, opcode, r, 9), true;  // LE features: bit 12, extended
    case 0x2007: return complete(c, opcode, r, 2), true;  // LE Read Advertising TX Power
    case 0x200f: case 0x202a: r[1] = 16; return complete(c, opcode, r, 2), true;  // sizes of the lists
    case 0x201c: memset(r + 1, 0xff, 8); return complete(c, opcode, r, 9), true;  // every combination of states
    case 0x2023: r[1] = 27, r[3] = 0x48, r[4] = 1; return complete(c, opcode, r, 5), true;  // default data length
    case 0x202f: r[1] = r[5] = 27, r[3] = r[7] = 0x48, r[4] = r[8] = 1; return complete(c, opcode, r, 9), true;
    // Event masks, host support, lists: taken and forgotten.
    case 0x0c01: case 0x0c63: case 0x0c6d: case 0x2001: case 0x2010: case 0x2011: case 0x2012: case 0x2024: case 0x2029: case 0x202d:
    case 0x202e: return complete(c, opcode, r, 1), true;
    default: return false;
    }
}

static bool take_legacy(Controller *c, uint16_t opcode, const uint8_t *p) {
    uint8_t status = 0;
    switch (opcode) {
    case 0x2006: case 0x2008: case 0x2009: case 0x200a: case 0x200b: case 0x200c: status = enters(c, legacy); break;
    case 0x2005: break;
    default: return false;
    }
    if (status == 0) switch (opcode) {
    case 0x2005: memcpy(c->random_address, p, 6); break;
    case 0x2006: c->advertising_interval = p[0] | (uint32_t)p[1] << 8, c->own_address_type = p[5]; break;
    case 0x2008: c->data_length = p[0] < 31 ? p[0] : 31, memcpy(c->data, p + 1, 31); break;
    case 0x200a: advertise(c, p[0]); break;
    case 0x200b:
        if (c->scanning != none) status = command_disallowed;
        else c->scan_interval = p[1] | p[2] << 8, c->scan_window = p[3] | p[4] << 8;
        break;
    case 0x200c: scan(c, legacy, p); break;
    }
    return complete_status(c, opcode, status), true;
}

static bool take_extended(Controller *c, uint16_t opcode, const uint8_t *p) {
    if (!c->has_extended || opcode < 0x2035 || opcode > 0x2042) return false;
    uint8_t r[3] = {enters(c, extended), 0, 0};
    size_t length = 1;
    if (opcode == 0x2036) length = 2;               // the selected TX power
    if (opcode == 0x203a) r[1] = 31, length = 3;    // the most data
    if (opcode == 0x203b) r[1] = 4, length = 2;     // the number of sets
    if (r[0] == 0) switch (opcode) {
    case 0x2035: memcpy(c->random_address, p + 1, 6); break;
    case 0x2036: c->advertising_interval = p[3] | (uint32_t)p[4] << 8 | (uint32_t)p[5] << 16, c->own_address_type = p[10]; break;
    case 0x2037: c->data_length = p[3] < 31 ? p[3] : 31, memcpy(c->data, p + 4, c->data_length); break;
    case 0x2038: case 0x203a: case 0x203b: break;
    case 0x2039: advertise(c, p[0]); break;
    case 0x203c: case 0x203d: advertise(c, false); break;
    case 0x2041:
        if (c->scanning != none) r[0] = command_disallowed;
        else c->scan_interval = p[4] | p[5] << 8, c->scan_window = p[6] | p[7] << 8;
        break;
    case 0x2042: scan(c, extended, p); break;
    default: return false;
    }
    return complete(c, opcode, r, length), true;
}

static void take(Controller *c, const uint8_t *packet, ssize_t length) {
    if (length < 4 || packet[0] != 0x01) return;
    uint16_t opcode = packet[1] | packet[2] << 8;
    // Whatever a command lacks is zero.
    uint8_t parameters[256] = {0};
    memcpy(parameters, packet + 4, (size_t)(length - 4) < 255 ? (size_t)(length - 4) : 255);
    c->commands++;
    taken[c - controllers][opcode]++;
    if (is_tracing) {
        printf("controller %td command %04x", c - controllers, opcode);
        for (int i = 0; i < packet[3] && i < 12; i++) printf(" %02x", parameters[i]);
        puts(c->is_mute ? " (mute)" : ""), fflush(stdout);
    }
    if (c->is_mute) return;
    for (int i = 0; i < refusals_limit; i++)
        if (c->refusals[i].status && c->refusals[i].opcode == opcode) return complete_status(c, opcode, c->refusals[i].status);
    if (take_setup(c, opcode) || take_legacy(c, opcode, parameters) || take_extended(c, opcode, parameters)) return;
    complete_status(c, opcode, unknown_command);
}

// Takes the whole commands that have come. Nothing else comes that begins as one.
static void take_packets(Controller *c) {
    size_t length;
    while (c->packet_length >= 4 && c->packet_length >= (length = 4 + c->packet[3])) {
        if (c->packet[0] != 0x01) length = c->packet_length;
        take(c, c->packet, (ssize_t)length);
        memmove(c->packet, c->packet + length, c->packet_length -= length);
    }
}

// MARK: the air

static void write_beacon(uint8_t *data, uint16_t major, uint16_t minor) {
    static const uint8_t frame[30] = {0x02, 0x01, 0x06, 0x1a, 0xff, 0x4c, 0x00, 0x02, 0x15, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
                                      0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0, 0, 0, 0, 0xc5};
    memcpy(data, frame, sizeof frame);
    data[25] = (uint8_t)(major >> 8), data[26] = (uint8_t)major, data[27] = (uint8_t)(minor >> 8), data[28] = (uint8_t)minor;
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

// Sends what is due; returns when it wants to be called again.
static uint64_t tick(uint64_t t) {
    uint64_t next = t + 1000000000u;
    for (int i = 0; i < beacons_count; i++) {
        Beacon *b = &beacons[i];
        if (b->next <= t) {
            hear(&controllers[b->controller], 1, b->address, b->rssi, b->data, sizeof b->data);
            b->next = b->next + b->interval > t ? b->next + b->interval : t + b->interval;
        }
        next = earlier(next, b->next);
    }
    for (int i = 0; i < controllers_count; i++) {
        Controller *c = &controllers[i];
        if (!c->advertises || c->fd < 0 || c->is_mute) continue;
        if (c->next_advertisement <= t) {
            bool is_random = c->own_address_type & 1;
            for (int j = 0; j < controllers_count; j++)
                if (j != i)
                    hear(&controllers[j], is_random, is_random ? c->random_address : c->address, controllers[j].rssi, c->data, c->data_length);
            c->next_advertisement = t + (c->advertising_interval ? c->advertising_interval : 0x20) * 625000u;
        }
        next = earlier(next, c->next_advertisement);
    }
    if (flood.controller >= 0) {
        uint64_t due = (t - flood.began) * flood.rate / 1000000000u + 1;
        for (int burst = 0; flood.sent < flood.count && flood.sent < due && burst < 500; burst++, flood.sent++) {
            uint64_t number = flood.first + flood.sent;
            uint8_t data[30], address[6] = {(uint8_t)number, (uint8_t)(number >> 8 & 7), 0, 0, 0, 0xc0};
            write_beacon(data, (uint16_t)(number >> 16), (uint16_t)number);
            hear(&controllers[flood.controller], 1, address, -60, data, sizeof data);
        }
        next = t + 1000000u;
        if (flood.sent == flood.count) {
            answer(flood.request, "ok %llu sent in %.1f s", (unsigned long long)flood.sent, (double)(now() - flood.began) / 1e9);
            flood.controller = -1;
        }
    }
    return next;
}

// MARK: commands

static bool parse_address(const char *text, uint8_t *address) {
    unsigned v[6];
    if (sscanf(text, "%x:%x:%x:%x:%x:%x", v, v + 1, v + 2, v + 3, v + 4, v + 5) != 6) return false;
    for (int i = 0; i < 6; i++) address[i] = (uint8_t)v[5 - i];
    return true;
}

// A pseudo-terminal with the kernel's H4 protocol behind it (hci_uart).
static int open_serial_line(void) {
    int line = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), end, discipline = 15;  // N_HCI
    struct termios raw;
    if (line < 0 || grantpt(line) != 0 || unlockpt(line) != 0 || (end = open(ptsname(line), O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) return -1;
    tcgetattr(end, &raw);
    cfmakeraw(&raw);
    tcsetattr(end, TCSANOW, &raw);
    return ioctl(end, TIOCSETD, &discipline) == 0 && ioctl(end, _IOW('U', 200, int), 0) == 0 ? line : -1;  // HCIUARTSETPROTO, H4
}

static int open_controller(void) {
    int fd = open("/dev/vhci", O_RDWR | O_CLOEXEC);
    uint8_t create[2] = {0xff, 0x00}, reply[8];
    if (fd < 0 && errno == ENOENT) return open_serial_line();
    return fd >= 0 && write(fd, create, 2) == 2 && read(fd, reply, sizeof reply) == 4 ? fd : -1;
}

static void add(const char *kind, const char *address) {
    if (controllers_count == controllers_limit) return answer(request, "error no room");
    Controller *c = &controllers[controllers_count];
    *c = (Controller){.honours_filter = true, .rssi = -40};
    c->is_strict = strcmp(kind, "strict") == 0;
    c->has_extended = c->is_strict || strcmp(kind, "extended") == 0;
    if (!parse_address(address, c->address)) return answer(request, "error no address");
    c->fd = open_controller();
    if (c->fd < 0) return answer(request, "error %s", strerror(errno));
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    answer(request, "ok %d", controllers_count++);
}

static void set_refusal(Controller *c, uint16_t opcode, uint8_t status) {
    for (int i = 0; i < refusals_limit; i++)
        if (c->refusals[i].opcode == opcode || (status && c->refusals[i].opcode == 0)) {
            c->refusals[i] = (Refusal){status ? opcode : 0, status};
            break;
        }
    answer(request, "ok");
}

static void silence(int n) {
    int kept = 0;
    for (int i = 0; i < beacons_count; i++)
        if (beacons[i].controller != n) beacons[kept++] = beacons[i];
    beacons_count = kept;
}

// Flags alone, which a phone sends as well; zeros end the data early (Core 5.4, Vol 3, C 11).
static const uint8_t phone_data[30] = {0x02, 0x01, 0x1a};

static void add_sender(int n, const char *address, int rssi, int ms, const uint8_t *data) {
    if (ms == 0) return silence(n), answer(request, "ok");
    if (beacons_count == beacons_limit) return answer(request, "error no room");
    Beacon *b = &beacons[beacons_count++];
    *b = (Beacon){.controller = n, .rssi = (int8_t)rssi, .interval = (uint64_t)ms * 1000000u, .next = now()};
    if (!parse_address(address, b->address)) return answer(request, "error no address");
    memcpy(b->data, data, sizeof b->data);
    answer(request, "ok");
}

static void add_beacon(int n, const char *address, int rssi, int ms, int major, int minor) {
    uint8_t data[30];
    write_beacon(data, (uint16_t)major, (uint16_t)minor);
    add_sender(n, address, rssi, ms, data);
}

static void obey(const char *line) {
    char word[32] = "", kind[32], text[32];
    int n = 0, a, b, e, f;
    unsigned x, y;
    request++;
    sscanf(line, "%31s", word);
    if (strcmp(word, "add") == 0 && sscanf(line, "%*s %31s %31s", kind, text) == 2) return add(kind, text);
    if (strcmp(word, "trace") == 0 && sscanf(line, "%*s %d", &a) == 1) return is_tracing = a, answer(request, "ok");
    if (sscanf(line, "%*s %d", &n) != 1 || n < 0 || n >= controllers_count) return answer(request, "error no such controller: %s", line);
    Controller *c = &controllers[n];
    if (strcmp(word, "remove") == 0) {
        if (c->fd >= 0) close(c->fd);
        c->fd = -1;
        silence(n);
        return answer(request, "ok");
    }
    if (strcmp(word, "mute") == 0 && sscanf(line, "%*s %*d %d", &a) == 1) return c->is_mute = a, answer(request, "ok");
    if (strcmp(word, "filter") == 0 && sscanf(line, "%*s %*d %d", &a) == 1) return c->honours_filter = a, answer(request, "ok");
    if (strcmp(word, "distance") == 0 && sscanf(line, "%*s %*d %d", &a) == 1) return c->rssi = (int8_t)a, answer(request, "ok");
    if (strcmp(word, "took") == 0 && sscanf(line, "%*s %*d %x", &x) == 1) return answer(request, "ok %u", taken[n][x & 0xffff]);
    if (strcmp(word, "refuse") == 0 && sscanf(line, "%*s %*d %x %x", &x, &y) == 2) return set_refusal(c, (uint16_t)x, (uint8_t)y);
    if (strcmp(word, "hardware_error") == 0 && sscanf(line, "%*s %*d %x", &x) == 1) {
        to_host(c, (uint8_t[]){0x04, 0x10, 1, (uint8_t)x}, 4);
        return answer(request, "ok");
    }
    if (strcmp(word, "phone") == 0 && sscanf(line, "%*s %*d %31s %d %d", text, &a, &b) == 3)
        return add_sender(n, text, a, b, phone_data);
    if (strcmp(word, "beacon") == 0 && sscanf(line, "%*s %*d %31s %d %d %d %d", text, &a, &b, &e, &f) == 5)
        return add_beacon(n, text, a, b, e, f);
    e = 0;
    if (strcmp(word, "flood") == 0 && sscanf(line, "%*s %*d %d %d %d", &a, &b, &e) >= 2) {
        flood.controller = n, flood.request = request, flood.began = now(), flood.sent = 0;
        flood.first = (uint64_t)e, flood.count = (uint64_t)a, flood.rate = (uint64_t)b;
        return;
    }
    if (strcmp(word, "status") == 0)
        return answer(
            request, "ok commands %llu reports %llu lost %llu scanning %d interval %u window %u advertising %d every %u",
            (unsigned long long)c->commands, (unsigned long long)c->reports, (unsigned long long)c->lost, c->scanning,
            c->scan_interval, c->scan_window, c->advertises, c->advertising_interval);
    answer(request, "error what is %s", line);
}

// Obeys the whole lines that came; false at the end of the input.
static bool read_lines(void) {
    static char buffer[4096];
    static size_t length;
    ssize_t count = read(0, buffer + length, sizeof buffer - length - 1);
    if (count == 0) return false;
    if (count < 0) return true;
    length += (size_t)count;
    for (char *end; (end = memchr(buffer, '\n', length)); ) {
        *end = 0;
        obey(buffer);
        length -= (size_t)(end + 1 - buffer);
        memmove(buffer, end + 1, length);
    }
    if (length == sizeof buffer - 1) length = 0;
    return true;
}

int main(void) {
    while (true) {
        uint64_t t = now(), next = tick(t);
        struct pollfd polled[1 + controllers_limit] = {{.fd = 0, .events = POLLIN}};
        for (int i = 0; i < controllers_count; i++) polled[1 + i] = (struct pollfd){.fd = controllers[i].fd, .events = POLLIN};
        int count = 1 + controllers_count;
        struct timespec rest = {(time_t)((next - t) / 1000000000u), (long)((next - t) % 1000000000u)};
        if (next <= t) rest = (struct timespec){0};
        ppoll(polled, (nfds_t)count, &rest, NULL);
        for (int i = 0; i + 1 < count; i++) {
            Controller *c = &controllers[i];
            ssize_t got;
            while (c->fd >= 0 && (got = read(c->fd, c->packet + c->packet_length, sizeof c->packet - c->packet_length)) > 0) {
                c->packet_length += (size_t)got;
                take_packets(c);
            }
        }
        if (polled[0].revents && !read_lines()) return 0;
    }
}
