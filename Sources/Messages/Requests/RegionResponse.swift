/// The response to `request/regions/add` and `request/regions/remove`: the region that was added or removed.
public struct RegionResponse: Body {
    /// The region.
    public var region: RegistryRegion

    /// Creates a response with `region`.
    public init(region: RegistryRegion) {
        self.region = region
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.key(named: "region")
        region.write(to: &json)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let object = try fields.optionalObject("region") else { throw .missing("region") }
        var fields = Fields(object)
        region = try RegistryRegion(reading: &fields)
    }
}
