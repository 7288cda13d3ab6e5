/// The templates by which Home Assistant reads our payloads: Jinja, evaluated over `value_json`.
///
/// A topic that is cleared gives an empty payload, of which `value_json` is undefined, and what is unknown is absent: each template reads
/// through `default`, since Home Assistant logs a warning for every key that is missing. `None` is Home Assistant's word for unknown.
enum Templates {
    private static func reading(_ template: String) -> String { "{% set v = value_json | default({}) %}" + template }

    /// `home`, `not_home`; of an item of which nothing is known, neither.
    static let tracker = reading("{{ {'home': 'home', 'away': 'not_home'}.get(v.presence | default(''), 'None') }}")
    /// By which Home Assistant counts who is home, from 2026 on.
    static let zones = reading(
        "{{ {'home': {'in_zones': ['zone.home']}, 'away': {'in_zones': []}}.get(v.presence | default(''), {}) | tojson }}"
    )
    /// `ON`, `OFF`.
    static let presence = reading("{{ {'home': 'ON', 'away': 'OFF'}.get(v.presence | default(''), 'None') }}")
    /// The room, while it is known to be there: where it was last is not where it is. A state has 255 characters at most.
    static let room = reading("{{ (v.room | default('None'))[:255] if v.presence == 'home' else 'None' }}")
    /// The distance in steps that grow with it, as its uncertainty does: each change is a row in Home Assistant's database.
    static let distance = coarse(
        "accuracy_m", steps: "0.5 if n < 0.75 else 1 if n < 1.5 else 2 if n < 3 else 4 if n < 10 else 8")
    /// One of the classes.
    static let proximity = reading(
        "{{ v.proximity if v.proximity | default('unknown') != 'unknown' else 'None' }}")
    /// While it is home, in steps of five minutes; then to the millisecond.
    static let lastSeen = reading(
        "{% set t = v.last_seen_at | default('None') %}"
            + "{{ t[:15] ~ ('5' if t[15:16] >= '5' else '0') ~ ':00Z' if v.presence == 'home' and t != 'None' else t }}"
    )
    /// An event and what it was about; `at` only where it may be long ago, since each other text is a row of its own in the database.
    static let itemEvent = reading(
        "{% if v.event_type is defined %}{{ dict({'event_type': v.event_type, 'from': v['from'] | default(none), "
            + "'to': v['to'] | default(none)}, **({} if v.event_type == 'moved' else {'at': v.at | default(none)})) | tojson }}{% endif %}"
    )
    /// What was said: message and count come with it.
    static let notificationEvent = reading(
        "{% if v.event_type is defined %}{{ {'event_type': v.event_type, 'message': v.message | default(none), "
            + "'count': v['count'] | default(none), 'since': v.since | default(none)} | tojson }}{% endif %}")
    /// A region's event, and when it was.
    static let regionEvent = reading(
        "{% if v.event_type is defined %}{{ {'event_type': v.event_type, 'at': v.at | default(none)} | tojson }}{% endif %}"
    )
    /// The word by which a trigger knows its event.
    static let eventType = reading("{{ v.event_type | default('') }}")
    /// Advertisements per second.
    static let adverts = coarse(
        "adverts_per_s", steps: "0.1 if n < 1 else 1 if n < 20 else 5 if n < 100 else 20 if n < 500 else 50")
    /// How many beacons of ours a gateway hears.
    static let beacons = reading("{{ v.beacons | default('None') }}")
    /// `ON` while a gateway does not hear.
    static let radioProblem = reading(
        "{% set s = (v.radio | default({})).state | default('unknown') %}"
            + "{{ 'OFF' if s == 'powered_on' else 'None' if s == 'unknown' else 'ON' }}")
    /// Why a gateway does not receive; nothing while its radio is well, and nothing where the gateway gives no reason.
    static let radioReason = reading(
        "{% set r = v.radio | default({}) %}"
            + "{{ ({'reason': r.reason} if r.state | default('') != 'powered_on' and r.reason | default(none) else {}) | tojson }}"
    )
    /// `ON` while anything is wrong.
    static let problem = reading("{{ 'ON' if v.problems | default([]) else 'OFF' }}")
    /// What is wrong.
    static let problems = reading("{{ {'problems': v.problems | default([])} | tojson }}")
    /// How many items there are. By `get`: where the key is missing, `v['items']` is what every dictionary has of that name.
    static let items = reading("{{ v.get('items', 'None') }}")
    /// How many gateways are alive.
    static let gatewaysAlive = reading("{{ (v.gateways | default({})).alive | default('None') }}")
    /// A region's state at a gateway.
    static let region = reading("{{ {'inside': 'ON', 'outside': 'OFF'}.get(v.state | default(''), 'None') }}")
    /// How many of a region's beacons are inside.
    static let regionBeacons = reading("{{ v.beacons | default('None') }}")

    /// A number in steps.
    private static func coarse(_ key: String, steps: String) -> String {
        reading(
            "{% set n = v.\(key) | default(none) %}{% if n is none %}None{% else %}{% set s = \(steps) %}"
                + "{{ ((n / s) | round * s) | round(1) }}{% endif %}")
    }
}
