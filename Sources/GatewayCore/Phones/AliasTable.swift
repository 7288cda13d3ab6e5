import Beacons
import Messages

/// Recognises the tags of items by the identities that another program has published for them: `ItemAliases`.
struct AliasTable: Sendable {
    /// The limit of aliases of all items together, those that the registry does not have included.
    static let most = 4096
    /// By how much the wall clock must have been set for the ends to be computed again.
    private static let setting = Interval.seconds(1)

    /// Whose an alias is, and until when.
    private struct Owner: Sendable {
        let beacon: BeaconIdentity
        let until: Instant
    }

    /// What was published, by item. The aliases of an item wait until the registry has the item.
    private var published: [String: [ItemAlias]] = [:]
    private var addresses: [UInt64: Owner] = [:]
    /// The owners of service data, by its service and first four bytes, each with the whole beginning.
    private var serviceData: [UInt64: [(beginning: [UInt8], owner: Owner)]] = [:]
    /// The wall time of `Instant.zero` when the ends were computed.
    private var epoch = WallTime(milliseconds: 0)
    /// Whether what is published has changed since the owners were found out.
    private var isStale = false
    /// Which items have no alias any more.
    var ends = AliasEnds()
    /// The item whose last payload was refused, and the reason as a sentence for `info`.
    private var refused: (item: String, problem: String)?

    /// What `info` reports; `nil` if nothing was refused.
    var problem: String? { refused?.problem }
    /// The number of aliases, those that have ended included.
    var count: Int { published.values.reduce(0) { $0 + $1.count } }

    // MARK: What is received

    /// The sighting of the item that the advertisement is an alias of; `nil` if there is none. This is the hot path: it allocates nothing.
    func sighting(of advertisement: Advertisement, _ data: RawSpan) -> Sighting? {
        guard let beacon = byAddress(advertisement) ?? byServiceData(advertisement, data) else { return nil }
        return Sighting(
            beacon: beacon, rssi: advertisement.rssi, measuredPower: IdentityResolver.measuredPower,
            address: advertisement.address, at: advertisement.at)
    }

    private func byAddress(_ advertisement: Advertisement) -> BeaconIdentity? {
        guard !addresses.isEmpty, advertisement.address.kind != .anonymous,
            let owner = addresses[advertisement.address.bits], advertisement.at < owner.until
        else { return nil }
        return owner.beacon
    }

    private func byServiceData(_ advertisement: Advertisement, _ data: RawSpan) -> BeaconIdentity? {
        guard !serviceData.isEmpty else { return nil }
        var structures = ADStructures()
        while let structure = structures.next(in: data) {
            let start = structure.content.lowerBound
            guard structure.type == ADType.serviceData16, structure.content.count >= 6 else { continue }
            let service = data.littleEndian(at: start, as: UInt16.self)
            let key = Self.key(service, data.bigEndian(at: start + 2, as: UInt32.self))
            for (beginning, owner) in serviceData[key] ?? [] where advertisement.at < owner.until {
                guard structure.content.count - 2 >= beginning.count,
                    beginning.indices.allSatisfy({ data.byte(at: start + 2 + $0) == beginning[$0] })
                else { continue }
                return owner.beacon
            }
        }
        return nil
    }

    private static func key(_ service: UInt16, _ first: UInt32) -> UInt64 { UInt64(service) << 32 | UInt64(first) }

    // MARK: What is published

    /// Receives the payload of an item's topic, and returns the name of the reason if it was refused. Then the aliases before it stay.
    mutating func receive(_ payload: [UInt8], of item: String) -> String? {
        var new: [ItemAlias] = []
        do throws(PayloadRefusal) {
            if !payload.isEmpty { new = try ItemAliases(parsing: payload).aliases }
        } catch {
            return refuse(item, "\(error) Correct the program that publishes it", name: error.name)
        }
        guard count - (published[item]?.count ?? 0) + new.count <= Self.most else {
            let reason = "a gateway takes at most \(Self.most) aliases of all items. Withdraw those of others"
            return refuse(item, reason, name: "too_many_aliases")
        }
        published[item] = new.isEmpty ? nil : new
        isStale = true
        if refused?.item == item { refused = nil }
        return nil
    }

    private mutating func refuse(_ item: String, _ reason: String, name: String) -> String {
        if refused == nil || refused?.item == item {
            refused = (item, "items/\(item)/aliases is refused and changes nothing: \(reason)")
        }
        return name
    }

    /// Drops the aliases of items that the registry has no more.
    mutating func forget(_ items: some Sequence<String>) {
        for item in items {
            published[item] = nil
            if refused?.item == item { refused = nil }
            isStale = true
        }
    }

    /// A connection stands. A refused payload that the broker retains comes again, and one that was withdrawn meanwhile does not.
    ///
    /// The aliases stay: a broker that has lost its memory, or a part of it, delivers none, and each alias has an end.
    mutating func connected() { refused = nil }

    // MARK: What they mean

    /// Whether anything has changed, or the wall clock was set, since it was found out whose each alias is.
    func isOutdated(at moment: Moment) -> Bool {
        if isStale { return true }
        guard !published.isEmpty else { return false }
        let shift = Self.epoch(of: moment) - epoch
        return shift > Self.setting || shift < .zero - Self.setting
    }

    private static func epoch(of moment: Moment) -> WallTime { moment.wall - (moment.instant - .zero) }

    /// Finds out whose each alias is.
    mutating func resolve(_ items: [String: RegistryItem], at moment: Moment) {
        isStale = false
        guard !(published.isEmpty && addresses.isEmpty && serviceData.isEmpty && ends.isEmpty) else { return }
        (addresses, serviceData, epoch) = ([:], [:], Self.epoch(of: moment))
        var last: [AliasEnds.End] = []
        for (id, aliases) in published.sorted(by: { $0.key < $1.key }) {
            guard let beacon = items[id]?.beacon else { continue }
            let owners = aliases.map { Owner(beacon: beacon, until: moment.instant + ($0.until - moment.wall)) }
            for (alias, owner) in zip(aliases, owners) { add(alias.sign, owner) }
            last.append(AliasEnds.End(item: id, beacon: beacon, until: owners.map(\.until).max() ?? moment.instant))
        }
        ends.replace(last, items: Set(items.values.map(\.beacon)), at: moment.instant)
    }

    /// Of two items with one address or one beginning, the one whose alias ends last has it.
    private mutating func add(_ sign: ItemAlias.Sign, _ owner: Owner) {
        switch sign {
        case .address(let bits):
            if let other = addresses[bits], other.until >= owner.until { return }
            addresses[bits] = owner
        case .serviceData(let service, let beginning):
            let first = beginning.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            let key = Self.key(service, first)
            guard let place = serviceData[key]?.firstIndex(where: { $0.beginning == beginning }) else {
                serviceData[key, default: []].append((beginning, owner))
                return
            }
            if serviceData[key]![place].owner.until < owner.until { serviceData[key]![place].owner = owner }
        }
    }
}
