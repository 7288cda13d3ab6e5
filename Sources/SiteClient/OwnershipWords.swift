import Linux
import Messages

/// The options about the owners of an item, as the user wrote them, unchecked.
package struct OwnershipWords: Sendable {
    var owners: [String]
    var needed: String?
    var notAloneIn: [String]
    /// Whether the item is to have no owners any more.
    package var isNobodys = false

    package init(owners: [String] = [], needed: String? = nil, notAloneIn: [String] = []) {
        (self.owners, self.needed, self.notAloneIn) = (owners, needed, notAloneIn)
    }

    /// The ownership to request; `nil` if no option is given.
    func requested() throws(Failure) -> Ownership? {
        let ownership = Ownership(owners: owners, needed: try schedule(), notAloneIn: notAloneIn)
        return ownership == Ownership() ? nil : ownership
    }

    /// Sets what the options change.
    func change(_ changes: inout JSONObject) throws(Failure) {
        if isNobodys {
            guard owners.isEmpty, needed == nil, notAloneIn.isEmpty else {
                throw Failure(.usage, "--no-owner removes owners, times and rooms: leave the other options out")
            }
            for key in ["owners", "needed", "not_alone_in"] { changes.set(key, to: .null) }
        }
        if !owners.isEmpty { changes.set("owners", to: .array(owners.map { .string($0) })) }
        if let schedule = try schedule() { changes.set("needed", to: .string(schedule.description)) }
        if !notAloneIn.isEmpty { changes.set("not_alone_in", to: .array(notAloneIn.map { .string($0) })) }
    }

    private func schedule() throws(Failure) -> Schedule? {
        guard let needed else { return nil }
        guard let schedule = Schedule(needed) else {
            throw Failure(
                .usage,
                "--needed is \"\(needed)\": write \"always\", or days and hours like \"mon-fri 07:00-09:00\"")
        }
        return schedule
    }
}
