import Beacons
import Messages
import Settings
import Testing

@testable import SiteCore

@Suite struct RegistryPublisherTests {
    private var effects = SiteEffects(prefix: .standard, boot: Boot("3.aggr")!, at: TestSite.moment(0))
    private var publisher: RegistryPublisher

    init() {
        let reading = readSettings([], file: "test.toml") { AggregatorConfiguration($0) }
        var registry = SiteRegistry(reading.configuration!, stored: nil, boot: Boot("3.aggr"))
        _ = try? registry.add(NewItem(RegistryItem(name: "Keys", beacon: TestSite.bag)))
        publisher = RegistryPublisher(registry, at: TestSite.moment(0).instant)
    }

    /// The topics of what was published since the last call.
    private mutating func published() -> [Topic] {
        effects.drainOutputs().compactMap { if case .publish(let message) = $0 { message.topic } else { nil } }
    }

    @Test
    mutating func
        `nothing is published before the broker's registry was compared, then the entries before the manifest`()
    {
        publisher.publishAll(&effects)
        let early = publisher.tend(isSettled: false, &effects)
        let earlyTopics = published()
        #expect(early?.isTakenUp == nil && earlyTopics.isEmpty)
        let judgement = publisher.tend(isSettled: true, &effects)
        let topics = published()
        #expect(judgement?.isTakenUp == false)
        #expect(topics == [.registryItem("keys"), .registryManifest])
    }

    @Test mutating func `a request that would change a new registry waits for the comparison; other requests do not`() {
        let held = [publisher.defer("items/add", [1]), publisher.defer("learning", [])]
        #expect(held == [true, false])
        let judgement = publisher.tend(isSettled: true, &effects)
        #expect(judgement?.requests.map(\.what) == ["items/add"])
        let isHeld = publisher.defer("items/add", [])
        #expect(!isHeld)
    }

    @Test(arguments: [false, true])
    mutating func `a request waits for the comparison with the broker's newer registry, as after a restore, each time`(
        isLater: Bool
    ) {
        _ = publisher.tend(isSettled: true, &effects)
        var newer = publisher.registry.manifest
        for _ in 1...2 {
            publisher.connected()
            newer.revision += 1
            newer.items += ["bag-\(newer.revision)"]
            func deliver(_ publisher: inout RegistryPublisher, _ effects: inout SiteEffects) {
                let item = RegistryItem(id: newer.items.last!, name: newer.items.last!, beacon: TestSite.bag)
                publisher.receive(.registryManifest, newer.bytes, &effects)
                publisher.receive(.registryItem(item.id), item.bytes, &effects)
            }
            if !isLater { deliver(&publisher, &effects) }
            let isHeld = publisher.defer("items/edit", [])
            #expect(isHeld)
            if isLater { deliver(&publisher, &effects) }
            let judgement = publisher.tend(isSettled: true, &effects)
            #expect(judgement?.isTakenUp == true && judgement?.requests.count == 1)
            #expect(publisher.registry.items[newer.items.last!] != nil)
            newer = publisher.registry.manifest
        }
        publisher.connected()
        publisher.receive(.registryManifest, newer.bytes, &effects)
        let isHeld = publisher.defer("items/edit", [])
        #expect(!isHeld, "the broker has what this aggregator has")
    }

    @Test
    mutating func `an entry that another program overwrites is replaced, and an entry that is not ours is cleared`() {
        _ = publisher.tend(isSettled: true, &effects)
        _ = published()
        publisher.receive(.registryItem("keys"), [1, 2, 3], &effects)
        publisher.receive(.registryItem("stray"), [1, 2, 3], &effects)
        for second in 1...3 {
            effects.now = TestSite.moment(Double(second))
            _ = publisher.tend(isSettled: true, &effects)
        }
        let topics = published()
        #expect(topics == [.registryItem("keys"), .registryItem("stray")])
    }

    @Test mutating func `a removed entry is cleared, and the manifest follows`() throws {
        _ = publisher.tend(isSettled: true, &effects)
        _ = published()
        try publisher.registry.remove(item: "keys")
        publisher.changed(items: ["keys"], regions: [], &effects)
        let outputs = effects.drainOutputs()
        guard case .publish(let entry)? = outputs.first, case .publish(let manifest)? = outputs.last else {
            Issue.record("an entry and a manifest were expected: \(outputs)")
            return
        }
        #expect(entry.topic == .registryItem("keys") && entry.payload.isEmpty)
        #expect(try RegistryManifest(parsing: manifest.payload).items.isEmpty)
    }
}
