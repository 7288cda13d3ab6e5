/// Whose an item is, and when somebody is notified about it because of that.
package struct Ownership: Hashable, Sendable {
    /// The owners, each by the person's id or exact name.
    package var owners: [String]
    /// When the item must not stay behind as its last owner departs; `nil`: it may.
    package var needed: Schedule?
    /// The rooms in which the item must not be without an owner.
    package var notAloneIn: [String]

    package static let most = 16

    package init(owners: [String] = [], needed: Schedule? = nil, notAloneIn: [String] = []) {
        self.owners = owners
        self.needed = needed
        self.notAloneIn = notAloneIn
    }

    package func writeFields(to json: inout JSONWriter) {
        if !owners.isEmpty { json.field("owners", owners) }
        json.field("needed", needed?.description)
        if !notAloneIn.isEmpty { json.field("not_alone_in", notAloneIn) }
    }
}

extension Fields {
    /// Reads the keys of an ownership; `nil` if there are none.
    mutating func ownership() throws(PayloadRefusal) -> Ownership? {
        let ownership = Ownership(
            owners: try optionalTexts("owners", limit: Ownership.most) ?? [],
            needed: try optionalParsed("needed") { Schedule($0) },
            notAloneIn: try optionalTexts("not_alone_in", limit: Ownership.most) ?? [])
        return ownership == Ownership() ? nil : ownership
    }
}
