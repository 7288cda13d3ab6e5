#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// As libpq 5 declares them.
static PGconn *(*connect_db)(const char *);
static int (*status)(const PGconn *);
static char *(*error_message)(const PGconn *);
static void (*finish)(PGconn *);
static int (*set_nonblocking)(PGconn *, int);
static int (*send_query)(PGconn *, const char *);
static int (*send_query_params)(PGconn *, const char *, int, const unsigned *, const char *const *, const int *, const int *, int);
static int (*flush)(PGconn *);
static int (*consume_input)(PGconn *);
static int (*is_busy)(PGconn *);
static PGresult *(*get_result)(PGconn *);
static int (*socket_of)(const PGconn *);
static int (*result_status)(const PGresult *);
static int (*tuples)(const PGresult *);
static int (*is_null)(const PGresult *, int, int);
static char *(*value)(const PGresult *, int, int);
static char *(*error_field)(const PGresult *, int);
static void (*clear)(PGresult *);

enum { CONNECTION_OK = 0, PGRES_COMMAND_OK = 1, PGRES_TUPLES_OK = 2, PG_DIAG_SQLSTATE = 'C' };

bool postgresql_load(void) {
    static void *library;
    if (library != NULL) return true;
    void *opened = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) return false;
    const struct { void **function; const char *name; } functions[] = {
        {(void **)&connect_db, "PQconnectdb"},       {(void **)&status, "PQstatus"},
        {(void **)&error_message, "PQerrorMessage"}, {(void **)&finish, "PQfinish"},
        {(void **)&set_nonblocking, "PQsetnonblocking"}, {(void **)&send_query, "PQsendQuery"},
        {(void **)&send_query_params, "PQsendQueryParams"}, {(void **)&flush, "PQflush"},
        {(void **)&consume_input, "PQconsumeInput"}, {(void **)&is_busy, "PQisBusy"},
        {(void **)&get_result, "PQgetResult"},       {(void **)&socket_of, "PQsocket"},
        {(void **)&result_status, "PQresultStatus"}, {(void **)&tuples, "PQntuples"},
        {(void **)&is_null, "PQgetisnull"},          {(void **)&value, "PQgetvalue"},
        {(void **)&error_field, "PQresultErrorField"}, {(void **)&clear, "PQclear"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        *functions[i].function = dlsym(opened, functions[i].name);
        if (*functions[i].function == NULL) return false;
    }
    library = opened;
    return true;
}

PGconn *postgresql_connect(const char *address) { return connect_db(address); }
bool postgresql_is_connected(const PGconn *connection) { return status(connection) == CONNECTION_OK; }
const char *postgresql_error(const PGconn *connection) { return error_message(connection); }
void postgresql_finish(PGconn *connection) { finish(connection); }
static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

PGresult *postgresql_query(PGconn *connection, const char *statement, int count, const char *const *parameters, int limit) {
    int64_t end = milliseconds() + limit;
    // Otherwise sending waits without a limit as well, and so does closing.
    if (set_nonblocking(connection, 1) != 0) return NULL;
    if (!(count == 0 ? send_query(connection, statement)
                     : send_query_params(connection, statement, count, NULL, parameters, NULL, NULL, 0)))
        return NULL;
    PGresult *last = NULL;
    for (;;) {
        int is_unsent = flush(connection);
        if (is_unsent < 0 || !consume_input(connection)) break;
        while (!is_busy(connection)) {
            PGresult *next = get_result(connection);
            if (next == NULL) return last;
            if (last != NULL) clear(last);
            last = next;
        }
        int64_t rest = end - milliseconds();
        if (rest <= 0) break;
        struct pollfd socket = {.fd = socket_of(connection), .events = is_unsent ? POLLIN | POLLOUT : POLLIN};
        poll(&socket, 1, (int)rest);
    }
    if (last != NULL) clear(last);
    return NULL;
}

bool postgresql_succeeded(const PGresult *result) {
    int code = result_status(result);
    return code == PGRES_COMMAND_OK || code == PGRES_TUPLES_OK;
}

const char *postgresql_text(const PGresult *result) {
    return tuples(result) == 0 || is_null(result, 0, 0) ? NULL : value(result, 0, 0);
}

const char *postgresql_state(const PGresult *result) { return error_field(result, PG_DIAG_SQLSTATE); }

void postgresql_clear(PGresult *result) { clear(result); }
