/// Names each start of a process by one word that never comes again: a counter kept on disk, and four random letters.
public struct BootCounter: Sendable {
    /// The word, `17.kfqx`: the counter first.
    public let word: String
    /// Why the counter could not be kept, if so; the letters alone tell such starts apart.
    public let problem: SystemError?

    /// Counts this start in `folder`. A counter that cannot be read begins anew at 1; one that cannot be written is said, and it goes on.
    public init(in folder: StateFolder) {
        let contents = try? readFile(at: folder.file("boot"), limit: 64)
        let last = contents.flatMap { UInt32(String(decoding: $0, as: UTF8.self).filter(\.isNumber)) } ?? 0
        let epoch = last &+ 1
        var letters = ""
        for _ in 0..<4 {
            letters.unicodeScalars.append(Unicode.Scalar(UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"))))
        }
        word = "\(epoch).\(letters)"
        do throws(SystemError) {
            try folder.replace("boot", with: Array("\(epoch)\n".utf8))
            problem = nil
        } catch {
            problem = error
        }
    }
}
