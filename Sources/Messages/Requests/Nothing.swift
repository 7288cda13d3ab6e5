/// A body without members: most requests, and responses that only report success.
public struct Nothing: Body {
    /// Creates the empty body.
    public init() {}

    /// Writes no members.
    public func writeFields(to json: inout JSONWriter) {}

    /// Reads no members and never throws.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {}
}
