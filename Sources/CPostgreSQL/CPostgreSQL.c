#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <stddef.h>

// As libpq 5 declares them.
static PGconn *(*connect_db)(const char *);
static int (*status)(const PGconn *);
static char *(*error_message)(const PGconn *);
static void (*finish)(PGconn *);
static PGresult *(*exec)(PGconn *, const char *);
static PGresult *(*exec_params)(PGconn *, const char *, int, const unsigned *, const char *const *, const int *, const int *, int);
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
        {(void **)&exec, "PQexec"},                  {(void **)&exec_params, "PQexecParams"},
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
PGresult *postgresql_run(PGconn *connection, const char *statements) { return exec(connection, statements); }

PGresult *postgresql_query(PGconn *connection, const char *statement, int count, const char *const *parameters) {
    return exec_params(connection, statement, count, NULL, parameters, NULL, NULL, 0);
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
