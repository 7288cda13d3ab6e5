#ifndef FORGETMENOT_CPOSTGRESQL_H
#define FORGETMENOT_CPOSTGRESQL_H

#include <stdbool.h>

// The functions of PostgreSQL's libpq 5 that are used, with their names there. libpq is loaded when the first connection is wanted: the
// package of the aggregator so needs no library that almost no household uses.

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

/// Loads libpq. Returns false if it is not installed. Call it first, and from one thread at a time.
bool postgresql_load(void);

PGconn *postgresql_connect(const char *address);
bool postgresql_is_connected(const PGconn *connection);
const char *postgresql_error(const PGconn *connection);
void postgresql_finish(PGconn *connection);

/// Runs one statement with parameters that are texts, of which NULL is SQL's NULL, or any number of statements without parameters.
/// Returns the last response; NULL if there is none within `limit` milliseconds, or if the connection is lost: then close it.
PGresult *postgresql_query(PGconn *connection, const char *statement, int count, const char *const *parameters, int limit);
bool postgresql_succeeded(const PGresult *result);
/// The first column of the first row as a text; NULL if there is none, or it is SQL's NULL.
const char *postgresql_text(const PGresult *result);
/// The SQLSTATE of a failure, five characters; NULL if the server did not respond.
const char *postgresql_state(const PGresult *result);
void postgresql_clear(PGresult *result);

#endif
