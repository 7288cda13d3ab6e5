import Beacons

/// The identities from which the tag of an item advertises for a while: the payload of `items/{item}/aliases`.
///
/// A program that has the keys of a finder network writes the payload, because the gateways do not have them.
package struct ItemAliases: Payload {
    /// The aliases. Without any, the item has none.
    package var aliases: [ItemAlias]

    package static let most = 256

    package init(aliases: [ItemAlias]) { self.aliases = aliases }

    package func writeFields(to json: inout JSONWriter) { json.array("aliases", aliases) }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        aliases = try fields.entries("aliases", limit: Self.most)
    }
}

/// An identity that is an item's until an end.
package struct ItemAlias: Members {
    /// What an advertisement is recognised by.
    package enum Sign: Hashable, Sendable {
        /// The 48 bits of the address that sends the advertisement.
        case address(UInt64)
        case serviceData(service: UInt16, beginning: [UInt8])
    }

    package var sign: Sign
    /// When the alias ends, on the wall clock.
    package var until: WallTime

    /// The lengths of the beginning of service data, in bytes. A shorter one would be that of strangers' tags as well.
    package static let lengths = 4...32

    package init(_ sign: Sign, until: WallTime) { (self.sign, self.until) = (sign, until) }

    package func writeFields(to json: inout JSONWriter) {
        switch sign {
        case .address(let bits): json.field("address", "\(DeviceAddress(bits: bits, kind: .random))")
        case .serviceData(let service, let beginning):
            json.field("service_uuid", hexadecimal([UInt8(service >> 8), UInt8(service & 0xFF)]))
            json.field("service_data", hexadecimal(beginning))
        }
        json.field("until", until)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        let address = try fields.optionalParsed("address") { DeviceAddress($0, kind: .random)?.bits }
        let service = try fields.optionalParsed("service_uuid") { text in
            text.utf8.count == 4 ? bytes(ofHexadecimal: text).map { UInt16($0[0]) << 8 | UInt16($0[1]) } : nil
        }
        let beginning = try fields.optionalParsed("service_data") { bytes(ofHexadecimal: $0) }
        switch (address, service, beginning) {
        case (let address?, nil, nil): sign = .address(address)
        case (nil, let service?, let beginning?):
            guard Self.lengths.contains(beginning.count) else { throw .outOfRange("service_data") }
            sign = .serviceData(service: service, beginning: beginning)
        case (nil, nil, nil): throw .missing("address")
        case (nil, .some, nil): throw .missing("service_data")
        case (nil, nil, .some): throw .missing("service_uuid")
        default: throw .contradiction("address")
        }
        until = try fields.time("until")
    }
}
