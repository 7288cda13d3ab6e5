import Beacons
import Glibc
import Linux
import TestBroker
import Testing

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
    static let folder: String = {
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
    private let output: Stream
    private let errors: Stream

    init(_ arguments: [String]) throws {
        (output, errors) = (try Stream(), try Stream())
        child = try Child(arguments, output: output.path, errors: errors.path)
        for stream in [output, errors] { stream.isTheChildsAlone() }
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { child.signal(number) }

    /// The next line that it prints.
    func line(within patience: Interval = .seconds(60)) throws -> String {
        let deadline = Clock.now + patience
        while true {
            if let line = output.nextLine() { return line }
            try takeMore(until: deadline)
        }
    }

    /// Waits until the program has printed `words` in one line on standard error, and returns that line.
    @discardableResult
    func complaint(of words: String, within patience: Interval = .seconds(60)) throws -> String {
        let deadline = Clock.now + patience
        while true {
            while let line = errors.nextLine() { if line.contains(words) { return line } }
            try takeMore(until: deadline)
        }
    }

    /// The port of the aggregator's page, once that is up.
    func pagePort(scheme: String = "http") throws -> Int {
        let line = try complaint(of: "The page is at \(scheme)://")
        return try #require(line.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) })
    }

    /// Waits for its end; ends it with `number` first, where one is given.
    func ended(by number: Int32? = nil, within patience: Interval = .seconds(60)) throws -> Ended {
        if let number { child.signal(number) }
        let deadline = Clock.now + patience
        while !(output.isOver && errors.isOver) { try takeMore(until: deadline) }
        return Ended(status: child.waitForEnd(), output: output.text, errors: errors.text)
    }

    /// Waits for more of what it prints, or for its end.
    private func takeMore(until deadline: Instant) throws {
        guard !(output.isOver && errors.isOver) else { throw TestBrokerError("it ended: \(errors.text)") }
        // A descriptor below zero is waited for by nobody.
        let ready = wait(for: [output, errors].map { $0.isOver ? -1 : $0.number }, until: deadline)
        guard ready.contains(true) else {
            throw TestBrokerError("it neither said it nor ended in time: \(output.text)\(errors.text)")
        }
        if ready[0] { output.take() }
        if ready[1] { errors.take() }
    }
}

/// One of a program's two output streams, as far as it was read.
private final class Stream {
    let number: Int32
    private var input: Int32
    private var bytes: [UInt8] = []
    private var read = 0
    private(set) var isOver = false

    init() throws {
        var ends: [Int32] = [0, 0]
        // No child inherits it: each closes what it was not given.
        guard pipe(&ends) == 0 else { throw SystemError.last("make a pipe") }
        (number, input) = (ends[0], ends[1])
    }

    deinit {
        close(number)
        if input >= 0 { close(input) }
    }

    /// What a child opens to write into the stream.
    var path: String { "/proc/self/fd/\(input)" }

    /// The child's end is the only one from now on: its end is the program's.
    func isTheChildsAlone() {
        close(input)
        input = -1
    }

    /// All that was printed so far.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The next whole line of what was read.
    func nextLine() -> String? {
        guard let end = bytes[read...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { read = end + 1 }
        return String(decoding: bytes[read..<end], as: UTF8.self)
    }

    /// Reads what there is.
    func take() {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(number, &chunk, chunk.count)
        isOver = count <= 0
        bytes += chunk[..<max(0, count)]
    }
}

/// Waits until `isSo`, which asks a program.
func wait(for what: String, _ isSo: () throws -> Bool) throws {
    let deadline = Clock.now + .seconds(90)
    while try !isSo() {
        guard Clock.now < deadline else { throw TestBrokerError("\(what) did not come") }
        poll(nil, 0, 20)
    }
}
