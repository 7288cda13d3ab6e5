import Beacons

/// The phones and watches that all gateways recognise: the payload of a topic that only the aggregator and the gateways may read. In requests, the
/// phones that are to be added or removed.
package struct Phones: Payload {
    package private(set) var phones: [Phone]

    /// The limit of phones.
    package static let most = 100

    package init(_ phones: [Phone] = []) { self.phones = phones }

    package func writeFields(to json: inout JSONWriter) { json.array("phones", phones) }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        phones = try fields.entries("phones", limit: Self.most)
    }

    /// Whether a phone is among them, under its name and with its key in either order of the bytes.
    package func has(_ phone: Phone) -> Bool {
        phones.contains { $0.name == phone.name && $0.key.beacon == phone.key.beacon }
    }

    /// Why a phone cannot be added, in a sentence without its key; `nil` if it can be.
    package func refusal(of phone: Phone) -> String? {
        let others = phones.filter { $0.key.beacon != phone.key.beacon }
        if others.contains(where: { $0.name == phone.name }) {
            return "there is a phone \"\(phone.name)\" with another key: remove it first, or give another name"
        }
        return others.count < Self.most ? nil : "there are \(Self.most) phones, which is the limit: remove one first"
    }

    /// Adds a phone, or gives the one with this key another name. The order of the key's bytes does not matter.
    package mutating func add(_ phone: Phone) {
        if let place = phones.firstIndex(where: { $0.key.beacon == phone.key.beacon }) {
            phones[place].name = phone.name
        } else {
            phones.append(phone)
        }
    }

    /// Removes the phone with this key.
    package mutating func remove(_ key: IdentityKey) { phones.removeAll { $0.key.beacon == key.beacon } }
}

/// A phone or a watch: its identity resolving key, and the name that its owner gave it.
package struct Phone: Members {
    package var key: IdentityKey
    package var name: String

    /// The longest name, in bytes.
    package static let longestName = 256

    package init(key: IdentityKey, name: String) { (self.key, self.name) = (key, name) }

    /// Whether a phone may have this name.
    package static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(isPrintable)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("key", hexadecimal(key.bytes))
        json.field("name", name)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        key = try fields.parsed("key") { IdentityKey($0) }
        name = try fields.parsed("name") { Self.isName($0) ? $0 : nil }
    }
}
