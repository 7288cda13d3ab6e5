import Beacons
import Messages

// The values that the examples of payloads share.

let kitchenAt = WallTime(milliseconds: 1_795_239_612_345)  // 2026-11-21T05:40:12.345Z
let kitchenBoot = Boot("17.kfqx")!
let bagUUID = BeaconUUID("f7826da6-4fa2-4e98-8024-bc5b71e0893e")!
let bag = BeaconIdentity(uuid: bagUUID, major: 1, minor: 2)

func stamp(uptime milliseconds: Int64, isClockSynchronised: Bool = true) -> Stamp {
    Stamp(
        at: kitchenAt, boot: kitchenBoot, uptime: Instant(milliseconds: milliseconds),
        isClockSynchronised: isClockSynchronised)
}

/// The payload as text.
func text(_ payload: some Payload) -> String {
    String(decoding: payload.bytes, as: UTF8.self)
}

/// One JSON object; the source breaks it into lines for readability.
func joined(_ lines: String) -> [UInt8] {
    Array(lines.split(separator: "\n").joined().utf8)
}

/// The payload in `text`, or the reason for its refusal.
func read<P: Payload>(_ type: P.Type, _ text: String, on topic: Topic? = nil) throws(PayloadRefusal) -> P {
    try P(parsing: Array(text.utf8), on: topic)
}
