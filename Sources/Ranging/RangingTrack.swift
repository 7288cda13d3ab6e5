import Beacons

/// The state of one beacon in a ranger.
struct RangingTrack: Sendable {
    let identity: BeaconIdentity
    /// The measured power that a region sets, which overrides the claimed one.
    var overridden: MeasuredPower? { didSet { if overridden != oldValue { forgetClass() } } }
    /// Whether a region other than a wildcard names the beacon.
    var isConfigured: Bool
    private(set) var lastSeen: Instant
    private var claimed: MeasuredPower
    private var addresses = AddressSet()
    private var samples = SampleRing()
    private var tracker = LevelTracker()
    private var proximity = ProximityClass()
    /// The borders of the classes for the measured power that was used last.
    private var known: (power: MeasuredPower, borders: ProximityClass.Borders)?
    /// The sender whose sightings are ranged, if there are several; `nil`: the sightings of all count.
    private var ranged: Int?
    /// The moving average of the time between sightings, in seconds.
    private var meanGap: Double?
    private var sightings = 0
    /// The filtered RSSI in dBm.
    private var level: Double?

    /// After a silence of `gapsOfSilence` mean gaps, the proximity becomes unknown: not before the shortest time and not after the longest.
    static let shortestSilence = Interval.seconds(5)
    static let longestSilence = Interval.seconds(120)
    static let gapsOfSilence = 8.0
    /// After a longer silence, the distance is estimated without the earlier sightings.
    static let memory = Interval.seconds(300)

    init(_ sighting: Sighting, overridden: MeasuredPower?, isConfigured: Bool) {
        identity = sighting.beacon
        self.overridden = overridden
        self.isConfigured = isConfigured
        lastSeen = sighting.at
        claimed = sighting.measuredPower
    }

    /// The address of the sender that is ranged, or else of the one received last.
    var address: DeviceAddress? {
        let sender = ranged.map { addresses.senders[$0] } ?? addresses.senders.max { $0.last < $1.last }
        return sender?.address
    }

    mutating func note(_ sighting: Sighting) {
        let pause = sighting.at - lastSeen
        if pause > Self.memory {
            (samples, tracker, level) = (SampleRing(), LevelTracker(), nil)
            forgetClass()
        }
        if pause > .zero {
            let seconds = min(pause, Self.memory).seconds
            meanGap = meanGap.map { $0 + (seconds - $0) / 16 } ?? seconds
        }
        lastSeen = max(lastSeen, sighting.at)
        sightings += 1
        claimed = sighting.measuredPower
        let sender = addresses.note(sighting)
        if let rssi = sighting.rssi { samples.append(rssi, from: sender, at: sighting.at) }
    }

    /// The next window decides the class: what it was decided by is not what it is any more.
    mutating func forgetClass() { proximity = ProximityClass() }

    /// Ends the window that began at `start`, and returns its result.
    mutating func range(_ settings: Ranger.Settings, from start: Instant, at now: Instant) -> RangedBeacon {
        defer {
            addresses.beginWindow()
            sightings = 0
        }
        let count = addresses.simultaneous(at: now)
        choose(count > 1, at: now)
        var reported = RangedBeacon(
            identity: identity, proximity: .unknown, accuracyMetres: nil, rssiMean: nil, sightings: sightings,
            measuredPower: claimed, addresses: count, at: now)
        let measured = summarise(into: &reported)
        if let mean = reported.rssiMean {
            level = filtered(settings.filter, mean: mean, count: measured, from: start, at: now) ?? level
        }
        let power = overridden ?? reported.measuredPower
        guard now - lastSeen < silence, let level, power.isPlausible else { return reported }
        let adjusted = level + settings.rssiOffset
        reported.accuracyMetres = settings.pathLoss.distance(level: adjusted, power: power)
        reported.proximity = proximity.update(
            level: adjusted, mean: reported.rssiMean.map { $0 + settings.rssiOffset },
            borders: borders(settings.pathLoss, power: power), at: now)
        return reported
    }

    /// Returns the borders of the classes, computed once for each measured power.
    private mutating func borders(_ model: PathLoss, power: MeasuredPower) -> ProximityClass.Borders {
        if let known, known.power == power { return known.borders }
        let borders = ProximityClass.Borders(model, power: power)
        known = (power, borders)
        return borders
    }

    /// The silence after which the proximity is unknown.
    private var silence: Interval {
        max(Self.shortestSilence, min(Self.longestSilence, .seconds(Self.gapsOfSilence * (meanGap ?? 0))))
    }

    /// Chooses whose sightings count: everybody's, or if several senders use the identity, those of the one with the highest RSSI. If that is
    /// another one than before, the filter begins anew.
    private mutating func choose(_ areSeveral: Bool, at now: Instant) {
        if areSeveral { addresses.choose(receivedSince: now - silence) }
        let chosen = areSeveral ? addresses.strongest : nil
        guard chosen != ranged else { return }
        ranged = chosen
        tracker = LevelTracker()
    }

    /// Fills in the sightings and the mean RSSI of the window, and returns how many of its sightings had an RSSI.
    private func summarise(into reported: inout RangedBeacon) -> Int {
        var (measured, sum) = (0, 0)
        for place in addresses.senders.indices where ranged == nil || ranged == place {
            measured += addresses.senders[place].measured
            sum += addresses.senders[place].sum
        }
        if measured > 0 { reported.rssiMean = Double(sum) / Double(measured) }
        if let ranged {
            reported.sightings = addresses.senders[ranged].sightings
            reported.measuredPower = addresses.senders[ranged].power
        }
        return measured
    }

    /// The filtered RSSI in dBm after a window with this mean; `nil` if the filter had no sample.
    private mutating func filtered(
        _ filter: Filter, mean: Double, count: Int, from start: Instant, at now: Instant
    ) -> Double? {
        switch filter {
        case .none: return mean
        case .median(let window): return samples.median(of: ranged, within: window, at: now)
        case .kalman(let drift, let noise):
            guard let value = samples.median(of: ranged, within: now - start, at: now) else { return nil }
            return tracker.update(value, count: count, drift: drift, noise: noise, at: now)
        }
    }
}
