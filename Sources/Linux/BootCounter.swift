/// Counts the starts of a service, on disk, so that no two of them are ever taken for one: what was numbered in one and lost in a power
/// cut is never numbered again, as the count is on the disk (fsync) before the first event is.
public struct BootCounter: Sendable {
    /// Which start this is, from 1.
    public let epoch: UInt32
    /// Why the count could not be kept, if so: then another start may have the same number.
    public private(set) var problem: SystemError?

    /// Counts this start in `folder`. A count that cannot be read begins anew at 1; one that cannot be written is said, and it goes on.
    public init(in folder: StateFolder) {
        epoch = Self.last(in: folder) &+ 1
        keep(in: folder)
    }

    /// Tries again to write what could not be written.
    ///
    /// A folder that came back with a higher count keeps that one.
    public mutating func keep(in folder: StateFolder) {
        problem = nil
        do throws(SystemError) {
            try folder.replace("boot", with: Array("\(max(epoch, Self.last(in: folder)))\n".utf8))
        } catch {
            problem = error
        }
    }

    private static func last(in folder: StateFolder) -> UInt32 {
        let contents = try? readFile(at: folder.file("boot"), limit: 64)
        return contents.flatMap { UInt32(String(decoding: $0, as: UTF8.self).filter(\.isNumber)) } ?? 0
    }
}
