import Beacons
import Glibc
import Linux
import TestBroker

/// The two programs, as they were built beside this test.
enum Program: String {
    case gateway = "forgetmenot-gateway"
    case aggregator = "forgetmenot"

    var path: String { Self.folder + "/" + rawValue }

    /// Starts it, and goes on.
    func start(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram([path] + arguments)
    }

    /// Runs it to its end, which has to come in time.
    func run(_ arguments: String...) throws -> Ended {
        try RunningProgram([path] + arguments).ended()
    }

    /// The folder of the test's own executable, which the package manager puts beside the programs.
    private static let folder: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        _ = readlink("/proc/self/exe", &path, Int(PATH_MAX))
        let executable = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        return executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }()
}

/// How a program ended, and all that it printed.
struct Ended {
    /// Its exit status, or minus the signal that ended it.
    var status: Int32
    var output: String
    var errors: String

    var outputLines: [Substring] { output.split(separator: "\n") }
    var errorLines: [Substring] { errors.split(separator: "\n") }

    /// Whether Swift's runtime or the kernel ended it, and not itself.
    var hasCrashed: Bool {
        status < 0 || ["Fatal error", "Stack dump", "stack trace", "*** "].contains { errors.contains($0) }
    }
}

/// A program that a test has started; it ends with the test at the latest.
final class RunningProgram {
    private let child: Child
    private let folder: TestFolder
    /// What it prints; its end is the program's.
    private let output: FileDescriptor
    private var printed: [UInt8] = []
    private var read = 0
    private var isOver = false

    init(_ arguments: [String]) throws {
        folder = try TestFolder()
        var ends: [Int32] = [0, 0]
        // No child inherits it: each closes what it was not given.
        guard pipe(&ends) == 0 else { throw SystemError.last("make a pipe") }
        output = FileDescriptor(owning: ends[0])
        let input = FileDescriptor(owning: ends[1])
        child = try Child(arguments, output: "/proc/self/fd/\(input.number)", errors: folder.path("errors"))
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { child.signal(number) }

    /// The next line that it prints.
    func line(within patience: Interval = .seconds(20)) throws -> String {
        let deadline = Clock.now + patience
        while true {
            if let end = printed[read...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { read = end + 1 }
                return String(decoding: printed[read..<end], as: UTF8.self)
            }
            guard try takesMore(until: deadline) else { throw TestBrokerError("it ended: \(errors)") }
        }
    }

    /// Waits for its end; ends it with `number` first, where one is given.
    func ended(by number: Int32? = nil, within patience: Interval = .seconds(20)) throws -> Ended {
        if let number { child.signal(number) }
        let deadline = Clock.now + patience
        while try takesMore(until: deadline) {}
        return Ended(
            status: child.waitForEnd(), output: String(decoding: printed, as: UTF8.self), errors: errors)
    }

    /// What it has said on standard error so far.
    var errors: String {
        (try? readFile(at: folder.path("errors"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Waits for more of what it prints; false once it has ended.
    private func takesMore(until deadline: Instant) throws -> Bool {
        guard !isOver else { return false }
        guard wait(for: [output.number], until: deadline)[0] else {
            throw TestBrokerError("it neither printed nor ended in time: \(errors)")
        }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(output.number, &chunk, chunk.count)
        isOver = count <= 0
        printed += chunk[..<max(0, count)]
        return !isOver
    }
}
