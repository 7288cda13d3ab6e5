import Beacons
import Glibc
import Linux
import TestBroker

/// Real programs, a real broker, and every second or two something goes wrong: kills, cut and hanging lines, stops, a broker without memory.
/// In the end what the gateways decided must be what the aggregator told: nothing missing, nothing doubled, in order.
///
///     Chaos [SECONDS] [SEED] [GATEWAYS]
///
/// Prints its seed, what it did, and what came of it; exits with 1 where something was lost.
@main
enum Chaos {
    /// So long after the end of trouble everything is to be where it belongs.
    static let patience = 60.0

    static func main() throws {
        let words = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard !words.contains(nil) else {
            print("usage: Chaos [SECONDS] [SEED] [GATEWAYS]")
            exit(64)
        }
        let seconds = Double(words.first.flatMap { $0 } ?? 600)
        let seed = words.dropFirst().first.flatMap { $0 } ?? UInt64(Clock.wall.milliseconds)
        let gateways = Int(words.dropFirst(2).first.flatMap { $0 } ?? 3)
        print("chaos: \(Int(seconds)) s, seed \(seed), \(gateways) gateways")
        var generator = SplitMix(seed: seed)
        let site = try ChaosSite(
            programs: programs, gateways: gateways, tags: 6, seconds: seconds, using: &generator)
        for party in site.parties { try party.begin() }
        let (counts, diary) = try trouble(site, until: seconds - 5, using: &generator)
        print(counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
        try finish(site, from: seconds, after: diary)
    }

    /// Does harm until `end`, and heals all of it.
    private static func trouble(
        _ site: ChaosSite, until end: Double, using generator: inout SplitMix
    ) throws -> (counts: [String: Int], diary: [String]) {
        var diary: [String] = []
        var open: [(trouble: Trouble, party: Party, until: Double)] = []
        var counts: [String: Int] = [:]
        var next = 6.0
        while site.elapsed < end || !open.isEmpty {
            site.wait(until: min(open.map(\.until).min() ?? .infinity, site.elapsed < end ? next : .infinity))
            for case let (trouble, party, until) in open where until <= site.elapsed {
                try trouble.end(on: party, site)
                party.isTroubled = false
            }
            open.removeAll { $0.until <= site.elapsed }
            guard site.elapsed >= next, site.elapsed < end else { continue }
            next = site.elapsed + Double.random(in: 0.5..<4, using: &generator)
            let trouble = Trouble.allCases.randomElement(using: &generator)!
            // Whoever is in trouble is left alone; the broker's trouble is the aggregator's, too.
            let party = trouble.befallsBroker ? site.aggregator! : site.parties.randomElement(using: &generator)!
            let length = Double.random(in: 0.1..<trouble.longest, using: &generator)
            guard !party.isTroubled else { continue }
            party.isTroubled = true
            trouble.begin(on: party, site)
            open.append((trouble, party, site.elapsed + length))
            counts[trouble.rawValue, default: 0] += 1
            let name = trouble.befallsBroker ? "broker" : party.name
            diary.append("\(Clock.wall) \(name): \(trouble.rawValue) for \(Int(length * 1000)) ms")
        }
        return (counts, diary)
    }

    /// Waits until all is told, ends everything, and says what came of it.
    private static func finish(_ site: ChaosSite, from end: Double, after diary: [String]) throws {
        var verdict = Verdict(of: site)
        var healed = site.elapsed
        repeat {
            site.wait(until: site.elapsed + 1)
            verdict = Verdict(of: site)
            if site.elapsed < end { healed = site.elapsed }
        } while site.elapsed < end + 4 || !verdict.faults.isEmpty && site.elapsed < healed + patience
        let drained = site.elapsed - healed
        var faults = verdict.faults
        for party in site.parties {
            if !party.isRunning { faults.append("\(party.name) does not run any more") }
            party.signal(SIGTERM)
        }
        site.wait(until: site.elapsed + 2)
        for party in site.parties {
            let status = party.end(by: SIGTERM)
            if status != 0 { faults.append("\(party.name) ended with \(status)") }
        }
        print("\(verdict.decided) events decided, \(verdict.told) told of items, drained after \(Int(drained)) s")
        print(
            "\(verdict.unknown) while a gateway was gone for nearly as long as its will waits: unknown, and no event of an item"
        )
        guard faults.isEmpty else {
            for line in diary + faults { print(line) }
            print("chaos: \(faults.count) faults; the logs are in \(site.folder.path)")
            // The folder would go with the site, which is not let go; the broker may not stay behind.
            site.broker.kill()
            fflush(nil)
            _exit(1)
        }
        print("chaos: nothing missing, nothing doubled, in order")
    }

    /// The folder of this program, where the others were built, too.
    private static var programs: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        _ = readlink("/proc/self/exe", &path, Int(PATH_MAX))
        let executable = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        return executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}

/// Numbers from a seed, the same on every machine.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
