// What a client costs that does nothing but call libmosquitto: the peer of our connection in `make bench`.
#include "BareClient.h"

#include <malloc.h>
#include <mosquitto.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct state {
    int received;
    void (*ready)(void *);
    void *context;
};

static void on_message(struct mosquitto *client, void *object, const struct mosquitto_message *message) {
    (void)client;
    (void)message;
    ((struct state *)object)->received++;
}

static void on_subscribe(struct mosquitto *client, void *object, int id, int count, const int *granted) {
    (void)client;
    (void)id;
    (void)count;
    (void)granted;
    struct state *state = object;
    if (state->ready) state->ready(state->context);
}

static struct mosquitto *connected(int port, struct state *state) {
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(NULL, true, state);
    if (!client) return NULL;
    mosquitto_message_callback_set(client, on_message);
    mosquitto_subscribe_callback_set(client, on_subscribe);
    if (mosquitto_connect(client, "127.0.0.1", port, 60) != MOSQ_ERR_SUCCESS) {
        mosquitto_destroy(client);
        return NULL;
    }
    return client;
}

int bare_publish(int port, const char *topic, const char *payload, int count) {
    struct state state = {0};
    struct mosquitto *client = connected(port, &state);
    if (!client) return MOSQ_ERR_NO_CONN;
    int code = mosquitto_loop(client, 1000, 1);
    for (int number = 0; number < count && code == MOSQ_ERR_SUCCESS; number++) {
        code = mosquitto_publish(client, NULL, topic, (int)strlen(payload), payload, 0, false);
        while (code == MOSQ_ERR_SUCCESS && mosquitto_want_write(client)) code = mosquitto_loop(client, 1000, 1);
    }
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    return code;
}

int bare_subscribe(int port, const char *filter, int count, void (*ready)(void *), void *context) {
    struct state state = {0, ready, context};
    struct mosquitto *client = connected(port, &state);
    if (!client) return MOSQ_ERR_NO_CONN;
    int code = mosquitto_subscribe(client, NULL, filter, 0);
    while (code == MOSQ_ERR_SUCCESS && state.received < count) code = mosquitto_loop(client, 1000, 1);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    return code;
}

size_t bare_allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

unsigned long bare_scan(const unsigned char *packets, const unsigned short *lengths, int count) {
    unsigned long sum = 0;
    for (int number = 0; number < count; packets += lengths[number++]) {
        // H4 event, LE meta, advertising report.
        if (lengths[number] < 15 || packets[0] != 4 || packets[1] != 0x3E || packets[3] != 2) continue;
        const unsigned char *report = packets + 5, *end = packets + lengths[number];
        for (int left = packets[4]; left > 0 && report + 10 <= end; left--) {
            const unsigned char *data = report + 9, *last = data + report[8];
            if (last + 1 > end) break;
            sum += report[2] + last[0];
            while (data + 1 < last && data[0] > 0 && data + data[0] < last) {
                if (data[0] == 26 && data[1] == 0xFF && data[2] == 0x4C && data[3] == 0 && data[4] == 2 && data[5] == 0x15) {
                    unsigned long high, low;
                    memcpy(&high, data + 6, 8);
                    memcpy(&low, data + 14, 8);
                    sum += (high ^ low) + data[22] + data[24] + data[26];
                }
                data += data[0] + 1;
            }
            report = last + 1;
        }
    }
    return sum;
}

// The last state of a beacon that the gateway in C knows.
struct known {
    unsigned char identity[20];
    bool isUsed;
    unsigned long published;
    int sightings, sum;
};

static void on_publish(struct mosquitto *client, void *object, int id) {
    (void)client;
    (void)id;
    ((struct state *)object)->received++;
}

static unsigned long number(const unsigned char *bytes, int count) {
    unsigned long value = 0;
    while (count-- > 0) value = value << 8 | *bytes++;
    return value;
}

