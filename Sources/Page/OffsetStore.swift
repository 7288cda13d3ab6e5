import Linux
import SiteCore
import Synchronization

/// The receiver offsets that people set on the page: a file of the state folder.
final class OffsetStore: Sendable {
    /// The limit of offsets.
    static let most = 500

    private let folder: StateFolder
    /// One writer at a time.
    private let turn = Mutex(())

    init(_ folder: StateFolder) { self.folder = folder }

    /// Stores the offset of a gateway, or removes it, and puts it on the board.
    func set(_ offset: Double?, of gateway: String, on board: Board) throws(Refused) {
        try turn.withLock { (_) throws(Refused) in
            var site = board.site
            site.pageOffsets[gateway] = offset
            guard site.pageOffsets.count <= Self.most else {
                throw Refused(.conflict, "\(Self.most) gateways have an offset already: set one of them to automatic.")
            }
            let text = PageOffsets(site.pageOffsets).text
            do throws(SystemError) { try folder.replace(pageOffsetsFile, with: Array(text.utf8)) } catch {
                throw Refused(.serviceUnavailable, "The offset cannot be stored: \(error).")
            }
            board.replace(site)
        }
    }
}
