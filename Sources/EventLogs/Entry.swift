/// One event, with the topic and payload of its publication, as stored in the log.
package struct Entry: Sendable, Hashable {
    /// The run id and the number of the event.
    package var place: Place
    package var topic: String
    /// The payload, a JSON object.
    package var payload: [UInt8]

    /// The event's number in its run, from 1.
    package var seq: UInt64 { place.seq }

    package init(_ place: Place, topic: String, payload: [UInt8]) {
        self.place = place
        self.topic = topic
        self.payload = payload
    }

    /// The approximate memory of the entry in bytes: the text and Swift's overhead.
    var weight: Int { topic.utf8.count + payload.count + 144 }
}
