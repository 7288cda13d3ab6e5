import Beacons
import Glibc
import Linux

/// Real programs, a real broker, and every second or two something goes wrong. In the end what the gateways decided must be what the
/// aggregator published: nothing missing, nothing doubled, in order.
///
///     Chaos [SECONDS] [SEED] [GATEWAYS]          kills, cut and hanging lines, stops, a broker without memory
///     Chaos kills [COUNT] [SEED] [GATEWAYS]      kills alone, one after the other
///     Chaos memory [SECONDS] [SEED] [GATEWAYS]   kills, of a broker as well that returns with what it wrote to its disk up to 10 s before
///     Chaos clocks [SECONDS] [SEED] [GATEWAYS]   each program's clock is set by hours and decades: not one transition is another
///     Chaos slow [SECONDS] [SEED] [GATEWAYS]     disks take two seconds whenever they are waited for: nor is any here
///     Chaos full [SECONDS] [SEED] [GATEWAYS]     gateways with a disk of 64 kB, cut off now and then (root)
///     Chaos powercuts [COUNT] [SEED]             the disk is copied at random moments, and both programs start from the copy (root)
///     Chaos herd [COUNT]                         connections that lose one broker come back without a stampede
///     Chaos messages [COUNT] [SEED]              messages to a phone: kills, most of an hour without the push server, clocks that jump
///
/// Prints its seed, what it did, and what came of it; exits with 1 where something was lost.
@main
enum Chaos {
    static func main() throws {
        var words = CommandLine.arguments.dropFirst()
        let mode = words.first.flatMap { Mode(rawValue: $0) }
        if mode != nil { words = words.dropFirst() }
        let numbers = words.map { UInt64($0) }
        guard !numbers.contains(nil), numbers.count <= 3 else {
            print(
                "usage: Chaos [kills | memory | clocks | slow | full | powercuts | herd | messages] [SECONDS or COUNT] [SEED] [GATEWAYS]"
            )
            exit(64)
        }
        let amount = numbers.first.flatMap { $0 }.map { Int($0) }
        let seed = numbers.dropFirst().first.flatMap { $0 } ?? UInt64(Clock.wall.milliseconds)
        let gateways = Int(numbers.dropFirst(2).first.flatMap { $0 } ?? 3)
        if let hindrance = mode?.hindrance {
            print("skipped: chaos \(mode!.rawValue): \(hindrance)")
            return
        }
        if mode == .powercuts { return try PowerCuts.run(amount ?? 200, seed: seed, programs: programs) }
        if mode == .herd { return try Herd.run(amount ?? 200) }
        if mode == .messages {
            if try MessageRun.run(amount ?? 4, seed: seed, programs: programs) { return }
            exit(1)
        }
        var chaosRun = try ChaosRun(
            mode ?? .everything, amount: amount, seed: seed, gateways: gateways, programs: programs)
        try chaosRun.run()
    }

    /// The folder of this program, where the others were built, too.
    private static var programs: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        _ = readlink("/proc/self/exe", &path, Int(PATH_MAX))
        let executable = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        return executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}
