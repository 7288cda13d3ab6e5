/// One event as it is published, and as it stands in the log.
public struct Entry: Sendable, Hashable {
    /// The boot that numbered it, and its number.
    public var place: Place
    /// Where it is published.
    public var topic: String
    /// The JSON object.
    public var payload: [UInt8]

    /// Its number in its boot, from 1.
    public var seq: UInt64 { place.seq }

    /// An event at its place.
    public init(_ place: Place, topic: String, payload: [UInt8]) {
        self.place = place
        self.topic = topic
        self.payload = payload
    }

    /// About what it takes in memory: the text, and what Swift needs to hold it.
    var weight: Int { topic.utf8.count + payload.count + 144 }
}
