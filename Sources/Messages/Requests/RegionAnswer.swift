/// Answers `request/regions/add` and `request/regions/remove`: the region as it is, or was.
public struct RegionAnswer: Body {
    /// The region.
    public var region: RegistryRegion

    /// An answer about `region`.
    public init(region: RegistryRegion) {
        self.region = region
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.key(named: "region")
        region.write(to: &json)
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let object = try fields.optionalObject("region") else { throw .missing("region") }
        var fields = Fields(object)
        region = try RegistryRegion(reading: &fields)
    }
}
