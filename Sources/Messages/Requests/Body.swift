/// The members of a request or a response without those of the envelope. Both are members of the same object.
public protocol Body: Hashable, Sendable {
    /// Writes the members.
    func writeFields(to json: inout JSONWriter)

    /// Reads the members; throws at the first invalid one.
    init(reading fields: inout Fields) throws(PayloadRefusal)
}

extension Body {
    /// Reads a request as people write it: a member that the request does not have is refused. `v` and `transaction` belong to every request.
    public init(requestedBy object: JSONObject) throws(PayloadRefusal) {
        var fields = Fields(object, isStrict: true)
        _ = (fields.value("v"), fields.value("transaction"))
        self = try Self(reading: &fields)
        try fields.refuseOthers()
    }
}
