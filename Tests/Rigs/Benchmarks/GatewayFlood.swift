import Beacons
import Linux

/// What advertisements of beacons that nobody monitors cost a gateway: each has an identity and an address of its own.
enum GatewayFlood {
    /// Microseconds for each, by how many bytes the memory grows, and how many messages follow.
    static func run(_ strangers: Int) -> (microseconds: Double, growth: Int, messages: Int) {
        var gateway = DryRun.ofAllBeacons()
        var packet: [UInt8] = [4, 0x3E, 2 + 40, 2, 1, 0, 1, 0, 0, 0, 0, 0, 0xC0, 30]
        packet += [2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 0, count: 20) + [0xC5, 0xC0]
        var random = SplitMix64(seed: 11)
        var now = Instant.zero
        let (before, messages) = (Vitals.residentBytes, gateway.messages)
        let begin = Clock.processorTime
        for _ in 0..<strangers {
            now = now + .milliseconds(1)
            withUnsafeBytes(of: random.next()) { packet.replaceSubrange(7..<12, with: $0.prefix(5)) }
            withUnsafeBytes(of: random.next()) { packet.replaceSubrange(23..<31, with: $0) }
            withUnsafeBytes(of: random.next()) { packet.replaceSubrange(31..<39, with: $0) }
            gateway.take(packet.span.bytes, at: now)
        }
        let spent = Clock.processorTime - begin
        return (
            spent.seconds / Double(strangers) * 1e6, Vitals.residentBytes - before, gateway.messages - messages
        )
    }
}
