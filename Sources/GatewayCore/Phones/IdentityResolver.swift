import Beacons
import CCrypto

/// Recognises phones and watches by the resolvable private addresses that they send from, whatever they send.
///
/// An address is resolved once, and its owner is then known for as long as it is received. One of 16.8 million addresses of strangers fits a given
/// key in one order of its bytes.
package struct IdentityResolver: Sendable {
    /// The limit of addresses that are known; the one received longest ago makes room.
    package static let mostAddresses = 4096
    /// The RSSI at 1 m that is assumed of a phone, which claims none.
    package static let measuredPower = MeasuredPower(dBm: -59)

    private struct Device: Sendable {
        let beacon: BeaconIdentity
        let name: String
        /// The key in both orders of its bytes.
        let keys: [[UInt8]]
    }

    private let keys: IdentityKeys
    private let devices: [Device]
    private var owners = RecencyTable<UInt64, Int?>(capacity: mostAddresses)

    package init(_ keys: IdentityKeys = IdentityKeys()) {
        self.keys = keys
        devices = keys.entries.map {
            Device(beacon: $0.key.beacon, name: $0.name, keys: [$0.key.bytes, $0.key.reversed.bytes])
        }
    }

    /// The sighting of the device that sends from the advertisement's address; `nil` if that is none of those known.
    package mutating func sighting(of advertisement: Advertisement) -> Sighting? {
        let address = advertisement.address
        guard !devices.isEmpty, address.kind == .random, address.bits >> 46 == 0b01 else { return nil }
        let devices = devices
        var owner: Int?
        owners.touch(address.bits, default: Self.owner(of: address, among: devices)) { owner = $0 }
        guard let owner else { return nil }
        return Sighting(
            beacon: devices[owner].beacon, rssi: advertisement.rssi, measuredPower: Self.measuredPower,
            address: address, at: advertisement.at)
    }

    /// Whether a beacon may be a device whose key cannot be read; see `IdentityKeys.mayMiss`.
    func mayMiss(_ beacon: BeaconIdentity) -> Bool { keys.mayMiss(beacon) }

    /// Whether a region may have such a device.
    func mayMiss(in scope: Region.Scope) -> Bool {
        switch scope {
        case .beacon(let beacon): mayMiss(beacon)
        case .uuid(let uuid), .major(let uuid, 0): mayMiss(BeaconIdentity(uuid: uuid, major: 0, minor: 0))
        case .major: false
        }
    }

    /// The name of a device; `nil` for a beacon that is none.
    package func name(of beacon: BeaconIdentity) -> String? { devices.first { $0.beacon == beacon }?.name }

    /// The number of addresses whose owner is known, nobody included.
    package var addressCount: Int { owners.count }

    /// The device whose key makes the address's hash from its random part.
    private static func owner(of address: DeviceAddress, among devices: [Device]) -> Int? {
        let (random, hash) = (UInt32(address.bits >> 24), UInt32(address.bits & 0xFF_FFFF))
        guard let cipher = AddressCipher() else { return nil }
        return devices.firstIndex { $0.keys.contains { cipher.hash(of: random, by: $0) == hash } }
    }
}

/// Computes the hashes of resolvable addresses.
final class AddressCipher {
    private let context: OpaquePointer

    /// `nil` without memory.
    init?() {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        self.context = context
        guard EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nil, nil, nil) == 1 else { return nil }
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// The hash of an address's random part under a key: `ah` of Core 5.4, Vol 3, Part H, 2.2.2.
    func hash(of random: UInt32, by key: [UInt8]) -> UInt32? {
        let block = [UInt8](repeating: 0, count: 12) + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: random >> $0) }
        var encrypted = [UInt8](repeating: 0, count: 32)
        var count: Int32 = 0
        guard EVP_EncryptInit_ex(context, nil, nil, key, nil) == 1,
            EVP_EncryptUpdate(context, &encrypted, &count, block, 16) == 1
        else { return nil }
        return encrypted[13..<16].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
