import Glibc

/// Prints figures of what the gateway says, from fixed seeds and, where they are there, from recordings.
@main
enum Truth {
    private static let usage = """
        usage: Truth exit [--days N] [--rate R]   false exits and delay, N beacon-days per cell (200) at R a day (0.05)
               Truth ranging [--hours N]          still tags (50 hours each), and distances on a recording
               Truth speed                        what a sighting costs
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        var options: [String: Double] = [:]
        for (name, value) in zip(arguments.dropFirst(), arguments.dropFirst(2)) where name.hasPrefix("--") {
            options[name] = Double(value)
        }
        switch arguments.first {
        case "exit":
            let (days, rate) = (options["--days"] ?? 200, options["--rate"] ?? 0.05)
            ExitTable.print(days: days, perDay: rate)
            BarTable.print(days: days, perDay: rate)
        case "ranging":
            StillTable.print(hours: options["--hours"] ?? 50)
            DistanceTable.print()
        case "speed":
            SpeedTable.print()
        default:
            print(usage)
            exit(64)
        }
    }
}
