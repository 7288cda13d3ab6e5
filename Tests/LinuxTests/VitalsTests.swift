import Linux
import Testing

/// What the kernel reports of the machine, in files as a Raspberry Pi 4 has them.
struct VitalsTests {
    private func write(_ text: String, to name: String, in classes: String) throws {
        let parts = name.split(separator: "/")
        try StateFolder(path: "\(classes)/\(parts.dropLast().joined(separator: "/"))").replace(
            String(parts.last!), with: Array(text.utf8))
    }

    @Test func `a Raspberry Pi reports its temperature and whether its power supply is too weak`() throws {
        try withTemporaryFolder { classes in
            try write("cpu_thermal\n", to: "hwmon/hwmon0/name", in: classes)
            try write("rpi_volt\n", to: "hwmon/hwmon1/name", in: classes)
            for (text, isUndervolted) in [("0\n", false), ("1\n", true), ("0\n", false), ("1\n", true)] {
                try write(text, to: "hwmon/hwmon1/in0_lcrit_alarm", in: classes)
                #expect(Vitals.isUndervolted(in: classes) == isUndervolted)
            }
            for (text, temperature) in [("48312\n", 48.312), ("-1500\n", -1.5)] {
                try write(text, to: "thermal/thermal_zone0/temp", in: classes)
                #expect(Vitals.temperature(in: classes) == temperature)
            }
        }
    }

    @Test func `the free bytes of a disk are those of its blocks, and at most what a payload can have`() {
        #expect(Disk.bytes(in: 1000, of: 4096) == 4_096_000)
        for count in [UInt64.max, 1 << 52] { #expect(Disk.bytes(in: count, of: 4096) == 1 << 53) }
    }

    @Test func `a machine without sensors, or with some that cannot be read, reports nothing`() throws {
        try withTemporaryFolder { classes in
            #expect(Vitals.temperature(in: classes) == nil && Vitals.isUndervolted(in: classes) == nil)
            try write("cpu_thermal\n", to: "hwmon/hwmon0/name", in: classes)
            try write("\n", to: "thermal/thermal_zone0/temp", in: classes)
            #expect(Vitals.temperature(in: classes) == nil && Vitals.isUndervolted(in: classes) == nil)
            try write("rpi_volt\n", to: "hwmon/hwmon1/name", in: classes)
            try write("warm\n", to: "thermal/thermal_zone0/temp", in: classes)
            #expect(Vitals.temperature(in: classes) == nil && Vitals.isUndervolted(in: classes) == nil)
        }
    }
}
