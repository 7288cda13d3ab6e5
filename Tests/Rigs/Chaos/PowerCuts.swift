import Beacons
import Glibc
import Linux
import Messages
import TestBroker

/// Power cuts: the disk under both programs is copied at random moments, in one instant, as a power cut would leave it. On each copy the file
/// system's log is replayed, what had been published until then is looked for, and both programs start.
///
/// The disk is a file on XFS, which clones a file as it stands between two writes, however large it is.
struct PowerCuts {
    private let site: ChaosSite
    private let folder: TestFolder
    private let programs: String
    private let box: MountedDisk
    private let disk: MountedDisk
    private let reader: EventReader
    /// Where the programs that start from a copy are let in.
    private let otherBroker: TestBroker
    private var generator: SplitMix64
    private var faults: [String] = []
    private var failedStarts = 0
    private var kills = 0

    /// Does it `count` times; exits with 1 where something was lost.
    static func run(_ count: Int, seed: UInt64, programs: String) throws {
        print("chaos: \(count) power cuts, seed \(seed)")
        var cuts = try PowerCuts(seed: seed, seconds: Double(count) * 4 + 120, programs: programs)
        for participant in cuts.site.participants { try participant.begin() }
        cuts.site.wait(until: 5)
        for number in 1...count { try cuts.cut(number) }
        cuts.report(count)
        cuts.disk.unmount()
        cuts.box.unmount()
        guard !cuts.faults.isEmpty else { return }
        fflush(nil)
        _exit(1)
    }

    private init(seed: UInt64, seconds: Double, programs: String) throws {
        self.programs = programs
        generator = SplitMix64(seed: seed)
        folder = try TestFolder()
        try MountedDisk.make("xfs", megabytes: 400, at: folder.path("box.img"))
        box = try MountedDisk(image: folder.path("box.img"), at: folder.path("box"))
        try MountedDisk.make("ext4", megabytes: 24, at: folder.path("box/disk.img"))
        disk = try MountedDisk(image: folder.path("box/disk.img"), at: folder.path("disk"))
        var setting = ChaosSite.Setting(programs: programs, gateways: 1, tags: 12, seconds: seconds)
        setting.state = { "disk/\($0)" }
        site = try ChaosSite(setting, in: folder, using: &generator)
        reader = try EventReader(of: site.broker)
        otherBroker = try TestBroker()
        try writeConfigurations()
    }

    private func writeConfigurations() throws {
        let mqtt = "[mqtt]\nhost = \"127.0.0.1\"\nport = \(otherBroker.port)\n"
        for participant in site.participants {
            var text = "state_directory = \"\(folder.path("copy"))/\(participant.name)\"\n" + mqtt
            if participant.name == "aggregator" {
                text += "[page]\nenabled = false\n[history]\nenabled = false\n"
            } else {
                text = "id = \"\(participant.name)\"\n" + text + "[radio]\nsource = \"simulation\"\n"
            }
            try folder.write(text, to: "\(participant.name)-copy.toml")
        }
    }

    // MARK: One cut

    private mutating func cut(_ number: Int) throws {
        site.wait(until: site.elapsed + Double.random(in: 0.2..<1.5, using: &generator))
        // Now and then a program has just been killed, or is just starting.
        if number % 10 == 0 {
            let participant = site.participants.randomElement(using: &generator)!
            participant.kill()
            try participant.begin()
            kills += 1
            site.wait(until: site.elapsed + Double.random(in: 0..<0.5, using: &generator))
        }
        let published = reader.take()
        // A name of its own: the loop device of a file that was mounted before may live on, with what it knows of it.
        let image = folder.path("box/copy-\(number).img")
        try clone(folder.path("box/disk.img"), to: image)
        defer { unlink(image) }
        let before = faults.count
        do {
            let copy = try MountedDisk(image: image, at: folder.path("copy"))
            try examine(copy, published)
        } catch {
            faults.append("\(error)")
        }
        for index in before..<faults.count { faults[index] = "cut \(number): " + faults[index] }
        try Self.unmounted(folder.path("copy"))
    }