// The iBeacon of an advertising report with one advertisement: its uuid, major, minor and power; NULL if there is none.
static const unsigned char *beacon_of(const unsigned char *packet, unsigned length, int *rssi) {
    if (length < 15 || packet[0] != 4 || packet[1] != 0x3E || packet[3] != 2 || packet[4] != 1) return NULL;
    const unsigned char *data = packet + 14, *last = data + packet[13];
    if (last + 1 > packet + length) return NULL;
    *rssi = (signed char)*last;
    while (data + 1 < last && data[0] > 0 && data + data[0] < last) {
        if (data[0] == 26 && data[1] == 0xFF && data[2] == 0x4C && data[3] == 0 && data[4] == 2 && data[5] == 0x15) return data + 6;
        data += data[0] + 1;
    }
    return NULL;
}

static struct known *find(struct known *table, unsigned size, const unsigned char *identity) {
    unsigned place = (unsigned)(number(identity + 16, 4) * 2654435761u) % size;
    while (table[place].isUsed && memcmp(table[place].identity, identity, 20) != 0) place = (place + 1) % size;
    if (!table[place].isUsed) {
        memcpy(table[place].identity, identity, 20);
        table[place].isUsed = true;
    }
    return &table[place];
}

long bare_gateway(int port, const char *recording, int qos, int milliseconds) {
    enum { beacons = 4096, unacknowledged = 1000 };
    static struct known table[beacons];
    static unsigned char packet[65536];
    FILE *file = fopen(recording, "rb");
    if (!file || fseek(file, 16, SEEK_SET) != 0) return -1;
    struct state state = {0};
    struct mosquitto *client = connected(port, &state);
    if (!client) return -1;
    mosquitto_publish_callback_set(client, on_publish);
    mosquitto_max_inflight_messages_set(client, 0);
    int code = mosquitto_loop(client, 1000, 1), published = 0;
    unsigned char header[24];
    while (code == MOSQ_ERR_SUCCESS && fread(header, 1, sizeof header, file) == sizeof header) {
        unsigned length = (unsigned)number(header + 4, 4);
        if (length > sizeof packet || fread(packet, 1, length, file) != length) break;
        int rssi = 0;
        const unsigned char *found = beacon_of(packet, length, &rssi);
        if (!found) continue;
        struct known *beacon = find(table, beacons, found);
        beacon->sightings++;
        beacon->sum += rssi;
        unsigned long now = number(header + 16, 8);
        if (now - beacon->published < 1000ul * (unsigned)milliseconds) continue;
        char topic[128], payload[256], uuid[37];
        char *text = uuid;
        for (int byte = 0; byte < 16; byte++)
            text += sprintf(text, byte == 4 || byte == 6 || byte == 8 || byte == 10 ? "-%02x" : "%02x", found[byte]);
        unsigned major = (unsigned)number(found + 16, 2), minor = (unsigned)number(found + 18, 2);
        snprintf(topic, sizeof topic, "bare/beacons/%s/%u/%u/bench/proximity", uuid, major, minor);
        int size = snprintf(
            payload, sizeof payload, "{\"uuid\":\"%s\",\"major\":%u,\"minor\":%u,\"rssi\":%.1f,\"power\":%d,\"sightings\":%d,\"at\":%lu}",
            uuid, major, minor, (double)beacon->sum / beacon->sightings, (signed char)found[20], beacon->sightings, now);
        code = mosquitto_publish(client, NULL, topic, size, payload, qos, false);
        *beacon = (struct known){.isUsed = true, .published = now};
        memcpy(beacon->identity, found, 20);
        published++;
        // Read acknowledgements now and then, and wait for them if many are missing.
        while (code == MOSQ_ERR_SUCCESS && (published - state.received > unacknowledged || mosquitto_want_write(client)))
            code = mosquitto_loop(client, 1000, 1);
    }
    while (code == MOSQ_ERR_SUCCESS && state.received < published) code = mosquitto_loop(client, 1000, 1);
    fclose(file);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    return code == MOSQ_ERR_SUCCESS ? published : -1;
}
