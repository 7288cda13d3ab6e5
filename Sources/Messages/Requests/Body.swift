/// What a request asks with, or an answer says, beside what every one has: the members are written into the envelope's object.
public protocol Body: Hashable, Sendable {
    /// Writes its members.
    func writeFields(to json: inout JSONWriter)

    /// Takes its members, and refuses the whole for one that is not as agreed.
    init(reading fields: inout Fields) throws(PayloadRefusal)
}
