import Glibc

/// The resources that this process uses, and the state of its machine.
package enum Vitals {
    /// The resident memory in bytes; 0 if /proc is missing.
    package static var residentBytes: Int {
        guard let status = try? readFile(at: "/proc/self/statm", limit: 4096) else { return 0 }
        let pages = String(decoding: status, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The temperature of the processor in °C; `nil` if the machine does not report it.
    package static func temperature(in classes: String = "/sys/class") -> Double? {
        text("\(classes)/thermal/thermal_zone0/temp").flatMap { Double($0) }.map { $0 / 1000 }
    }

    /// Whether the power supply of a Raspberry Pi is too weak now; `nil` on other machines.
    package static func isUndervolted(in classes: String = "/sys/class") -> Bool? {
        let monitors = (try? StateFolder(path: "\(classes)/hwmon").entries()) ?? []
        return monitors.map { "\(classes)/hwmon/\($0)" }.first { text("\($0)/name") == "rpi_volt" }
            .flatMap { text("\($0)/in0_lcrit_alarm") }.map { $0 != "0" }
    }

    /// The first line of a file of the kernel; `nil` if it cannot be read.
    private static func text(_ path: String) -> Substring? {
        let bytes = try? readFile(at: path, limit: 4096)
        return bytes.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n").first }
    }
}
