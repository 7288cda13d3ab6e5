import Settings
import Linux
import SiteCore
import Synchronization

/// The receiver offsets that people set on the page: a file of the state folder.
final class OffsetStore: Sendable {
    static let most = 500

    private let folder: StateFolder
    private let read: Page.Reader

    init(_ folder: StateFolder, read: @escaping Page.Reader) { (self.folder, self.read) = (folder, read) }

    /// Stores the offset of a gateway, or removes it, and puts it on the board; refuses it if the aggregator could not read its configuration with it.
    func set(_ offset: Double?, of gateway: String, on board: Board) throws(Refused) {
        try board.siteFiles.withLock { (_) throws(Refused) in
            var offsets = board.site.pageOffsets
            offsets[gateway] = offset
            guard offsets.count <= Self.most else {
                throw Refused(.conflict, "\(Self.most) gateways have an offset already: set one of them to automatic.")
            }
            let text = Array(PageOffsets(offsets).text.utf8)
            let site: SiteConfiguration
            do throws(SettingsError) { site = try read(nil, text).site } catch {
                throw Refused(.conflict, "The offset is not set, because the aggregator cannot reload: \(error).")
            }
            do throws(SystemError) { try folder.replace(pageOffsetsFile, with: text) } catch {
                throw Refused(.serviceUnavailable, "The offset cannot be stored: \(error).")
            }
            board.replace(site)
        }
    }
}
