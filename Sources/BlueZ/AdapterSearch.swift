import Beacons
import HCI

/// Reads the kernel's adapters one after the other, until the requested one is found.
struct AdapterSearch: Sendable {
    private let sought: AdapterName
    /// The address that the adapter with this number had before.
    private let known: DeviceAddress?
    /// Whether another adapter with this number is accepted, and an adapter with the known address if none has the number.
    private let acceptsOther: Bool
    private var remaining: [UInt16] = []
    /// The adapters found so far.
    private(set) var candidates: [Adapter] = []

    /// - Parameters:
    ///   - known: the address of the adapter that was found before.
    ///   - acceptsOther: whether an adapter that may be another one is accepted.
    init(for sought: AdapterName, known: DeviceAddress?, acceptsOther: Bool) {
        self.sought = sought
        self.known = known
        self.acceptsOther = acceptsOther
    }

    enum Progress: Hashable {
        case step(Step)
        case found(Adapter)
        /// No adapter matches; the sentence names the available ones.
        case nothing(String)
        case trouble(Trouble)
    }

    var first: Step { .management(.readIndexList, index: ManagementCommand.noIndex) }

    mutating func proceed(_ outcome: Outcome, of step: Step) -> Progress {
        guard case .management(let command, let index) = step else { preconditionFailure("not a step of a search") }
        switch (command, outcome) {
        case (.readIndexList, .done(let parameters)):
            remaining = Self.indices(in: parameters)
        case (.readInformation, .done(let parameters)):
            if let adapter = Adapter(index: index, information: parameters) { candidates.append(adapter) }
        // An adapter that was removed meanwhile or is not set up yet is skipped.
        case (.readInformation, .refused): break
        default: return .trouble(Trouble(management: outcome, cannot: "list the adapters"))
        }
        if let next = remaining.popLast() { return .step(.management(.readInformation, index: next)) }
        return choose()
    }

    private func choose() -> Progress {
        switch sought {
        case .address(let address):
            if let found = candidates.first(where: { $0.address.bits == address.bits }) { return .found(found) }
        case .index(let index):
            let numbered = candidates.first { $0.index == index }
            if let numbered, known == nil || numbered.address == known { return .found(numbered) }
            // Cheap adapters share one address: without an adapter of this number it is not known whether that one was renumbered.
            if numbered != nil || acceptsOther, let found = candidates.first(where: { $0.address == known }) {
                return .found(found)
            }
            if acceptsOther, let numbered { return .found(numbered) }
        }
        let others = candidates.sorted { $0.index < $1.index }.map { "\($0.name) \($0.address)" }
        return .nothing(
            "there is no adapter \(sought)"
                + (others.isEmpty ? ", and no other" : "; there is \(others.joined(separator: ", "))"))
    }

    ///       0       2
    ///     +-------+-------+-------+--
    ///     | count | index | index | ...
    ///     +-------+-------+-------+--
    private static func indices(in parameters: [UInt8]) -> [UInt16] {
        stride(from: 2, to: parameters.count - 1, by: 2).map {
            UInt16(parameters[$0]) | UInt16(parameters[$0 + 1]) << 8
        }
    }
}

extension Adapter {
    /// Reads the response to Read Controller Information; `nil` if it is cut.
    ///
    ///       0         6         7              9           13        17 ...
    ///     +---------+---------+--------------+-----------+---------+--
    ///     | address | version | manufacturer | supported | current | ...
    ///     +---------+---------+--------------+-----------+---------+--
    init?(index: UInt16, information: [UInt8]) {
        let bytes = information.span.bytes
        guard bytes.byteCount >= 17 else { return nil }
        self.init(
            index: index, address: DeviceAddress(bytes, at: 0, kind: .public),
            supported: AdapterSettings(rawValue: bytes.littleEndian(at: 9, as: UInt32.self)),
            current: AdapterSettings(rawValue: bytes.littleEndian(at: 13, as: UInt32.self)))
    }
}
