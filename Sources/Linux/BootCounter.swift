/// A counter of the starts of a service, stored on disk. The counter is durable (fsync) before the first event is
/// numbered, so two starts never share a number, even after a power cut.
package struct BootCounter: Sendable {
    /// The number of this start, from 1.
    package let epoch: UInt32
    /// Why the counter could not be stored; `nil` if it is stored. An unstored number may be used again by another
    /// start.
    package private(set) var problem: SystemError?

    /// Counts this start in `folder`. An unreadable counter restarts at 1. If the counter cannot be written, `problem`
    /// has the reason.
    package init(in folder: StateFolder) {
        epoch = Self.last(in: folder) &+ 1
        keep(in: folder)
    }

    /// Retries to store the counter.
    ///
    /// If the folder returns with a higher count, the higher count stays.
    package mutating func keep(in folder: StateFolder) {
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
