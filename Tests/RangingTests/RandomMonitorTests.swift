import Beacons
import Testing

@testable import Ranging

/// Random lives of a gateway, each from its seed, and the rules of RulesOfTruth, a page of the reference, after every step.
struct RandomMonitorTests {
    @Test(arguments: 0..<60) func `the published states are true under every sequence of events`(seed: UInt64) {
        var life = Life(seed: seed)
        for _ in 0..<1500 { life.step() }
        #expect(life.faults == [], "seed \(seed)")
    }
}

private struct Life {
    private static let limit = 5
    private static let beacons =
        [bag, bike, keys, cat] + (0..<12).map { BeaconIdentity(uuid: owner, major: 3, minor: $0) }
    private static let all = [everything, bags, region("bag", bag), region("cat", cat, isImplicit: true)]

    var faults: [String] = []
    private var random: SplitMix64
    private let settings: Monitor.Settings
    private var monitor: Monitor
    private var now = Instant.zero
    private var regions: [Region] = []
    private var scanningSince: Instant?
    private var requiresProof = false
    /// Whether each beacon and region is inside as its events have it.
    private var inside: [BeaconIdentity: Bool] = [:]
    private var entered: [String: Bool] = [:]
    private var lastSeen: [BeaconIdentity: Instant] = [:]

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        settings = Monitor.Settings(
            exitAfter: seed % 3 == 0 ? .auto(falseExitsPerDay: 0.05) : .fixed(.seconds(10)),
            enterSightings: seed % 2 == 0 ? 1 : 2, memberLimit: Self.limit)
        monitor = Monitor(settings, at: .zero)
        setRegions()
    }

    mutating func step() {
        let sooner = Double.random(in: 0...3, using: &random)
        now = now + .seconds(Int.random(in: 0..<50, using: &random) == 0 ? sooner * 100 : sooner)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60: receive()
        case 60..<75: take(monitor.advance(to: now))
        case 75..<85: monitor.receivedSomething(at: now)
        case 85..<90 where requiresProof: prove()
        case 90..<94: toggleRadio()
        case 94..<97: setRegions()
        case 97: restart()
        default: take(monitor.advance(to: now))
        }
        check()
    }

    private mutating func receive() {
        let beacon = Self.beacons.randomElement(using: &random)!
        let transitions = monitor.receive(
            Sighting(
                beacon: beacon, rssi: RSSI(dBm: -60), measuredPower: MeasuredPower(dBm: -59),
                address: DeviceAddress(bits: 1, kind: .random), at: now))
        take(transitions ?? [])
        lastSeen[beacon] = now
    }

    private mutating func prove() {
        requiresProof = false
        take(monitor.proven(at: now))
    }

    private mutating func toggleRadio() {
        take(monitor.advance(to: now))
        take(monitor.radio(scanning: scanningSince == nil, at: now))
        scanningSince = scanningSince == nil ? now : nil
        requiresProof = false
    }

    private mutating func setRegions() {
        let expected = Self.all.filter { _ in Bool.random(using: &random) }
        take(monitor.setRegions(expected, at: now))
        regions = expected
        for beacon in Self.beacons where !expected.contains(where: { $0.scope.contains(beacon) }) {
            inside[beacon] = nil
        }
        for id in entered.keys where !expected.contains(where: { $0.id == id }) { entered[id] = nil }
    }

    private mutating func restart() {
        take(monitor.advance(to: now))
        let snapshot = monitor.snapshot(at: now)
        let downtime = Interval.seconds(Double.random(in: 0...2000, using: &random))
        now = now + downtime
        monitor = Monitor(settings, at: now)
        take(monitor.setRegions(regions, at: now))
        let isKnown = Bool.random(using: &random)
        monitor.restore(snapshot, downtime: isKnown ? downtime : nil, restoreWithin: .seconds(900), at: now)
        (scanningSince, requiresProof) = (nil, false)
    }

    private mutating func take(_ transitions: [MonitorOutput]) {
        for transition in transitions {
            switch transition {
            case .beacon(let it): take(it)
            case .region(let it): take(it)
            case .proofRequested: requiresProof = true
            }
        }
    }

    private mutating func take(_ it: BeaconTransition) {
        switch it.event {
        case .enter:
            if inside[it.identity] == true { faults.append("\(it.identity) entered twice") }
            inside[it.identity] = true
        case .exit:
            if inside[it.identity] != true { faults.append("\(it.identity) left without having entered") }
            inside[it.identity] = false
            judge(it)
        case nil:
            if it.state == .inside, inside[it.identity] != true {
                faults.append("\(it.identity) inside without an enter")
            }
            // Another has its place.
            if it.state == .unknown, monitor.isScanning { inside[it.identity] = nil }
        }
        if it.state != .unknown, !monitor.isScanning { faults.append("said \(it.state) while deaf") }
    }

    /// No exit without a full required silence while scanning, and dated by the last sighting where that is known.
    private mutating func judge(_ it: BeaconTransition) {
        guard let scanningSince, let seen = lastSeen[it.identity] else {
            faults.append("left while deaf, or never heard")
            return
        }
        var required = Interval.seconds(10)
        if case .auto = settings.exitAfter { required = SilenceModel.floor }
        if now - max(scanningSince, seen) < required { faults.append("\(it.identity) left too soon") }
        if let reported = it.lastSeen {
            if reported != seen { faults.append("\(it.identity) was seen \(seen), told \(reported)") }
            if it.at - reported < required { faults.append("\(it.identity)'s exit is dated \(it.at)") }
            // A fixed time is longer by up to one interval of the beacon, which is hardly longer than that time.
            if case .fixed = settings.exitAfter, it.at - reported > .seconds(2.1 * required.seconds) {
                faults.append("wrongly dated")
            }
        }
    }

    private mutating func take(_ it: RegionTransition) {
        let id = it.region.id
        switch it.event {
        case .enter:
            if entered[id] == true { faults.append("region \(id) entered twice") }
            entered[id] = true
        case .exit:
            if entered[id] != true { faults.append("region \(id) left without having been entered") }
            entered[id] = false
        case nil: break
        }
        if it.region.isImplicit { faults.append("the implicit region \(id) spoke") }
        if it.state == .inside, it.beacons == 0 { faults.append("region \(id) inside without a beacon") }
    }

    private mutating func check() {
        let beacons = monitor.beaconStatuses
        let configured = beacons.count { $0.identity == bag || $0.identity == cat }
        if beacons.count - configured > Self.limit { faults.append("\(beacons.count) beacons") }
        for status in monitor.regionStatuses {
            if scanningSince == nil, status.state != .unknown { faults.append("\(status.region.id) known while deaf") }
            let within = beacons.count { $0.state == .inside && $0.regions.contains(status.region.id) }
            if within != status.beacons { faults.append("\(status.region.id) has \(within), says \(status.beacons)") }
            if scanningSince != nil, (status.state == .inside) != (within > 0) {
                faults.append("\(status.region.id) is wrong")
            }
        }
        for status in beacons where status.state == .inside && inside[status.identity] != true {
            faults.append("\(status.identity) inside unsaid")
        }
        take(monitor.advance(to: now))
        if let deadline = monitor.nextDeadline, deadline <= now { faults.append("a deadline is left") }
    }
}
