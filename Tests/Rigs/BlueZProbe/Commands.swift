import Glibc

/// The lines that come on standard input, without waiting for them.
struct Commands {
    private var pending: [UInt8] = []
    /// Whether nothing more will come.
    private(set) var isOver = false

    init() {
        _ = fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK)
    }

    /// Whole lines that came since the last time, as words.
    mutating func take() -> [[Substring]] {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(0, &chunk, chunk.count)
            if count == 0 { isOver = true }
            guard count > 0 else { break }
            pending += chunk[..<count]
        }
        var lines: [[Substring]] = []
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: pending[..<end], as: UTF8.self)
            lines.append(line.split(separator: " "))
            pending.removeSubrange(...end)
        }
        return lines
    }
}
