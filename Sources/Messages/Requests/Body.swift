/// The members of a request or a response without those of the envelope. Both are members of the same object.
public protocol Body: Hashable, Sendable {
    /// Writes the members.
    func writeFields(to json: inout JSONWriter)

    /// Reads the members; throws at the first invalid one.
    init(reading fields: inout Fields) throws(PayloadRefusal)
}
