import Beacons
import Simulation
import Glibc

/// When one gateway receives one tag, for days on end: the seeded input of a study of monitoring.
///
/// What is lost costs nothing: the number of advertisements up to the next one received is drawn at once, anew whenever the odds change.
public struct TagChannel: Sendable {
    /// What happens next.
    public enum Event: Hashable, Sendable {
        /// An advertisement is received.
        case received(RSSI, at: Instant)
        /// The tag goes away: nothing is received until it returns.
        case left(at: Instant)
        /// The tag is back.
        case returned(at: Instant)
    }

    /// What it draws from.
    public let conditions: Conditions
    /// Whether the tag is there, after the last event.
    public var isPresent: Bool { absences?.isOn != true }

    private static let mostDelay: Int64 = 10_000_000
    private static let never = Instant(nanoseconds: .max / 2)

    private var generator: Xoshiro256
    private var bursts: GilbertElliott?
    private var body: Alternation?
    private var absences: Alternation?
    private let driftSeed: Seed
    private let scanPhase: Int64
    /// The next advertising event, received or not.
    private var upcoming: Instant
    /// Up to when the odds are what they are.
    private var end = Instant.zero
    /// 1 / ln(1 - reception): turns a uniform value into a number of losses; 0 where all is received, `nil` where nothing is.
    private var losses: Double?
    private var level = 0.0

    /// The events after `start`, at which the tag is there.
    public init(_ conditions: Conditions, seed: UInt64, from start: Instant = .zero) {
        precondition(conditions.interval > .zero, "an interval of some length")
        self.conditions = conditions
        let seed = Seed(seed)
        generator = Xoshiro256(seed: seed[.packet].bits)
        bursts = conditions.bursts.map { GilbertElliott($0, seed: seed[.burst].bits, from: start) }
        body = conditions.body.map { Alternation($0, seed: seed[.body].bits, from: start) }
        absences = conditions.absences.map { Alternation($0, seed: seed[.absence].bits, from: start) }
        driftSeed = seed[.flutter]
        scanPhase = conditions.scan.map { Int64(seed[.scan].unit * Double($0.interval.nanoseconds)) } ?? 0
        upcoming = start + generator.uniform(in: .zero...conditions.interval)
        begin(at: start)
    }

    /// What happens next; there is always something.
    public mutating func next() -> Event {
        while true {
            if let at = nextReceived() {
                upcoming = at + delay(ofEvents: 1)
                if let scan = conditions.scan, !scan.scans(at: at.nanoseconds + scanPhase) { continue }
                let dBm = level + 4 * Variates.normal(from: generator.next())
                guard let rssi = RSSI(dBm: Int8(max(-127, min(20, dBm.rounded())))) else { continue }
                return .received(rssi, at: at)
            }
            let change = end
            skipLost(before: change)
            let wasPresent = isPresent
            begin(at: change)
            if isPresent != wasPresent { return isPresent ? .returned(at: change) : .left(at: change) }
        }
    }

    /// The next reception, if the odds stay until then.
    private mutating func nextReceived() -> Instant? {
        guard let losses else { return nil }
        let lost = (log(1 - generator.uniform()) * losses).rounded(.down)
        // As many do not even fit in without any delay; beyond that the product may not fit in 64 bits.
        guard lost < Double(end.nanoseconds - upcoming.nanoseconds) / Double(conditions.interval.nanoseconds) else {
            return nil
        }
        let at = upcoming + delay(ofEvents: Int64(lost))
        return at < end ? at : nil
    }

    private mutating func skipLost(before time: Instant) {
        let most = conditions.interval.nanoseconds + TagChannel.mostDelay
        while upcoming < time {
            upcoming = upcoming + delay(ofEvents: max(1, (time - upcoming).nanoseconds / most))
        }
    }

    /// How long so many events take: each delay drawn up to 16 of them, beyond that their sum, which is all but normal.
    private mutating func delay(ofEvents count: Int64) -> Interval {
        var delays: Int64 = 0
        if count <= 16 {
            var bits: UInt64 = 0
            for event in 0..<count {
                bits = event % 4 == 0 ? generator.next() : bits >> 16
                delays += Int64(bits & 0xFFFF) * TagChannel.mostDelay >> 16
            }
        } else {
            let most = Double(TagChannel.mostDelay) * Double(count)
            let sum = most / 2 + Double(TagChannel.mostDelay) * (Double(count) / 12).squareRoot() * generator.gaussian()
            delays = Int64(max(0, min(most, sum)))
        }
        return Interval(nanoseconds: count * conditions.interval.nanoseconds + delays)
    }

    /// Reckons the odds from `time` on, and until when they hold.
    private mutating func begin(at time: Instant) {
        while let state = bursts, state.end <= time { bursts?.advance() }
        while let state = body, state.end <= time { body?.advance() }
        while let state = absences, state.end <= time { absences?.advance() }
        end = [bursts?.end, body?.end, absences?.end].reduce(TagChannel.never) { min($0, $1 ?? $0) }
        var reception = isPresent ? conditions.reception : 0
        if let bursts, bursts.isBad { reception *= 1 - bursts.bursts.loss }
        level = conditions.rssi
        if let body, body.isOn {
            level -= conditions.bodyLoss
            reception *= TagChannel.decoded(atLevel: level) / TagChannel.decoded(atLevel: conditions.rssi)
        }
        if let drift = conditions.drift {
            let step = max(1, drift.time.nanoseconds / 16)
            end = min(end, Instant(nanoseconds: (time.nanoseconds.divided(by: step) + 1) * step))
            let noise = Noise.along(time.nanoseconds, length: drift.time.nanoseconds, seed: driftSeed)
            // The normal distribution's integral, nearly: the values are evenly spread.
            reception *= 1 - drift.depth / (1 + exp(-1.7 * noise))
        }
        losses = reception > 0 ? 1 / log1p(-min(reception, 1)) : nil
    }

    private static func decoded(atLevel level: Double) -> Double {
        RadioModel.decodingProbability(level: level, sensitivity: -94, softness: 2)
    }
}
