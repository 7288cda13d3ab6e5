import Beacons

/// Writes event packets with H4's indicator in the form that `AdvertisementDecoder` reads.
public enum HCIPacket {
    /// One report of a non-connectable advertisement (ADV_NONCONN_IND) with at most 31 bytes of data, as beacons send
    /// it.
    public static func advertisingReport(address: DeviceAddress, rssi: RSSI?, data: [UInt8]) -> [UInt8] {
        advertisingReports([Report(address: address, rssi: rssi, data: data)])
    }

    /// Several such reports in one event. An event holds 255 bytes: six full reports, or more shorter ones.
    public static func advertisingReports(_ reports: [Report]) -> [UInt8] {
        event(HCIEvent.advertisingReport, reports: reports) { report, parameters in
            precondition(report.data.count <= 31, "a legacy advertisement holds 31 bytes")
            parameters.append(nonConnectable)
            parameters.append(address: report.address)
            parameters.append(UInt8(report.data.count))
            parameters += report.data
            parameters.append(rssi: report.rssi)
        }
    }

    /// One report of an extended advertisement, with at most 229 bytes of data. `set` is the id of its advertising set,
    /// 0 to 15.
    public static func extendedAdvertisingReport(
        address: DeviceAddress, rssi: RSSI?, data: [UInt8], set: UInt8 = 0, status: DataStatus = .complete
    ) -> [UInt8] {
        event(
            HCIEvent.extendedAdvertisingReport, reports: [Report(address: address, rssi: rssi, data: data)]
        ) { report, parameters in
            precondition(report.data.count <= longestPart, "a report of an extended advertisement holds 229 bytes")
            parameters += [status.rawValue << 5, 0x00]
            parameters.append(address: report.address)
            // LE 1M as the primary and the secondary PHY.
            parameters += [0x01, 0x01, set, UInt8(bitPattern: HCIEvent.noMeasurement)]
            parameters.append(rssi: report.rssi)
            // No periodic advertising, and no direct address.
            parameters += [UInt8](repeating: 0, count: 2 + 7)
            parameters.append(UInt8(report.data.count))
            parameters += report.data
        }
    }

    /// The packets in which a controller would report this advertisement: one legacy report if the data fits, otherwise
    /// as many extended reports as needed. `record` uses this for radios that deliver no packets.
    public static func packets(of advertisement: Advertisement, _ data: RawSpan) -> [[UInt8]] {
        let bytes = data.withUnsafeBytes { Array($0) }
        let (address, rssi) = (advertisement.address, advertisement.rssi)
        if bytes.count <= 31 && address.kind != .anonymous {
            return [advertisingReport(address: address, rssi: rssi, data: bytes)]
        }
        var packets: [[UInt8]] = []
        var rest = bytes[...]
        repeat {
            let part = Array(rest.prefix(longestPart))
            rest = rest.dropFirst(longestPart)
            packets.append(
                extendedAdvertisingReport(
                    address: address, rssi: rssi, data: part, status: rest.isEmpty ? .complete : .moreFollows))
        } while !rest.isEmpty
        return packets
    }

    /// The content of one report.
    public struct Report: Sendable {
        /// The address that sent the advertisement.
        public var address: DeviceAddress
        /// The RSSI; `nil` is written as "not available".
        public var rssi: RSSI?
        /// The advertisement's data.
        public var data: [UInt8]

        package init(address: DeviceAddress, rssi: RSSI?, data: [UInt8]) {
            self.address = address
            self.rssi = rssi
            self.data = data
        }
    }

    private static let nonConnectable: UInt8 = 0x03
    /// The number of data bytes for which an extended report has room.
    private static let longestPart = 229

    private static func event(
        _ subevent: UInt8, reports: [Report], _ append: (Report, inout [UInt8]) -> Void
    ) -> [UInt8] {
        var parameters = [subevent, UInt8(reports.count)]
        for report in reports { append(report, &parameters) }
        precondition(parameters.count <= 255, "an event holds 255 bytes")
        return [HCIEvent.indicator, HCIEvent.lowEnergyMeta, UInt8(parameters.count)] + parameters
    }
}

extension [UInt8] {
    /// Appends type and address in the form of reports, with the last byte of the address first.
    fileprivate mutating func append(address: DeviceAddress) {
        let type: UInt8 =
            switch address.kind {
            case .public: 0x00
            case .random: 0x01
            case .anonymous: 0xFF
            }
        append(type)
        for shift in stride(from: UInt64(0), to: 48, by: 8) {
            append(UInt8(truncatingIfNeeded: address.bits >> shift))
        }
    }

    fileprivate mutating func append(rssi: RSSI?) {
        append(UInt8(bitPattern: rssi?.dBm ?? HCIEvent.noMeasurement))
    }
}
