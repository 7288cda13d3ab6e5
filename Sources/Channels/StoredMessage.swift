import Messages

/// A message to a person in the file of the site.
package struct StoredMessage: Members {
    var message: PersonalMessage
    var token: String
    /// The earlier messages whose buttons work.
    var formers: [PendingMessage.Former] = []
    var end: PendingMessage.End?
    /// The keys of the channels that have what is true now.
    var done: [String]
    /// The keys of other channels that have taken an earlier message about the same.
    var arrived: [String] = []

    package func writeFields(to json: inout JSONWriter) {
        json.field("person", message.person)
        json.field("key", message.key)
        json.field("title", message.title)
        json.field("text", message.text)
        json.field("items", message.items)
        json.field("urgent", message.isUrgent)
        json.field("at", message.at)
        json.field("token", token)
        if !formers.isEmpty { json.array("formers", formers) }
        json.field("end", end?.rawValue)
        json.field("done", done)
        if !arrived.isEmpty { json.field("arrived", arrived) }
    }
}

extension StoredMessage {
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        message = PersonalMessage(
            person: try fields.text("person"), key: try fields.text("key"), title: try fields.text("title"),
            text: try fields.text("text"), items: try fields.texts("items", limit: .max),
            isUrgent: try fields.optionalBool("urgent") ?? false, at: try fields.time("at"))
        token = try fields.text("token")
        formers = try fields.optionalEntries("formers", limit: .max) ?? []
        end = try fields.optionalParsed("end") { PendingMessage.End(rawValue: $0) }
        done = try fields.texts("done", limit: .max)
        arrived = try fields.optionalTexts("arrived", limit: .max) ?? []
    }
}
