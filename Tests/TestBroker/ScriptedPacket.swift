/// One MQTT 5 packet, as far as a scripted broker looks into it.
///
///     1 byte       kind (high half), flags (low half)
///     1..4 bytes   length of the body, 7 bits a byte, the lowest first, 0x80: more follow
///     body
package struct ScriptedPacket: Sendable {
    /// The kinds that clients send.
    package enum Kind: UInt8, Sendable {
        case connect = 1
        case publish = 3
        case acknowledgement = 4
        case subscribe = 8
        case unsubscribe = 10
        case ping = 12
        case disconnect = 14
    }

    /// The kind.
    package let kind: Kind
    /// For a publication: retain 1, QoS 2 (1) or 4 (2), doubled 8.
    package let flags: UInt8
    /// All behind the length.
    package let body: [UInt8]

    /// Takes the first whole packet out of `bytes`; `nil` when there is none.
    init?(takingFrom bytes: inout [UInt8]) {
        guard bytes.count >= 2, let kind = Kind(rawValue: bytes[0] >> 4) else { return nil }
        var length = 0
        var index = 1
        while true {
            guard index < bytes.count, index <= 4 else { return nil }
            length |= Int(bytes[index] & 0x7F) << (7 * (index - 1))
            index += 1
            if bytes[index - 1] & 0x80 == 0 { break }
        }
        guard bytes.count >= index + length else { return nil }
        self.kind = kind
        flags = bytes[0] & 0x0F
        body = Array(bytes[index..<index + length])
        bytes.removeFirst(index + length)
    }

    /// Of a publication: its topic.
    package var topic: String { String(decoding: body[2..<topicEnd], as: UTF8.self) }

    /// Of a publication of QoS 1, or a subscription: its two bytes, to be sent back.
    package var identifier: [UInt8] {
        kind == .publish ? Array(body[topicEnd..<topicEnd + 2]) : Array(body[..<2])
    }

    /// Of a publication of QoS 1: what stands behind the identifier, from the properties' length on.
    package var propertiesAndPayload: [UInt8] { Array(body[(topicEnd + 2)...]) }

    private var topicEnd: Int { 2 + Int(body[0]) << 8 + Int(body[1]) }

    static func bytes(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = body.count
        repeat {
            length.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return [first] + length + body
    }

    /// The bytes of a PUBLISH.
    package static func publish(
        topic: [UInt8], payload: [UInt8], identifier: UInt16? = nil, retained: Bool = false
    ) -> [UInt8] {
        var body = [UInt8(topic.count >> 8), UInt8(topic.count & 0xFF)] + topic
        if let identifier { body += [UInt8(identifier >> 8), UInt8(identifier & 0xFF)] }
        return bytes((identifier == nil ? 0x30 : 0x32) | (retained ? 1 : 0), body + [0] + payload)
    }
}
