import Hummingbird
import Messages

/// An object with the members of both objects, first those of `first`.
func joined(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    guard first.count > 2 else { return second }
    guard second.count > 2 else { return first }
    return first.dropLast() + [UInt8(ascii: ",")] + second.dropFirst()
}

extension JSONWriter {
    /// Writes a member that is an object, or `null`.
    mutating func nullable(_ key: StaticString, _ value: (some Members)?) {
        if let value { object(key, value) } else { field(key, JSONValue.null) }
    }
}

/// `[rows]`.
func jsonList(_ rows: some Sequence<[UInt8]>) -> [UInt8] {
    Array("[".utf8) + rows.joined(separator: ",".utf8) + Array("]".utf8)
}

/// `{"key":[rows]}`.
func jsonList(_ key: StaticString, _ rows: some Sequence<[UInt8]>) -> [UInt8] {
    Array("{\"\(key)\":".utf8) + jsonList(rows) + Array("}".utf8)
}

/// One server-sent event; the data has no line feed, because our JSON has none.
func eventFrame(_ name: StaticString, _ data: [UInt8]) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.writeString("event: \(name)\ndata: ")
    buffer.writeBytes(data)
    buffer.writeString("\n\n")
    return buffer
}
