/// The templates with which Home Assistant reads this project's payloads: Jinja over `value_json`.
///
/// A cleared topic has an empty payload without a `value_json`, and unknown values are absent. Home Assistant logs a
/// warning for each missing key, so each template uses `default`. `None` means unknown in Home Assistant.
enum Templates {
    private static func reading(_ template: String) -> String { "{% set v = value_json | default({}) %}" + template }

    /// Why an item is away that has probably not left, as an attribute; none of an item that left, or is home.
    private static let cause = "**({'probable_cause': v.probable_cause} if v.probable_cause is defined else {})"

    /// `home` or `not_home`; `None` for an item of unknown presence.
    static let tracker = reading("{{ {'home': 'home', 'away': 'not_home'}.get(v.presence | default(''), 'None') }}")
    /// The zone, by which Home Assistant counts who is home from 2026 on, and the probable cause.
    static let zones = reading(
        "{{ dict({'home': {'in_zones': ['zone.home']}, 'away': {'in_zones': []}}"
            + ".get(v.presence | default(''), {}), \(cause)) | tojson }}")
    /// The probable cause alone: the zone that was there before goes.
    static let noZones = reading("{{ dict(\(cause)) | tojson }}")
    static let presence = reading("{{ {'home': 'ON', 'away': 'OFF'}.get(v.presence | default(''), 'None') }}")
    /// The room while the item is known to be home, because the last room is not the current one. A state has at most
    /// 255 characters.
    static let room = reading("{{ (v.room | default('None'))[:255] if v.presence == 'home' else 'None' }}")
    /// The distance. Its noise grows with it: a still tag is often estimated a third too near or too far. Below 5 m, where people ask for
    /// "within 3 m", it follows more closely.
    static let distance = steady("accuracy_m", least: "0.5", share: "(0.3 if [n, o] | max < 5 else 0.5)")
    static let proximity = reading(
        "{{ v.proximity if v.proximity | default('unknown') != 'unknown' else 'None' }}")
    /// The last sighting in steps of ten minutes while the item is home, and in milliseconds afterwards.
    static let lastSeen = reading(
        "{% set t = v.last_seen_at | default('None') %}"
            + "{{ t[:15] ~ '0:00Z' if v.presence == 'home' and t != 'None' else t }}"
    )
    /// The last sighting, also while the item is home.
    static let lastSeenExactly = reading("{{ v.last_seen_at | default('None') }}")
    /// The confidence in the room, in per cent.
    static let confidence = reading(
        "{% set c = v.confidence | default(none) %}{{ 'None' if c is none else (c * 100) | round | int }}")
    /// The gateway that receives the item best.
    static let gateway = reading("{{ v.gateway | default('None') }}")
    static let floor = reading("{{ v.floor | default('None') }}")
    static let rssi = reading("{{ v.rssi_dbm | default('None') }}")
    /// The seconds between two advertisements of the tag, and its sightings in an hour.
    static let interval = reading("{{ v.interval_s | default('None') }}")
    static let sightings = reading("{{ v.sightings_per_hour | default('None') }}")
    /// The change of the RSSI in dB a week.
    static let trend = reading("{{ v.rssi_db_per_week | default('None') }}")
    static let batteryPercent = reading("{{ v.battery_percent | default('None') }}")
    static let batteryVoltage = reading("{{ v.battery_mv | default('None') }}")
    /// An event and its details. `at` is present only if the event may be old, because each different text is a row in
    /// the database.
    static let itemEvent = reading(
        "{% if v.event_type is defined %}{{ dict(dict({'event_type': v.event_type, 'from': v['from'] | default(none), "
            + "'to': v['to'] | default(none)}, **({} if v.event_type == 'moved' else {'at': v.at | default(none)})), "
            + "\(cause)) | tojson }}{% endif %}"
    )
    static let notificationEvent = reading(
        "{% if v.event_type is defined %}{{ {'event_type': v.event_type, 'message': v.message | default(none), "
            + "'count': v['count'] | default(none), 'since': v.since | default(none)} | tojson }}{% endif %}")
    static let notificationActive = reading("{{ 'ON' if v.message is defined else 'OFF' }}")
    /// The text of the active notification. Without the count, a repetition is no row in the database.
    static let activeNotification = reading(
        "{{ ({'message': v.message, 'kind': v.kind | default(none), 'since': v.since | default(none)} "
            + "if v.message is defined else {}) | tojson }}")
    /// The text of a notification event. A state has at most 255 characters.
    static let message = reading("{{ (v.message | default('None'))[:255] }}")
    static let regionEvent = reading(
        "{% if v.event_type is defined %}{{ {'event_type': v.event_type, 'at': v.at | default(none)} | tojson }}{% endif %}"
    )
    /// The value by which a trigger recognises its event.
    static let eventType = reading("{{ v.event_type | default('') }}")
    static let adverts = steady("adverts_per_s", least: "0.5", share: "0.25")
    /// The number of a gateway's known beacons that match a region.
    static let beacons = reading("{{ v.beacons | default('None') }}")
    /// `ON` while a gateway cannot receive.
    static let radioProblem = reading(
        "{% set s = (v.radio | default({})).state | default('unknown') %}"
            + "{{ 'OFF' if s == 'powered_on' else 'None' if s == 'unknown' else 'ON' }}")
    /// The gateway's machine and adapter.
    static let host = reading(
        "{{ {'host': v.host | default(none), 'adapter': (v.radio | default({})).address | default(none)} | tojson }}")
    /// Why a gateway does not receive; empty if its radio works or the gateway reports no reason.
    static let radioReason = reading(
        "{% set r = v.radio | default({}) %}"
            + "{{ ({'reason': r.reason} if r.state | default('') != 'powered_on' and r.reason | default(none) else {}) | tojson }}"
    )
    static let problem = reading("{{ 'ON' if v.problems | default([]) else 'OFF' }}")
    static let problems = reading("{{ {'problems': v.problems | default([])} | tojson }}")
    /// The number of items, read with `get`: without the key, `v['items']` is the dictionary's own method.
    static let items = reading("{{ v.get('items', 'None') }}")
    /// The number of persons or items in a room; `empty_since`, the ids and the names are attributes.
    static let count = reading("{{ v['count'] | default('None') }}")
    /// The ids and names of the persons or items in a room, and since when there are none.
    static let contents = reading(
        "{{ {'ids': v.ids | default([]), 'names': v.names | default([]), 'empty_since': v.empty_since | default(none)} | tojson }}"
    )
    static let personEvent = reading(
        "{% if v.event_type is defined %}{{ {'event_type': v.event_type, 'from': v['from'] | default(none), "
            + "'to': v['to'] | default(none)} | tojson }}{% endif %}")
    static let gatewaysAlive = reading("{{ (v.gateways | default({})).alive | default('None') }}")
    static let region = reading("{{ {'inside': 'ON', 'outside': 'OFF'}.get(v.state | default(''), 'None') }}")
    static let regionBeacons = reading("{{ v.beacons | default('None') }}")

    /// Writes a number, and keeps the entity's state until the number differs from it by `least` and by a share of the larger one: each
    /// change is a row in Home Assistant's database. A state that the user has converted to another unit changes more often.
    private static func steady(_ key: String, least: String, share: String) -> String {
        reading(
            "{% set n = v.\(key) | default(none) %}{% if n is none %}None{% else %}"
                + "{% set o = (this | default({})).state | default('') | float(-1) %}"
                + "{{ o if o >= 0 and (n - o) | abs < [\(least), \(share) * [n, o] | max] | max else n | round(1) }}{% endif %}"
        )
    }
}
