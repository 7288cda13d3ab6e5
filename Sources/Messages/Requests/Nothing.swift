/// No members: what most requests ask with, and what an answer says that only says that it was done.
public struct Nothing: Body {
    /// Nothing.
    public init() {}

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {}

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {}
}
