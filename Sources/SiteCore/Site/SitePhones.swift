import Messages

/// The phones that all gateways recognise. The aggregator stores them and publishes them where only the gateways may read.
///
/// Nothing is published, and gateways hand over nothing, until `forgetmenot phones` has made sure that the broker is locked.
struct SitePhones: Sendable {
    /// `nil`: this site distributes no keys.
    private(set) var list: Phones?

    /// Begins with the phones of a former process.
    mutating func restore(_ phones: Phones) { list = phones }

    /// Receives the list, or a request that changes it. A phone that cannot be added is skipped; the client sees that by the list.
    ///
    /// - Parameter isActive: whether this aggregator writes the list.
    mutating func receive(
        _ topic: Topic, _ payload: [UInt8], isRetained: Bool, isActive: Bool, _ effects: inout SiteEffects
    ) throws(PayloadRefusal) {
        if topic == .phones {
            // What the writer receives is its own list. The broker may have lost it, which removes nothing.
            guard !payload.isEmpty, list == nil || !isActive else { return }
            let received = try Phones(parsing: payload)
            guard received != list else { return }
            list = received
            return effects.add(.storePhones)
        }
        // Only `forgetmenot phones` may remove. An empty removal is the beginning.
        guard !isRetained, isActive, var new = list ?? (topic == .removePhone ? Phones() : nil) else { return }
        for phone in try Phones(parsing: payload).phones {
            if topic == .removePhone {
                new.remove(phone.key)
            } else if new.refusal(of: phone) == nil {
                new.add(phone)
            }
        }
        if new != list { effects.add(.storePhones) }
        list = new
        publish(&effects)
    }

    /// Publishes the list, if there is one.
    func publish(_ effects: inout SiteEffects) { if let list { effects.publish(.phones, list) } }
}
