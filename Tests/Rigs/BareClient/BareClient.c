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
