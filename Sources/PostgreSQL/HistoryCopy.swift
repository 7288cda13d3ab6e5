import Beacons
import History
import Messages
import Synchronization

/// The history of this site in a PostgreSQL database that holds the histories of many sites.
///
/// The tables and the view `beginning` are those of `HistoryStore` with a column for the site, and a row is a change as well. Each call is one statement and one
/// transaction, so that changes and the event that they come from are stored together or not at all.
package final class HistoryCopy: HistoryWriter {
    private let database: Database
    private let site: String
    /// How many changes the server has refused for what they contain, and its words for the last one.
    private struct Refused {
        var count = 0
        var words = ""
    }
    private let refused = Mutex(Refused())

    /// The copy of the site of this name in the database at a connection URL of libpq, not connected yet.
    package init(at address: String, site: String) {
        database = Database(address, setUp: Self.setUp)
        self.site = site
    }

    package func cursor() throws -> LogCursor {
        try database.query("SELECT event FROM progress WHERE site = $1 AND reader = 'events'", site)
            .map { LogCursor($0) } ?? LogCursor()
    }

    package func add(_ changes: [Change], cursor: LogCursor?) throws {
        guard !changes.isEmpty || cursor != nil else { return }
        try write(changes, with: "SELECT forgetmenot_add($1, $2, $3)", [cursor?.description])
    }

    /// Writes changes in one transaction. If the server refuses one for what it contains, writes them one by one without those that it refuses:
    /// they would be refused each time, and nothing behind them would ever be stored. A change that is written again changes nothing.
    private func write(_ changes: [Change], with statement: String, _ last: [String?] = []) throws {
        guard let problem = try refusal(of: changes, with: statement, last) else { return }
        if changes.count == 1 {
            refused.withLock { $0 = Refused(count: $0.count + 1, words: problem.description) }
        } else {
            for change in changes { try write([change], with: statement, last.map { _ in nil }) }
        }
        if last.contains(where: { $0 != nil }) { try database.query(statement, [site, Self.json([])] + last) }
    }

    /// Writes changes in one transaction; returns why the server refuses what they contain, if it does.
    private func refusal(of changes: [Change], with statement: String, _ last: [String?]) throws -> Database.Problem? {
        do throws(Database.Problem) {
            try database.query(statement, [site, Self.json(changes)] + last)
            return nil
        } catch {
            guard error.isRefusal, !changes.isEmpty else { throw error }
            return error
        }
    }

    /// How many changes are missing for good, in a sentence; `nil`: none that this process had.
    package var problem: String? {
        let refused = refused.withLock { $0 }
        guard refused.count > 0 else { return nil }
        let count = "\(refused.count) \(refused.count == 1 ? "change" : "changes")"
        return "The copy of the history lacks \(count) that PostgreSQL refuses (\(refused.words)): "
            + "use a database with the encoding UTF8"
    }

    package func observe(_ changes: [Change], now: WallTime? = nil) throws {
        guard !changes.isEmpty else { return }
        try write(changes, with: "SELECT forgetmenot_observe($1, $2, $3)", [now.map { String($0.milliseconds) }])
    }

    /// The limit of rows that one statement deletes, which has 20 s.
    static let mostRows = 5000

    /// Deletes some of the stays that ended before `end`; returns whether there are more. The size of the database is the business of its owner.
    package func prune(endedBefore end: WallTime, bytes: Int) throws -> Bool {
        let deleted = try database.query(
            "SELECT forgetmenot_delete($1, $2, $3)", site, String(end.milliseconds), String(Self.mostRows))
        return deleted.flatMap { Int($0) } == Self.mostRows
    }

    package func forget(_ item: String, upTo time: WallTime) throws {
        try database.query(
            "DELETE FROM stay WHERE site = $1 AND item = $2 AND begin_ms <= $3", site, item, String(time.milliseconds))
    }

    /// The items that are somewhere, or away, at the end of the history; each step searches the next item in the order of the key.
    package func present() throws -> [String] {
        let items = try database.query(
            """
            WITH RECURSIVE each(item) AS (
                SELECT min(item) FROM stay WHERE site = $1
                UNION ALL SELECT (SELECT min(item) FROM stay WHERE site = $1 AND stay.item > each.item)
                FROM each WHERE item IS NOT NULL
            ) SELECT string_agg(item, ' ') FROM each WHERE (
                SELECT presence FROM stay WHERE site = $1 AND stay.item = each.item ORDER BY begin_ms DESC LIMIT 1) IS NOT NULL
            """, site)
        return items?.split(separator: " ").map(String.init) ?? []
    }

    /// The server repairs its own files.
    package func recover(from error: any Error) -> Bool { false }

    /// The history reports what is not deleted.
    package func hasStays(endedBefore end: WallTime) -> Bool { false }

    package func remedy(of error: any Error) -> String { "look at the database server" }

    /// Every call has committed what it wrote.
    package func commit() -> Bool { false }

    /// `[{"item":"keys","at":1795239612345,"seen":1795239612345,"presence":"home","room":"Kitchen"}]`.
    private static func json(_ changes: [Change]) -> String {
        var json = JSONWriter()
        json.array { json in
            for change in changes {
                json.object { json in
                    json.field("item", change.item)
                    json.field("at", change.at.milliseconds)
                    json.field("seen", change.seen.milliseconds)
                    json.field("presence", change.state?.presence.rawValue)
                    json.field("room", text(change.state?.room))
                    json.field("former_presence", change.former?.presence.rawValue)
                    json.field("former_room", text(change.former?.room))
                }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// A name as PostgreSQL stores it: its texts hold every character but NUL.
    private static func text(_ room: String?) -> String? {
        room?.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\u{FFFD}")
    }

    /// Tables and functions. The lock lets many sites start at once; the time limits let an aggregator go on without a server.
    private static let setUp = """
        SET client_encoding = 'UTF8';
        SET statement_timeout = '20s';
        SET client_min_messages = 'warning';
        BEGIN;
        SELECT pg_advisory_xact_lock(7075321064171);
        CREATE TABLE IF NOT EXISTS stay (
            site TEXT NOT NULL,
            item TEXT NOT NULL,
            begin_ms BIGINT NOT NULL,
            presence TEXT,
            room TEXT,
            PRIMARY KEY (site, item, begin_ms)
        );
        CREATE OR REPLACE VIEW beginning AS SELECT * FROM stay AS later
        WHERE NOT coalesce((
            SELECT (earlier.presence, earlier.room) IS NOT DISTINCT FROM (later.presence, later.room) FROM stay AS earlier
            WHERE earlier.site = later.site AND earlier.item = later.item AND earlier.begin_ms < later.begin_ms
            ORDER BY earlier.begin_ms DESC LIMIT 1), FALSE);
        CREATE TABLE IF NOT EXISTS progress (
            site TEXT NOT NULL,
            reader TEXT NOT NULL,
            event TEXT NOT NULL,
            PRIMARY KEY (site, reader)
        );

        -- Puts a change into the item's timeline, also behind one with the same state: a change between the two may arrive later, from the event
        -- log of another aggregator. The removal of an item without any stay needs no row.
        CREATE OR REPLACE FUNCTION forgetmenot_put(of_site text, of_item text, begins bigint, new_presence text, new_room text)
        RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            IF new_presence IS NULL AND NOT EXISTS (
                SELECT 1 FROM stay WHERE site = of_site AND item = of_item AND begin_ms <= begins)
            THEN RETURN; END IF;
            INSERT INTO stay VALUES (of_site, of_item, begins, new_presence, new_room)
                ON CONFLICT (site, item, begin_ms) DO UPDATE SET presence = excluded.presence, room = excluded.room;
        END $$;

        CREATE OR REPLACE FUNCTION forgetmenot_add(of_site text, list json, cursor text)
        RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            change json; last stay; begins bigint; gap bigint;
        BEGIN
            FOR change IN SELECT json_array_elements(list) LOOP
                begins := change ->> 'at';
                IF (change ->> 'former_presence') IS NOT NULL THEN
                    -- As HistoryStore.gap does.
                    SELECT * INTO last FROM stay WHERE site = of_site AND item = change ->> 'item' AND begin_ms < begins
                        ORDER BY begin_ms DESC LIMIT 1;
                    gap := CASE
                        WHEN coalesce(last.presence, 'unknown') = 'unknown' THEN begins - 1
                        WHEN last.presence = 'home' AND last.room IS NULL AND (change ->> 'former_room') IS NOT NULL THEN last.begin_ms
                    END;
                    IF gap IS NOT NULL THEN
                        PERFORM forgetmenot_put(
                            of_site, change ->> 'item', gap, change ->> 'former_presence', change ->> 'former_room');
                    END IF;
                END IF;
                PERFORM forgetmenot_put(
                    of_site, change ->> 'item', begins, change ->> 'presence', change ->> 'room');
            END LOOP;
            IF cursor IS NOT NULL THEN
                INSERT INTO progress VALUES (of_site, 'events', cursor)
                    ON CONFLICT (site, reader) DO UPDATE SET event = excluded.event;
            END IF;
        END $$;

        -- Adds current states, as HistoryStore.observe does.
        CREATE OR REPLACE FUNCTION forgetmenot_observe(of_site text, list json, clock bigint)
        RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            change json; last stay; before stay; begins bigint; seen bigint;
        BEGIN
            FOR change IN SELECT json_array_elements(list) LOOP
                SELECT * INTO last FROM stay WHERE site = of_site AND item = change ->> 'item' ORDER BY begin_ms DESC LIMIT 1;
                begins := change ->> 'at';
                seen := change ->> 'seen';
                IF begins < last.begin_ms AND last.presence IS NOT NULL
                    AND NOT coalesce(last.begin_ms - clock > \(HistoryStore.shortestUnknown.milliseconds), FALSE)
                THEN
                    CONTINUE WHEN last.presence <> 'unknown'
                        AND NOT (last.presence = 'home' AND last.room IS NULL AND (change ->> 'presence') IS NOT DISTINCT FROM 'home');
                    IF last.presence = 'unknown' AND seen - last.begin_ms > \(HistoryStore.shortestUnknown.milliseconds) THEN
                        begins := seen;
                    ELSIF last.presence = 'unknown' THEN
                        SELECT * INTO before FROM stay WHERE site = of_site AND item = last.item AND begin_ms < last.begin_ms
                            ORDER BY begin_ms DESC LIMIT 1;
                        IF before.site IS NOT NULL
                            AND (before.presence, before.room) IS NOT DISTINCT FROM (change ->> 'presence', change ->> 'room')
                        THEN
                            DELETE FROM stay WHERE site = of_site AND item = last.item AND begin_ms = last.begin_ms;
                            CONTINUE;
                        END IF;
                    END IF;
                END IF;
                IF last.site IS NULL OR (last.presence, last.room) IS DISTINCT FROM (change ->> 'presence', change ->> 'room') THEN
                    PERFORM forgetmenot_put(
                        of_site, change ->> 'item', greatest(begins, last.begin_ms), change ->> 'presence', change ->> 'room');
                END IF;
            END LOOP;
        END $$;

        -- Deletes the oldest rows that were over before a time, and what remains of removed items; returns how many.
        CREATE OR REPLACE FUNCTION forgetmenot_delete(of_site text, ended bigint, most int)
        RETURNS int LANGUAGE plpgsql AS $$
        DECLARE
            deleted int;
        BEGIN
            DELETE FROM stay WHERE (site, item, begin_ms) IN (
                SELECT s.site, s.item, s.begin_ms FROM stay AS s
                WHERE s.site = of_site AND s.begin_ms <= ended AND (
                    EXISTS (
                        SELECT 1 FROM stay AS later WHERE later.site = s.site AND later.item = s.item
                            AND later.begin_ms > s.begin_ms AND later.begin_ms <= ended)
                    OR s.presence IS NULL AND NOT EXISTS (
                        SELECT 1 FROM stay AS later WHERE later.site = s.site AND later.item = s.item
                            AND later.begin_ms > ended))
                LIMIT most);
            GET DIAGNOSTICS deleted = ROW_COUNT;
            RETURN deleted;
        END $$;
        COMMIT;
        """
}
