import Beacons

/// The current state of one adapter in the kernel.
struct Adapter: Hashable, Sendable {
    /// The number in `hci0`, which the kernel assigns anew whenever the adapter is plugged in.
    var index: UInt16
    /// The adapter's own address, which never changes.
    var address: DeviceAddress
    var supported: AdapterSettings
    var current: AdapterSettings

    /// The kernel's name of the adapter, such as `hci0`.
    var name: String { "hci\(index)" }
}

extension DeviceAddress {
    /// Reads the address whose six bytes begin at `offset`, with the last byte first.
    init(_ bytes: RawSpan, at offset: Int, kind: Kind) {
        let low: UInt32 = bytes.littleEndian(at: offset)
        let high: UInt16 = bytes.littleEndian(at: offset + 4)
        self.init(bits: UInt64(low) | UInt64(high) << 32, kind: kind)
    }
}
