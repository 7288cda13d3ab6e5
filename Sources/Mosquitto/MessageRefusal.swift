/// Why a message from the broker was dropped unread. The raw values are the names of counters.
package enum MessageRefusal: String, CaseIterable, Sendable {
    /// The payload is larger than `BrokerOptions.largestPayload`.
    case tooLarge = "message_too_large"
    /// The topic is not UTF-8.
    case badTopic = "message_bad_topic"
    /// One read yielded more messages than twice the queue's limit. Usually a full queue only stops reading.
    case queueFull = "message_queue_full"
}
