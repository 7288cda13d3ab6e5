import Beacons
import Glibc
import HCI
import Linux

/// A radio that plays a recording of an adapter's packets through the same decoder.
struct CaptureRadio: Radio {
    private static let pieceSize = 64 << 10

    private let path: String
    private let file: OpenFile
    private var player: CapturePlayer
    private var decoder = AdvertisementDecoder()
    private var piece = [UInt8](repeating: 0, count: pieceSize)
    private var isAnnounced = false
    private var hasEnded = false
    private var isProofPending = false

    /// Opens the recording, to be played from `beginning` on; throws if the file is not a recording.
    init(path: String, settings: CapturePlayer.Settings, at beginning: Instant) throws(Failure) {
        self.path = path
        var header = [UInt8](repeating: 0, count: BtsnoopHeader.length)
        let count: Int
        do throws(SystemError) {
            file = try OpenFile(path: path)
            count = try file.read(into: &header)
        } catch {
            throw Failure(.noInput, "the recording cannot be played: \(error)")
        }
        player = CapturePlayer(settings, at: beginning)
        do throws(BtsnoopProblem) {
            _ = try BtsnoopHeader(header.span.bytes.extracting(0..<count))
        } catch {
            throw Failure(.noInput, "\(path) \(error)")
        }
        file.rewind()
    }

    var descriptors: [Int32] { [] }
    /// The file's descriptor, for tests.
    var descriptor: Int32 { file.descriptor.number }
    var interfaceName: String? { nil }
    var address: DeviceAddress? { nil }
    var counters: ScanCounters { decoder.counters }
    /// Zero while a proof is pending, because an exit waits for the proof.
    var nextDeadline: Instant? { isAnnounced && !isProofPending ? player.nextDeadline : .zero }

    mutating func advance(to now: Instant, receive: (Advertisement, RawSpan) -> Void) -> [RadioNotice] {
        // The radio reports its state before it plays anything, because monitoring drops sightings before that.
        guard isAnnounced else {
            isAnnounced = true
            return [.state(.poweredOn, reason: "playing \(path)")]
        }
        var notices: [RadioNotice] = []
        if isProofPending && !hasEnded { notices.append(.proven) }
        isProofPending = false
        // A copy, because the player holds exclusive access to `self` while it plays.
        var decoder = decoder
        defer { self.decoder = decoder }
        while !hasEnded {
            switch player.advance(to: now, { event, at in decoder.decode(event: event, at: at, receive) }) {
            case .waiting: return notices
            case .needsBytes:
                do throws(SystemError) { try feed() } catch {
                    notices += end(problem: "the recording is cut: \(error)")
                }
            case .needsRewind: file.rewind()
            case .ended: notices += end(problem: player.problem.map { "\(path): \($0)" })
            }
        }
        return notices
    }

    private mutating func end(problem: String?) -> [RadioNotice] {
        hasEnded = true
        return [.state(.unsupported, reason: problem ?? "\(path) is over"), .ended(problem: problem)]
    }

    /// A recording always proves itself at once: a silence in it is a real silence.
    mutating func prove(at now: Instant) { isProofPending = true }
    mutating func restart(at now: Instant) {}
    mutating func stop() {}

    private mutating func feed() throws(SystemError) {
        let count = try file.read(into: &piece)
        guard count > 0 else { return player.finish() }
        let piece = piece
        player.feed(piece.span.bytes.extracting(0..<count))
    }
}

/// A file that is read from front to back, perhaps more than once.
private final class OpenFile {
    private let path: String
    let descriptor: FileDescriptor

    init(path: String) throws(SystemError) {
        self.path = path
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError.last("open \(path)") }
        descriptor = FileDescriptor(owning: number)
    }

    func read(into piece: inout [UInt8]) throws(SystemError) -> Int {
        while true {
            let count = Glibc.read(descriptor.number, &piece, piece.count)
            if count >= 0 { return count }
            if errno != EINTR { throw SystemError.last("read \(path)") }
        }
    }

    func rewind() { lseek(descriptor.number, 0, SEEK_SET) }
}
