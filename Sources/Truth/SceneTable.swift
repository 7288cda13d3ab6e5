/// The scenes of the bars: how near to the least one comes, and at what rate.
enum SceneTable {
    static let burst5 = Scene.Trouble(on: 5, off: 55, loss: 0.95)
    static let burst20 = Scene.Trouble(on: 20, off: 280, loss: 0.95)
    static let body = Scene.Trouble(on: 60, off: 1800, loss: 0.85)

    static func scenes() -> [Scene] {
        var scenes: [Scene] = []
        for interval in [0.1, 1, 5] {
            for reception in [0.3, 0.6, 0.9] {
                scenes.append(Scene(name: "independent", interval: interval, reception: reception))
                scenes.append(Scene(name: "bursts 5", interval: interval, reception: reception, troubles: [burst5]))
                scenes.append(Scene(name: "bursts 20", interval: interval, reception: reception, troubles: [burst20]))
                scenes.append(Scene(name: "body", interval: interval, reception: reception, troubles: [body]))
                scenes.append(Scene(name: "body+bursts", interval: interval, reception: reception, troubles: [body, burst5]))
                scenes.append(Scene(name: "drift", interval: interval, reception: reception, drift: .init(depth: 0.6, period: 7200)))
                scenes.append(Scene(name: "away", interval: interval, reception: reception, absences: 6))
                scenes.append(Scene(name: "body away", interval: interval, reception: reception, troubles: [body], absences: 6))
            }
        }
        return scenes.sorted { $0.name < $1.name }
    }

    static func print(days: Double, only: [String] = []) {
        var names: [String] = []
        for scene in scenes() where !names.contains(scene.name) { names.append(scene.name) }
        for name in names where only.isEmpty || only.contains(name) {
            var all = ExitStudy()
            var ratios: [Double] = []
            var line = ""
            for interval in [0.1, 1, 5] {
                var row = ExitStudy()
                var mine: [Double] = []
                for scene in scenes() where scene.name == name && scene.interval == interval {
                    let least = Least.silence(scene, perDay: 0.05)
                    var study = ExitStudy()
                    let each = 5.0
                    for seed in 0..<UInt64(days / each) { study.follow(scene, perDay: 0.05, days: each, seed: seed &* 7919 + 1) }
                    row.falseExits += study.falseExits
                    for i in 0..<10 { all.byDay[i] += study.byDay[i] }
                    row.beaconDays += study.beaconDays
                    mine += study.silences.map { $0 / least }
                }
                all.falseExits += row.falseExits
                all.beaconDays += row.beaconDays
                ratios += mine
                mine.sort()
                line += " | T=\(interval) \(row.falseExits) in \(Int(row.beaconDays))d \(rounded(row.rate, 1000)) med \(rounded(mine[mine.count / 2], 100)) p99 \(rounded(mine[mine.count * 99 / 100], 100))"
            }
            ratios.sort()
            Swift.print(name, "rate", rounded(all.rate, 1000), "<", rounded(all.upperRate, 1000), "med", rounded(ratios[ratios.count / 2], 100), "p99", rounded(ratios[ratios.count * 99 / 100], 100), line, "by half day", all.byDay.map { Int($0) })
        }
    }

    static func rounded(_ value: Double, _ unit: Double) -> Double { (value * unit).rounded() / unit }
}
