import Glibc
import Linux

/// BlueZ's daemon, which shares the adapters with this program.
enum Bluetoothd {
    static var isRunning: Bool {
        guard let folder = opendir("/proc") else { return false }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            guard name.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let command = try? readFile(at: "/proc/\(name)/comm", limit: 64)
            else { continue }
            if command == Array("bluetoothd\n".utf8) { return true }
        }
        return false
    }
}
