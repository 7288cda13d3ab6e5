/// The run id of one start of a process, such as `17.kfqx`: a counter on disk and four random letters. The letters keep
/// run ids unique if the disk loses the counter.
public struct Boot: Hashable, Sendable, CustomStringConvertible {
    /// The number of the start, from the counter.
    public var epoch: UInt32
    /// Four ASCII letters from `a` to `z`, with the first in the highest byte.
    private let letters: UInt32

    /// Creates the run id of start number `epoch`, with letters from `generator`.
    public init(epoch: UInt32, using generator: inout some RandomNumberGenerator) {
        self.epoch = epoch
        letters = (0..<4).reduce(0) { word, _ in
            word << 8 | UInt32(UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &generator))
        }
    }

    /// Reads `17.kfqx`: a plain decimal that fits 32 bits, a dot, four letters of lower case; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let boot = text.withUTF8({ Boot(utf8: $0) }) else { return nil }
        self = boot
    }

    /// Reads a run id from bytes without a copy, because every payload carries one.
    init?<Bytes: RandomAccessCollection<UInt8>>(utf8 bytes: Bytes) where Bytes.Index == Int {
        guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")), bytes.endIndex - dot == 5,
            let epoch = UInt32(plainDecimal: bytes[..<dot])
        else { return nil }
        var letters: UInt32 = 0
        for byte in bytes[(dot + 1)...] {
            guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) else { return nil }
            letters = letters << 8 | UInt32(byte)
        }
        self.epoch = epoch
        self.letters = letters
    }

    /// The run id as text, such as `17.kfqx`.
    public var description: String {
        var text = "\(epoch)."
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            text.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: letters >> shift)))
        }
        return text
    }

    /// Appends the text of `description`, without an allocation.
    fileprivate func write(to json: inout JSONWriter) {
        json.digits(of: Int64(epoch))
        json.append(".")
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            json.append(byte: UInt8(truncatingIfNeeded: letters >> shift))
        }
    }
}

extension JSONWriter {
    mutating func field(_ key: StaticString, _ boot: Boot) {
        self.key(key)
        append("\"")
        boot.write(to: &self)
        append("\"")
    }
}
