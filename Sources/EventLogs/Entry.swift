/// One event, with the topic and payload of its publication, as stored in the log.
public struct Entry: Sendable, Hashable {
    /// The run id and the number of the event.
    public var place: Place
    /// The topic of the publication.
    public var topic: String
    /// The payload, a JSON object.
    public var payload: [UInt8]

    /// The event's number in its run, from 1.
    public var seq: UInt64 { place.seq }

    /// Creates an entry from its place, topic and payload.
    public init(_ place: Place, topic: String, payload: [UInt8]) {
        self.place = place
        self.topic = topic
        self.payload = payload
    }

    /// The approximate memory of the entry in bytes: the text and Swift's overhead.
    var weight: Int { topic.utf8.count + payload.count + 144 }
}
