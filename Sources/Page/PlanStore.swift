import Beacons
import Glibc
import Hummingbird
import Linux
import Messages
import Settings
import SiteCore
import Synchronization

/// The plan that people draw on the page, and its pictures: files of the state folder.
final class PlanStore: Sendable {
    static let mostBytes = 256 << 10
    /// The limit of a picture in bytes; the page makes larger ones smaller.
    static let mostPictureBytes = 2 << 20
    /// The limit of pictures in the folder: those of the plan, and those of plans that nobody has saved yet.
    static let mostPictures = 2 * PlanPicture.most

    private let folder: StateFolder
    private let read: Page.Reader

    init(_ folder: StateFolder, read: @escaping Page.Reader) {
        self.folder = folder
        self.read = read
    }

    /// Checks a plan in the form of `SiteConfiguration.writePlan`, stores it, deletes the pictures that it does not show, and puts the site with it on the board.
    /// Returns the plan's revision.
    ///
    /// - Parameter isExpected: whether the plan of a revision may be replaced: somebody else may have saved one meanwhile.
    @discardableResult
    func replace(
        with plan: JSONObject, on board: Board, if isExpected: (_ revision: String) -> Bool
    ) throws(Refused) -> String {
        let text = Array(try planTables(plan).utf8)
        return try board.siteFiles.withLock { (_) throws(Refused) in
            let site: SiteConfiguration
            do throws(SettingsError) { site = try read(text, nil).site } catch { throw Self.refused(error) }
            guard !site.hasOwnPlan else {
                throw Refused(
                    .conflict,
                    "aggregator.toml has a plan: change the plan there, or remove its outlines, doors and positions.")
            }
            guard isExpected(board.site.planRevision) else {
                throw Refused(
                    .preconditionFailed, "Somebody else has saved another plan meanwhile: load that one, and change it."
                )
            }
            let stored: [String]
            do throws(SystemError) { stored = try pictures() } catch { throw Self.unstored(error) }
            // A plan may keep a picture that was lost on the disk.
            let known = stored + board.site.pictures.map(\.name)
            guard site.pictures.allSatisfy({ known.contains($0.name) }) else {
                throw Refused(.conflict, "The plan has a picture that is not stored: add the picture again.")
            }
            do throws(SystemError) { try folder.replace(drawnPlanFile, with: text) } catch {
                throw Self.unstored(error)
            }
            for name in stored where !site.pictures.contains(where: { $0.name == name }) {
                unlink(folder.file(PlanPicture.filePrefix + name))
            }
            board.replace(site)
            return site.planRevision
        }
    }

    func picture(_ name: String) -> (bytes: [UInt8], type: String)? {
        guard PlanPicture.isName(name),
            let bytes = try? readFile(at: folder.file(PlanPicture.filePrefix + name), limit: Self.mostPictureBytes),
            let type = Self.type(of: bytes)
        else { return nil }
        return (bytes, type)
    }

    /// Stores a picture and returns its name.
    func add(_ bytes: [UInt8], on board: Board) throws(Refused) -> String {
        guard Self.type(of: bytes) != nil else {
            throw Refused(.unsupportedMediaType, "The picture is neither PNG, JPEG nor WebP.")
        }
        let name = hexadecimal(Array(Secrets.sha256(bytes).prefix(8)))
        let isStored: Bool
        do throws(SystemError) {
            isStored = try board.siteFiles.withLock { (_) throws(SystemError) in
                let names = try pictures()
                guard names.contains(name) || names.count < Self.mostPictures else { return false }
                try folder.replace(PlanPicture.filePrefix + name, with: bytes)
                return true
            }
        } catch {
            throw Refused(.serviceUnavailable, "The picture cannot be stored: \(error).")
        }
        guard isStored else {
            throw Refused(
                .conflict,
                "There are \(Self.mostPictures) pictures already: save the plan, which removes those that it does not show."
            )
        }
        return name
    }

    private func pictures() throws(SystemError) -> [String] {
        do {
            return try folder.entries().filter { $0.hasPrefix(PlanPicture.filePrefix) }.map {
                String($0.dropFirst(PlanPicture.filePrefix.count))
            }
        } catch {
            guard error.code == ENOENT else { throw error }
            return []
        }
    }

    /// The media type by the first bytes; `nil` for what is not a picture that browsers show without running anything.
    private static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        return nil
    }

    private static func unstored(_ error: SystemError) -> Refused {
        Refused(.serviceUnavailable, "The plan cannot be stored: \(error).")
    }

    /// The first problem as a sentence.
    private static func refused(_ error: SettingsError) -> Refused {
        guard case .wrong(let problems) = error, let problem = problems.first, problem.file.hasSuffix(drawnPlanFile)
        else {
            return Refused(.conflict, "The plan does not fit the configuration: \(error).")
        }
        return Refused(.badRequest, "The plan cannot be used: \(problem.text).")
    }
}
