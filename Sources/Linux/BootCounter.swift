/// Counts the starts of a service, on disk, so that no two of them are ever taken for one.
public struct BootCounter: Sendable {
    /// Which start this is, from 1.
    public let epoch: UInt32
    /// Why the count could not be kept, if so: then another start may have the same number.
    public let problem: SystemError?

    /// Counts this start in `folder`. A count that cannot be read begins anew at 1; one that cannot be written is said, and it goes on.
    public init(in folder: StateFolder) {
        let contents = try? readFile(at: folder.file("boot"), limit: 64)
        let last = contents.flatMap { UInt32(String(decoding: $0, as: UTF8.self).filter(\.isNumber)) } ?? 0
        epoch = last &+ 1
        do throws(SystemError) {
            try folder.replace("boot", with: Array("\(epoch)\n".utf8))
            problem = nil
        } catch {
            problem = error
        }
    }
}
