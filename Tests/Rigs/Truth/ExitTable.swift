import Glibc

/// False exits and delay over intervals, reception and losses: what is learned, beside the times that others use and the least possible.
enum ExitTable {
    private static let losses: [(name: String, trouble: Scene.Trouble?)] = [
        ("independent", nil),
        ("bursts 5 s", .share(0.1, lasting: 5, loss: 0.95)),
        ("bursts 30 s", .share(0.1, lasting: 30, loss: 0.95)),
    ]

    static func print(days: Double, perDay: Double) async {
        Swift.print("False exits per beacon-day, and the silence required in seconds; at most \(perDay) is aimed at.")
        Swift.print("Bursts: 10 % of the time, 95 % lost. Learned: floor (11 s) and ceiling (900 s) off; said: on.\n")
        Swift.print(
            "losses        T/s    p    least   median      p99   learned   (95 %)     said"
                + ExitStudy.times.map { Column.right("\(Int($0)) s", width: 9) }.joined())
        let scenes = losses.flatMap { name, trouble in
            [0.1, 1, 5].flatMap { interval in
                [0.3, 0.6, 0.9].map {
                    Scene(name: name, interval: interval, reception: $0, troubles: trouble.map { [$0] } ?? [])
                }
            }
        }
        for study in await concurrently(scenes, { ExitStudy($0, perDay: perDay, days: days, seed: 1) }) {
            printRow(study)
        }
        fflush(nil)
    }

    private static func printRow(_ study: ExitStudy) {
        let days = study.beaconDays
        Swift.print(
            Column.left(study.scene.name, width: 12), Column.number(study.scene.interval, width: 4),
            Column.number(study.scene.reception, width: 4),
            Column.number(Least.silence(study.scene, perDay: study.perDay), width: 8),
            Column.number(ExitStudy.quantile(0.5, of: study.silences), width: 8),
            Column.number(ExitStudy.quantile(0.99, of: study.silences), width: 8),
            Column.number(study.learned / days, decimals: 3, width: 9),
            Column.number(ExitStudy.upper(study.learned, in: days), decimals: 3, width: 9),
            Column.number(study.reported / days, decimals: 3, width: 7),
            study.fixed.map { Column.number($0 / days, decimals: 1, width: 9) }.joined())
    }
}
