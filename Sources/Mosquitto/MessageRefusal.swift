/// Why a message from the broker was thrown away unread; the raw values are for counters.
public enum MessageRefusal: String, CaseIterable, Sendable {
    /// Its payload is larger than `BrokerOptions.largestPayload`.
    case tooLarge = "message_too_large"
    /// Its topic is not UTF-8.
    case badTopic = "message_bad_topic"
    /// More came in one go than the queue holds twice over. (Usually a full queue just stops reading.)
    case queueFull = "message_queue_full"
}
