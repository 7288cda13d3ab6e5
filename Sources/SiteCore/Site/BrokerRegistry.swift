import Beacons
import Delivery
import Messages

/// Compares the registry on the broker with the aggregator's own: which entries to publish again, and which entries to clear.
///
/// The broker delivers retained messages in any order. The aggregator's own publications come back as well, some of them late. So
/// differences are noted first, and repaired together at intervals.
struct BrokerRegistry: Sendable {
    /// What the manifest's topic holds.
    enum Manifest: Hashable, Sendable {
        case absent
        case unreadable
        /// What we published last.
        case ours
        case present(RegistryManifest)
    }

    /// As many strays as a registry has entries; what is beyond is left where it is.
    static let mostStrays = RegistryManifest.mostEntries
    /// The bytes of their payloads; an entry of ours has some hundred bytes, at most 24 KiB.
    static let mostStrayBytes = 32 << 20
    /// A difference is repaired after so long. A repair that is needed again and again is made ever more rarely.
    static let patience = (first: Interval.seconds(2), longest: Interval.seconds(300))
    /// After so many repairs in a row, another program is taken to write the registry.
    private static let suspicious = 4

    /// Whether the retained registry has arrived after a connect and was compared as a whole. Until then the registry is not published.
    private(set) var isJudged = false
    private(set) var manifest = Manifest.absent
    /// The entries that are not in our registry, undecoded.
    private(set) var strays: [Topic: [UInt8]] = [:]
    private var strayBytes = 0
    /// Entries of ours that the broker holds differently.
    private var altered: Set<Topic> = []
    /// Entries of ours that the broker was seen to hold; noted until the registry is judged.
    private var confirmed: Set<Topic> = []
    /// The parts of the broker's manifest, until the registry is judged.
    private var parts: [Int: [UInt8]] = [:]
    private var repairAt: Instant?
    private var repairs = 0
    private var patience = Self.patience.first
    /// Asks again for entries that the broker's manifest names and that did not come.
    var fetch = RegistryFetch()

    /// The broker's manifest has come. Until the registry is judged the newest counts, as our own may come back before it.
    mutating func note(_ manifest: Manifest) {
        if !isJudged, case .present(let held) = self.manifest, case .present(let new) = manifest,
            held.revision > new.revision
        {
            return
        }
        self.manifest = manifest
    }

    /// A part of a manifest has come.
    ///
    /// - Parameter isOurs: whether it is as we published it; `nil` if our registry has no parts.
    mutating func note(part number: Int, _ payload: [UInt8], isOurs: Bool?) {
        guard isJudged else {
            parts[number] = payload
            return
        }
        if let isOurs {
            note(.registryPart(number), isOurs: isOurs)
        } else {
            note(stray: .registryPart(number), payload)
        }
    }

    /// Whether the broker holds a part, before the registry is judged: with this digest, or with any.
    func holds(part number: Int, digest: String? = nil) -> Bool {
        guard let payload = parts[number], !payload.isEmpty else { return false }
        return digest.map { RegistryPart.digest(of: payload) == $0 } ?? true
    }

    /// A manifest that names its entries itself, and the parts that are missing for that.
    func whole(_ manifest: RegistryManifest) -> (manifest: RegistryManifest, missing: [Topic]) {
        var (whole, missing) = (manifest, [Topic]())
        for (number, digest) in (manifest.parts ?? []).enumerated() {
            guard let payload = parts[number], RegistryPart.digest(of: payload) == digest,
                let part = try? RegistryPart(parsing: payload)
            else {
                missing.append(.registryPart(number))
                continue
            }
            whole.items += part.items
            whole.regions += part.regions
        }
        return (whole, missing)
    }

    /// An entry of ours has come.
    mutating func note(_ topic: Topic, isOurs: Bool) {
        drop(stray: topic)
        if !isOurs {
            altered.insert(topic)
            return
        }
        altered.remove(topic)
        if !isJudged { confirmed.insert(topic) }
    }

    /// An entry that is not ours has come, or was cleared.
    mutating func note(stray topic: Topic, _ payload: [UInt8]) {
        altered.remove(topic)
        drop(stray: topic)
        guard !payload.isEmpty, strays.count < Self.mostStrays,
            strayBytes + payload.count <= Self.mostStrayBytes
        else { return }
        strays[topic] = payload
        strayBytes += payload.count
    }

    private mutating func drop(stray topic: Topic) {
        if let former = strays.removeValue(forKey: topic) { strayBytes -= former.count }
    }

    /// The whole registry has been compared and written: from now on differences are repaired as they come.
    mutating func judged() {
        isJudged = true
        manifest = .ours
        (altered, confirmed, strays, strayBytes, parts) = ([], [], [:], 0, [:])
    }

    /// Whether an entry of ours is to be written when the registry is judged.
    func isPending(_ topic: Topic) -> Bool { altered.contains(topic) || !confirmed.contains(topic) }

    /// The strays on these topics that can be read.
    func readable<Entry: Payload>(_ topics: [Topic]) -> [Entry] {
        topics.compactMap { topic in strays[topic].flatMap { try? Entry(parsing: $0, on: topic) } }
    }

    struct Repair: Sendable {
        /// Entries of ours to be written again, and others to be cleared.
        var altered: [Topic]
        var strays: [Topic]
        /// The manifest to be replaced, if it is not ours.
        var manifest: Manifest?
    }

    /// The differences from our own registry, if there are some and it is time to repair them.
    mutating func repair(at now: Instant) -> Repair? {
        let isManifestOurs = manifest == .ours
        guard !altered.isEmpty || !strays.isEmpty || !isManifestOurs else {
            // What stayed right for as long as the next repair would wait ends the suspicion.
            if let repairAt, now >= repairAt { (self.repairAt, repairs, patience) = (nil, 0, Self.patience.first) }
            return nil
        }
        guard let repairAt else {
            self.repairAt = now + patience
            return nil
        }
        guard now >= repairAt else { return nil }
        repairs += 1
        patience = min(patience * 2, Self.patience.longest)
        self.repairAt = now + patience
        defer {
            manifest = .ours
            (altered, strays, strayBytes) = ([], [:], 0)
        }
        return Repair(
            altered: altered.sorted { "\($0)" < "\($1)" }, strays: strays.keys.sorted { "\($0)" < "\($1)" },
            manifest: isManifestOurs ? nil : manifest)
    }

    /// That another program writes the registry, as a sentence for `info`.
    var problem: String? {
        guard repairs >= Self.suspicious else { return nil }
        return "another program writes the registry's topics: end it, or give it another prefix"
    }
}