    private mutating func examine(_ copy: MountedDisk, _ published: Set<EventID>) throws {
        var there: Set<EventID> = []
        for participant in site.participants {
            there.formUnion(LogOnDisk.events(of: "\(copy.path)/\(participant.name)").map(\.id))
        }
        let lost = published.subtracting(there)
        if !lost.isEmpty { faults.append("published, and not on the disk: \(lost.map(\.description).sorted())") }
        for participant in site.participants { try start(participant, on: copy, published) }
    }

    /// Starts a program from the copy, and ends it once it is connected.
    private mutating func start(_ participant: Participant, on copy: MountedDisk, _ published: Set<EventID>) throws {
        let isGateway = participant.name != "aggregator"
        let program = programs + (isGateway ? "/forgetmenot-gateway" : "/forgetmenot")
        let log = folder.path("\(participant.name)-copy.log")
        unlink(log)
        let child = try Child([program, "run", "--config", folder.path("\(participant.name)-copy.toml")], output: log)
        var text = ""
        let deadline = site.elapsed + 30
        repeat {
            site.wait(until: site.elapsed + 0.05)
            text = (try? readFile(at: log)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        } while child.isRunning && !text.contains("Connected to the broker") && site.elapsed < deadline
        child.signal(SIGTERM)
        let status = child.waitForEnd()
        if status != 0 || !text.contains("Connected to the broker") || text.contains("is damaged (") {
            failedStarts += 1
            faults.append("\(participant.name) starts like this, and ends with \(status): \(text)")
        }
        // No two starts have one number: what was published would be taken for another's.
        let count = (try? readFile(at: "\(copy.path)/\(participant.name)/boot")).map {
            String(decoding: $0, as: UTF8.self)
        }
        let epoch = count.flatMap { UInt32($0.filter(\.isNumber)) } ?? 0
        let latest = published.filter { reader.writer(of: $0) == participant.name }.map(\.boot.epoch).max() ?? 0
        if epoch <= latest { faults.append("\(participant.name) counts its starts from \(epoch) behind \(latest)") }
    }

    /// A file as another stands in this instant, its blocks shared: `FICLONE` of linux/fs.h.
    private func clone(_ source: String, to target: String) throws {
        let numbers = [
            open(source, O_RDONLY | O_CLOEXEC), open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600),
        ]
        defer { for number in numbers where number >= 0 { close(number) } }
        guard numbers[0] >= 0, numbers[1] >= 0, ioctl(numbers[1], 0x4004_9409, numbers[0]) == 0 else {
            throw SystemError.last("clone \(source)")
        }
    }

    /// Waits until nothing is mounted there any more: a lazy unmounting ends with the last that looks at it.
    private static func unmounted(_ path: String) throws {
        for _ in 0..<100 {
            let mounts = String(decoding: try readFile(at: "/proc/self/mounts"), as: UTF8.self)
            if !mounts.contains(" \(path) ") { return }
            poll(nil, 0, 20)
        }
        throw TestBrokerError("\(path) stays mounted")
    }

    // MARK: The end

    private mutating func report(_ count: Int) {
        for participant in site.participants { participant.end(by: SIGTERM) }
        let published = reader.take()
        let byGateway = published.filter { reader.writer(of: $0) != "aggregator" }.count
        print("\(count) power cuts, \(kills) kills, \(count * site.participants.count) starts from copies")
        print("\(byGateway) events of the gateway and \(published.count - byGateway) of items were published")
        let failures = site.participants.reduce(0) { $0 + $1.failures }
        if failures > 0 { faults.append("\(failures) starts after a kill failed") }
        for line in faults { print(line) }
        print("chaos: \(faults.count) faults, \(failedStarts) failed starts")
        site.broker.kill()
        otherBroker.kill()
    }
}
