// What a client costs that does nothing but call libmosquitto: the peer of our connection in `make bench`.
#include "BareClient.h"

#include <malloc.h>
#include <mosquitto.h>
#include <stddef.h>
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
