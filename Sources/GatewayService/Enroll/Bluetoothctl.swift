import Beacons
import Glibc
import Linux

/// The program `bluetoothctl`, to which commands are written as a user types them.
///
/// It has a process group of its own: Ctrl-C does not end it before the commands that clean up.
final class Bluetoothctl {
    private let process: Subprocess
    private let input: FileDescriptor
    private let output: FileDescriptor
    private var hasEnded = false
    /// The most characters of what the program has printed that are stored; it prints a line for each change of a device.
    private static let longestPrinted = 1 << 16
    /// What the program has printed, at least the last of it.
    private(set) var printed = ""

    /// Starts the program, found in PATH.
    init(_ program: String) throws(SystemError) {
        let (theirInput, input) = try Self.pipe()
        let (output, theirOutput) = try Self.pipe()
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        self.input = FileDescriptor(owning: input)
        self.output = FileDescriptor(owning: output)
        defer { for number in [theirInput, theirOutput] { close(number) } }
        do throws(SystemError) {
            // Both ends confirm a number, if the phone can show one.
            process = try Subprocess(
                [program, "--agent", "DisplayYesNo"], readingFrom: theirInput, writingTo: theirOutput,
                errors: "/dev/null", hasOwnGroup: true)
        } catch {
            guard error.code == ENOENT else { throw error }
            throw SystemError(
                "start \(program)", code: ENOENT, because: "it is not installed: install the package bluez")
        }
    }

    private static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw .last("make a pipe") }
        for number in ends { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    deinit {
        guard !hasEnded else { return }
        process.signal(SIGKILL)
        _ = process.waitForEnd()
    }

    /// The descriptor that becomes readable when the program prints something, or ends.
    var number: Int32 { output.number }

    /// Types a line. A program that has ended takes none.
    func type(_ line: String) { try? writeAll(Array("\(line)\n".utf8), to: input.number) }

    /// Reads what the program has printed since the last call; returns `nil` once it has ended.
    func read() -> String? {
        var new: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(output.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count == 0, new.isEmpty { return nil }
                break
            }
            new += buffer.prefix(count)
        }
        printed = String((printed + String(decoding: new, as: UTF8.self)).suffix(Self.longestPrinted))
        return String(decoding: new, as: UTF8.self)
    }

    /// Waits until the program prints one of `words`, for 3 s at most.
    func expect(_ words: String) {
        let limit = Clock.now + .seconds(3)
        var new = ""
        while !new.contains(words), Clock.now < limit {
            _ = wait(for: [number], until: limit)
            guard let more = read() else { return }
            new += more
        }
    }

    func quit() {
        type("quit")
        let limit = Clock.now + .seconds(3)
        while Clock.now < limit, read() != nil { _ = wait(for: [number], until: limit) }
        if process.ending() == nil {
            process.signal(SIGKILL)
            _ = process.waitForEnd()
        }
        hasEnded = true
    }
}
