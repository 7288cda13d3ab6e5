import Glibc

/// Prints figures of what the gateway reports, from fixed seeds and, where they exist, from recordings.
@main
enum Truth {
    private static let usage = """
        usage: Truth [--days N] [--rate R] [--hours N] [--first N] [--runs N] [--step N]   all of these but the last:
               Truth exit      false exits and delay, N beacon-days per cell (200) at R a day (0.05)
               Truth house     one gateway's monitor; one scene: bursts, losses, bodies, changes, interference, stops, absences, again, neighbours, edge,
                               left; of N runs (4) whose seeds begin with N (101), each N (1) more than the one before. Constants
                               were chosen on seeds below 100 and on even ones
               Truth sleeps    tags that advertise only while they move
               Truth enter     the delay of an enter, and outages of the radio
               Truth ranging   still tags (N hours each, 50), and distances on a recording
               Truth speed     what a sighting costs
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        var options = ["--days": 200, "--rate": 0.05, "--hours": 50, "--first": 101, "--runs": 4, "--step": 1]
        for (name, value) in zip(arguments, arguments.dropFirst()) where options[name] != nil {
            options[name] = Double(value)
        }
        let command = arguments.first.flatMap { $0.hasPrefix("--") ? nil : $0 } ?? "all"
        let scene = arguments.dropFirst().first.flatMap { HouseTable.scenes.contains($0) ? $0 : nil }
        guard ["all", "exit", "house", "sleeps", "enter", "ranging", "speed"].contains(command), options.count == 6
        else {
            print(usage)
            exit(64)
        }
        if command == "speed" { return SpeedTable.print() }
        var bars = Bars()
        if ["all", "exit"].contains(command) {
            await ExitTable.print(days: options["--days"]!, perDay: options["--rate"]!)
            await BarTable.print(days: options["--days"]!, perDay: options["--rate"]!, bars: &bars)
        }
        if ["all", "house"].contains(command) {
            let (first, runs, step) = (options["--first"]!, max(1, options["--runs"]!), max(1, options["--step"]!))
            let seeds = stride(from: first, to: first + runs * step, by: step).map { UInt64($0) }
            await HouseTable(seeds: seeds).print(scene, bars: &bars)
        }
        if ["all", "sleeps"].contains(command) {
            await SleepTable.print(first: UInt64(options["--first"]!), bars: &bars)
        }
        if ["all", "enter"].contains(command) {
            await EnterTable.print()
            await OutageTable.print(bars: &bars)
        }
        if ["all", "ranging"].contains(command) {
            await StillTable.print(hours: options["--hours"]!, bars: &bars)
            await ClassTable.print()
            DistanceTable.print(bars: &bars)
        }
        bars.print()
    }
}
