import GatewayCore
import Beacons
import Glibc
import Linux
import Settings

/// Writes the radio's advertisements to a btsnoop file, until interrupted or for the time of `--for`: `forgetmenot-gateway record`.
///
/// The file is made once the radio scans. If the adapter is missing, an existing file stays.
package func record(
    to path: String, for span: String?, replaces: Bool, from configuration: GatewayConfiguration
) throws(Failure) -> ExitStatus {
    let length = span.flatMap { Interval(duration: $0) }
    guard span == nil || length.map({ $0 > .zero && $0 <= longestRecording }) == true else {
        throw Failure(.usage, "--for is \"\(span ?? "")\": write a duration like 30s, 10m or 2h, at most 365d")
    }
    if case .capture(let played) = configuration.radio.source, isSameFile(played, path) {
        throw Failure(.usage, "\(path) is the recording in radio.source: choose another file")
    }
    let destination = try orFail(.usage) { try Destination(of: path) }
    if case .file(let target) = destination, !replaces, isRegularFile(target) { throw existing(path) }
    // A file that exceeds the process's size limit is then an error like a full disk, and not a signal that ends the process.
    signal(SIGXFSZ, SIG_IGN)
    var recorder = try Recorder(to: path, replaces: replaces, span: length, configuration)
    return try recorder.untilTheEnd()
}

private let longestRecording = Interval.seconds(365 * 86_400)

private func existing(_ path: String) -> Failure {
    Failure(.usage, "\(path) exists already: choose another name, or replace it with --force")
}

/// Writes a radio's advertisements to a file.
private struct Recorder {
    /// More bytes than this do not wait for the next write.
    private static let most = 1 << 16

    private let path: String
    private let replaces: Bool
    private let span: Interval?
    private let signals: Signals
    private var time: Timekeeper
    private var radio: any Radio
    private var records: RecordBuffer
    private var file: RecordingFile?
    private var line = StatusLine()
    private var advertisements: UInt64 = 0
    private var lost: UInt64 = 0
    private var end: Instant?
    private var hasEnded = false
    /// Why the recording that is played could not be read to its end.
    private var problem: String?
    private var isReaderGone = false
    private var reason = "the radio has not started yet"

    init(to path: String, replaces: Bool, span: Interval?, _ configuration: GatewayConfiguration) throws(Failure) {
        (self.path, self.replaces, self.span) = (path, replaces, span)
        signals = try endingSignals()
        let start = Clock.moment
        time = configuration.radio.isVirtual ? .virtual(began: start, now: start.instant) : .live
        radio = try makeRadio(configuration, at: start)
        records = RecordBuffer(from: start)
    }

    mutating func untilTheEnd() throws(Failure) -> ExitStatus {
        defer { radio.stop() }
        do throws(Failure) {
            return try untilInterrupted()
        } catch {
            // The reader of a pipe may stop at any time.
            guard isReaderGone else { throw error }
            return .right
        }
    }

    private mutating func untilInterrupted() throws(Failure) -> ExitStatus {
        var nextShow = Clock.now
        while !hasEnded, signals.next() == nil, end.map({ time.moment.instant < $0 }) ?? true {
            try receiveAdvertisements()
            try write(atLeast: time.isLive ? 1 : Self.most)
            if Clock.now >= nextShow {
                nextShow = Clock.now + .seconds(1)
                line.show("\(summary)   (Ctrl-C ends)")
            }
            pause(until: nextShow)
        }
        guard file != nil else { throw Failure(.unavailable, "nothing was recorded: \(reason)") }
        try write(atLeast: 1)
        do throws(SystemError) { try file?.sync() } catch { throw full(error) }
        line.end(with: summary)
        guard let problem else { return .right }
        printError("forgetmenot-gateway: \(problem)")
        return .noInput
    }

    private mutating func receiveAdvertisements() throws(Failure) {
        let now = time.moment.instant
        let notices = radio.advance(to: now) { advertisement, data in
            records.append(advertisement, data, lost: lost)
            advertisements += 1
        }
        for case .ended(let problem) in notices { (hasEnded, self.problem) = (true, problem) }
        for notice in notices {
            switch notice {
            case .state(.poweredOn, _): try begin(at: now)
            case .state(let state, let reason) where !hasEnded: try handle(state, reason)
            case .lost(let count): lost += count
            case .ended, .proven, .state: break
            }
        }
    }

    private mutating func begin(at now: Instant) throws(Failure) {
        guard file == nil else { return }
        do throws(SystemError) {
            file = try RecordingFile(path: path, replaces: replaces)
        } catch {
            throw error.code == EEXIST ? existing(path) : Failure(.disk, "\(error)")
        }
        end = span.map { now + $0 }
    }

    /// Handles a radio that does not scan. At the start that ends the recording, unless the radio is resetting.
    private mutating func handle(_ state: RadioState, _ reason: String) throws(Failure) {
        self.reason = reason
        guard file != nil || state == .resetting || state == .unknown else { throw Failure(.unavailable, reason) }
        line.clear()
        printError("forgetmenot-gateway: the radio is \(state.rawValue): \(reason)")
    }

    private mutating func write(atLeast count: Int) throws(Failure) {
        guard file != nil, records.bytes.count >= count else { return }
        do throws(SystemError) {
            try file?.write(records)
        } catch {
            isReaderGone = error.code == EPIPE
            throw full(error)
        }
        records.clear()
    }

    private func full(_ error: SystemError) -> Failure {
        line.clear()
        let rest =
            (file?.size ?? 0) > 0
            ? "the file has all advertisements until then, and can be read" : "nothing was recorded"
        return Failure(.disk, "\(error); \(rest)")
    }

    private mutating func pause(until nextShow: Instant) {
        let next = [radio.nextDeadline, end].compactMap(\.self).min()
        if time.isLive {
            let deadline = next.map { min($0, nextShow) } ?? nextShow
            _ = wait(for: [signals.number] + radio.descriptors, until: deadline)
        } else if let next {
            time.jump(to: next)
        } else {
            hasEnded = true
        }
    }

    private var summary: String {
        let size = Double((file?.size ?? 0) + records.bytes.count) / 1e6
        let rest = lost > 0 ? ", \(lost) lost in the kernel" : ""
        return "\(advertisements) advertisements, \((size * 10).rounded() / 10) MB in \(path)\(rest)"
    }
}
