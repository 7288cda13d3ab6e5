import Beacons
import Delivery
import Messages
import Ranging
import Testing

@testable import GatewayCore

/// The parts of a gateway's pipeline, each on its own.
struct PipelinePartsTests {
    private let configuration = TestGateway(TestGateway.bagRegion).pipeline.configuration
    private var effects: GatewayEffects

    init() { effects = GatewayEffects(configuration, boot: Boot("17.kfqx")!, at: TestGateway.moment(0)) }

    /// The names of the topics that were published since the last call, without events.
    private mutating func topics() -> [String] {
        effects.drainOutputs().compactMap { output in
            guard case .publish(let message) = output else { return nil }
            return message.topic.name(under: .standard)
        }
    }

    private mutating func pass(to seconds: Double) -> Instant {
        effects.now = TestGateway.moment(seconds)
        return effects.now.instant
    }

    // MARK: Regions

    @Test mutating func `monitoring writes an enter into the log, and clears the state of a region that is gone`() {
        var monitoring = RegionMonitoring(configuration, at: effects.now.instant)
        monitoring.setRegions(configuration.regions, &effects)
        monitoring.radio(scanning: true, &effects)
        let data = BeaconFrame(format: .iBeacon, identity: TestGateway.bag, measuredPower: MeasuredPower(dBm: -59))
            .advertisingData
        let address = DeviceAddress(bits: 0xC0_0000_0000_01, kind: .random)
        let advertisement = Advertisement(address: address, rssi: RSSI(dBm: -60), at: pass(to: 1))
        monitoring.receive(advertisement, data.span.bytes, &effects)
        #expect(effects.events.log.inMemory == 2 && monitoring.receivedCounts(at: pass(to: 2)) == (1, 0))
        _ = topics()
        monitoring.setRegions([], &effects)
        #expect(
            topics().contains { $0.hasSuffix("regions/\(configuration.regions[0].id)/state") || $0.hasSuffix("/state") }
        )
        #expect(monitoring.monitor.regionStatuses.isEmpty)
    }

    // MARK: Registry

    @Test func `of two regions with one id the configuration's own is monitored`() {
        var registry = RegistryReplica()
        let own = configuration.regions[0]
        let uuid = BeaconUUID("f7826da6-4fa2-4e98-8024-bc5b71e0893e")!
        let other = Region(id: own.id, identifier: "Other", scope: .uuid(uuid))
        registry.restore(StoredRegistry(revision: 3, items: [], regions: [other]))
        #expect(registry.regions(with: configuration) == [own] && registry.revision == 3)
        #expect(!registry.isMissingEntries && registry.fetchMissing(at: effects.now.instant).isEmpty)
    }

    // MARK: Status

    @Test mutating func `a problem of the disk is reported once, and its end`() {
        var status = GatewayStatus(at: effects.now.instant)
        #expect(status.note(diskProblem: "the disk is full", &effects))
        #expect(!status.note(diskProblem: "the disk is full", &effects))
        #expect(status.note(diskProblem: nil, &effects) && !status.note(diskProblem: nil, &effects))
        #expect(effects.outputs.count == 2)
    }

    @Test mutating func `info is due every 30 s, and telemetry every 60 s or when it is requested`() {
        var status = GatewayStatus(at: effects.now.instant)
        #expect(!status.isInfoDue(at: pass(to: 29)) && status.isInfoDue(at: pass(to: 30)))
        status.publishInfo(of: configuration, problems: ["a problem"], regions: 1, revision: 0, &effects)
        #expect(topics() == ["forgetmenot/gateways/\(configuration.id)/info"] && !status.isInfoDue(at: pass(to: 59)))
        #expect(!status.takeTelemetryDue(at: pass(to: 59)) && status.takeTelemetryDue(at: pass(to: 60)))
        // Not within ten seconds of the last one.
        status.requestTelemetry(at: pass(to: 61))
        #expect(!status.takeTelemetryDue(at: pass(to: 69)) && status.takeTelemetryDue(at: pass(to: 70)))
    }

    // MARK: Home Assistant

    @Test mutating func `a gateway that has just been announced responds to Home Assistant five seconds later`() {
        var configuration = configuration
        configuration.homeAssistant.discovery = true
        var announcement = GatewayAnnouncement()
        announcement.publish(configuration, &effects)
        let published = effects.outputs.count { if case .publishElsewhere = $0 { true } else { false } }
        #expect(published == 1 && announcement.eventsWaitUntil == effects.now.instant + .milliseconds(2500))
        announcement.homeAssistantStarted(at: pass(to: 1))
        #expect(!announcement.takeResponseDue(at: pass(to: 4)) && announcement.takeResponseDue(at: pass(to: 5)))
        #expect(announcement.responseDueAt == nil && !announcement.takeResponseDue(at: pass(to: 20)))
    }
}
