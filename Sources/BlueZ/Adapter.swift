import Beacons

/// One adapter as the kernel knows it now.
struct Adapter: Hashable, Sendable {
    /// The number in `hci0`: the kernel gives it anew when the adapter is plugged in.
    var index: UInt16
    /// Its own address, which stays.
    var address: DeviceAddress
    /// What it could do.
    var supported: AdapterSettings
    /// What it does.
    var current: AdapterSettings

    /// `hci0`.
    var name: String { "hci\(index)" }
}

extension DeviceAddress {
    /// The address whose six bytes begin at `offset`, the last of the written form first.
    init(_ bytes: RawSpan, at offset: Int, kind: Kind) {
        let low: UInt32 = bytes.littleEndian(at: offset)
        let high: UInt16 = bytes.littleEndian(at: offset + 4)
        self.init(bits: UInt64(low) | UInt64(high) << 32, kind: kind)
    }
}
