import Beacons
import HCI

/// One advertisement from a decoder, with a copy of its data.
struct Received: Equatable {
    var address: DeviceAddress
    var dBm: Int8?
    var data: [UInt8]
    var at: Instant = .zero
}

extension AdvertisementDecoder {
    /// All advertisements of an H4 packet.
    mutating func received(in packet: [UInt8], at now: Instant = .zero) -> [Received] {
        var received: [Received] = []
        decode(packet.span.bytes, at: now) { advertisement, data in
            received.append(
                Received(
                    address: advertisement.address, dBm: advertisement.rssi?.dBm,
                    data: data.withUnsafeBytes { Array($0) }, at: advertisement.at))
        }
        return received
    }
}

/// An address from text, random by default.
func address(_ text: String, _ kind: DeviceAddress.Kind = .random) -> DeviceAddress { DeviceAddress(text, kind: kind)! }
