import Glibc

/// What one gateway's monitor makes of scenes that a single tag's history does not explain.
struct HouseTable {
    /// The runs of each row; figures are over all of them.
    let seeds: [UInt64]

    /// Which scenes there are.
    static let scenes = [
        "bursts", "losses", "bodies", "changes", "interference", "stops", "absences", "again", "neighbours", "edge",
        "left",
    ]

    /// Prints one scene, or all.
    func print(_ scene: String?, bars: inout Bars) async {
        func isAsked(_ name: String) -> Bool { scene == nil || scene == name }
        if isAsked("bursts") { await printBursts(&bars) }
        if isAsked("losses") { await printRareLosses(&bars) }
        if isAsked("bodies") { await printBodies(&bars) }
        if isAsked("changes") { await printChanges(&bars) }
        if isAsked("interference") { await printInterference(&bars) }
        if isAsked("stops") { await printStops(&bars) }
        if isAsked("absences") { await printShortAbsences(&bars) }
        if isAsked("again") {
            await printAgain(&bars)
            await printInterferenceAgain(&bars)
        }
        if isAsked("neighbours") { await printNeighbours(&bars) }
        if isAsked("edge") { await printEdge(&bars) }
        if isAsked("left") { await printLeft(&bars) }
        fflush(nil)
    }

    /// Absences of this length, so many a day at random moments after an hour, apart by twice their length at least.
    func absences(
        _ perDay: Double, lasting: Double, after hour: Double, days: Double, seed: UInt64
    ) -> [ClosedRange<Double>] {
        var random = Random(seed: seed)
        var absences: [ClosedRange<Double>] = []
        var time = hour * 3600
        while true {
            time += lasting * 2 + random.exponential(mean: 86_400 / perDay)
            guard time + lasting < days * 86_400 else { return absences }
            absences.append(time...time + lasting)
            time += lasting
        }
    }

    /// The same house with each seed.
    func each(_ build: (UInt64) -> MonitoredHouse) -> Houses {
        Houses(all: seeds.map { build($0 &* 1_000_003) })
    }

    var runs: Double { Double(seeds.count) }

    func number(_ value: Double, _ decimals: Int = 2, _ width: Int = 9) -> String {
        Column.number(value, decimals: decimals, width: width)
    }

    // MARK: Tags that send in bursts

    private func printBursts(_ bars: inout Bars) async {
        Swift.print(
            "\nTags that send 10 advertisements in 1 s; 20 tags of each kind, 2 days, from the third hour on.\n")
        Swift.print("every/s    p   false/day < bar     exit after: median < bar        p99     60 s false/day")
        let rows: [(every: Double, reception: Double)] = [10.0, 30].flatMap { every in
            [0.3, 0.6, 0.9].map { (every, $0) }
        }
        let houses = await concurrently(rows) { row in
            each { seed in
                MonitoredHouse(
                    (0..<20).map { tag in
                        HouseTag.Plan(
                            sending: .bursts(of: 10, spaced: 0.1, every: row.every), reception: row.reception,
                            absences: absences(3, lasting: 1800, after: 6, days: 2, seed: seed + 100 + UInt64(tag)))
                    }, days: 2, strangers: 1, seed: seed + 1)
            }
        }
        for ((every, reception), house) in zip(rows, houses) {
            let beaconDays = runs * 20 * 45 / 24.0
            let delays = house.delays(from: 6)
            let name = "bursts every \(Int(every)) s, \(reception):"
            Swift.print(
                number(every, 0, 7), number(reception, 1, 4),
                bars.figure(
                    house.falseExits(from: 3, to: 48) / beaconDays, below: 0.05, of: name + " false exits", decimals: 3),
                bars.figure(
                    ExitStudy.quantile(0.5, of: delays), below: reception < 0.5 ? 60 + 2.5 * every : 65,
                    of: name + " delay", decimals: 0, width: 15),
                number(ExitStudy.quantile(0.99, of: delays), 0),
                number(house.fixedExits(60, from: 3, to: 48) / beaconDays, 2, 15))
        }
    }

    // MARK: Rare long losses

    private func printRareLosses(_ bars: inout Bars) async {
        Swift.print(
            "\nNothing arrives for 90 s every 2 h, of each tag by itself; 20 tags of 1 s at one gateway, or one alone. False exits a day.\n"
        )
        Swift.print(
            "tags  lasting             p   hours 3-6    hours 6-24      day 2 < bar     60 s    180 s   exit after: median, p99"
        )
        let rows = [
            (20, false, 1.0, 0.9), (20, false, 1, 0.5), (20, true, 1, 0.9), (20, true, 0.95, 0.9), (1, false, 1, 0.9),
            (1, true, 0.95, 0.9),
        ]
        let houses = await concurrently(rows) { row in
            let (count, isExponential, lost, reception) = row
            let groups = (0..<(20 / count)).map { number in
                each { seed in
                    MonitoredHouse(
                        (0..<count).map { tag in
                            HouseTag.Plan(
                                sending: .every(1), reception: reception,
                                losses: [
                                    HouseTag.Loss(every: 7110, lasting: 90, isExponential: isExponential, share: lost)
                                ],
                                absences: absences(
                                    3, lasting: 1800, after: 24, days: 2, seed: seed + 200 + UInt64(tag + number)))
                        }, days: 2, strangers: 1, seed: seed + 2 + UInt64(number))
                }
            }
            return Houses(all: groups.flatMap(\.all))
        }
        for ((count, isExponential, lost, reception), group) in zip(rows, houses) {
            func perDay(_ from: Double, _ to: Double) -> Double {
                group.falseExits(from: from, to: to) / runs / 20 / (to - from) * 24
            }
            func fixed(_ time: Double) -> Double { group.fixedExits(time, from: 24, to: 48) / runs / 20 }
            let delays = group.delays(from: 24)
            let name =
                "\(count) tags, rare losses \(isExponential ? "exponential" : "of 90 s"), \(lost), \(reception): day 2"
            Swift.print(
                number(Double(count), 0, 4),
                " " + Column.left((isExponential ? "exponential" : "90 s") + (lost < 1 ? ", 95 %" : ""), width: 17),
                number(reception, 1, 4), number(perDay(3, 6)), number(perDay(6, 24), 2, 12),
                bars.figure(perDay(24, 48), below: 0.05, of: name, decimals: 2, width: 13), number(fixed(60)),
                number(fixed(180), 2, 8), number(ExitStudy.quantile(0.5, of: delays), 0, 11),
                number(ExitStudy.quantile(0.99, of: delays), 0, 8))
        }
    }

    // MARK: Weak slow tags behind bodies

    private func printBodies(_ bars: inout Bars) async {
        Swift.print(
            "\nWeak slow tags (5 s, 30 % received), six absences a day; 20 tags, 4 days. A body takes 85 %.\n"
        )
        Swift.print(
            "body             absences   least   false/day < bar     not reported < bar   of     exit after: median    p99"
        )
        let rows = [
            ("none", 60.0, 1e12, 600.0), ("60 s of 30 min", 60.0, 1740, 600), ("5 min of 1 h", 300, 3300, 600),
            ("none", 60.0, 1e12, 300), ("60 s of 30 min", 60.0, 1740, 300),
        ]
        let houses = await concurrently(rows) { row in
            each { seed in
                MonitoredHouse(
                    (0..<20).map { tag in
                        HouseTag.Plan(
                            sending: .every(5), reception: 0.3,
                            losses: [HouseTag.Loss(every: row.2, lasting: row.1, isExponential: true, share: 0.85)],
                            absences: absences(6, lasting: row.3, after: 3, days: 4, seed: seed + 300 + UInt64(tag)))
                    }, days: 4, strangers: 1, seed: seed + 3)
            }
        }
        for ((name, lasting, every, absence), house) in zip(rows, houses) {
            let delays = house.delays(from: 3)
            let least = Least.silence(
                Scene(
                    name: name, interval: 5, reception: 0.3,
                    troubles: every < 1e9 ? [Scene.Trouble(on: lasting, off: every, loss: 0.85)] : []), perDay: 0.05)
            Swift.print(
                Column.left(name, width: 16), number(absence, 0, 8), number(least, 0, 6),
                bars.figure(
                    house.falseExits(from: 3, to: 96) / runs / 20 / 93 * 24, below: 0.05,
                    of: "body, \(name), \(Int(absence)) s: false exits", decimals: 3),
                bars.figure(
                    Double(house.absences - house.reported), below: 0.02 * Double(house.absences),
                    of: "body, \(name), \(Int(absence)) s: not reported", decimals: 0, width: 11),
                number(Double(house.absences), 0, 5),
                number(ExitStudy.quantile(0.5, of: delays), 0, 16), number(ExitStudy.quantile(0.99, of: delays), 0, 9))
        }
    }

    // MARK: Changes of the interval

    private func printChanges(_ bars: inout Bars) async {
        Swift.print(
            "\nA tag that begins to send less often after 9 h: exits per change, within the hour after; 60 tags of each kind in each run.\n"
        )
        Swift.print("change               p   exits per change: no pause < bar   pause 5 s   20 s")
        let changes = [(0.5, 2.0), (1, 2), (1, 5), (1, 10), (2, 10)]
        let rows: [(change: (Double, Double), reception: Double)] = changes.flatMap { change in
            [0.6, 0.9].map { (change, $0) }
        }
        let pauses = [0.0, 5, 20]
        let houses = await concurrently(rows) { row in
            let (change, reception) = row
            return pauses.map { pause in
                (0..<10).reduce(0.0) { sum, number in
                    let changed = each { seed in
                        MonitoredHouse(
                            (0..<6).map { tag in
                                HouseTag.Plan(
                                    sending: .every(change.0), reception: reception,
                                    change: (at: 32_400 + Double(tag) * 60, pause: pause, sending: .every(change.1)))
                            }, days: 10.2 / 24, strangers: 1, seed: seed + 400 + UInt64(number))
                    }
                    return sum + changed.falseExits(from: 9, to: 10.2)
                }
            }
        }
        for ((change, reception), exits) in zip(rows, houses) {
            let name = "\(Column.number(change.0, width: 3)) s to \(Column.number(change.1, width: 4)) s"
            Swift.print(
                Column.left(name, width: 16), number(reception, 1, 5),
                bars.figure(
                    exits[0] / 60 / runs, below: 1.0 / 6, of: "change, \(name), \(reception)", decimals: 2, width: 24),
                number(exits[1] / 60 / runs, 2, 10), number(exits[2] / 60 / runs, 2, 7))
        }
    }

    // MARK: Interference

    private func printInterference(_ bars: inout Bars) async {
        Swift.print(
            "\n50 tags of 0.5 to 5 s (60 to 90 %), after 9 h. Interference: nothing is received for 2 min, and the controller responds."
        )
        Swift.print("Together: all tags leave within 10 s and strangers go on. Alone: one leaves.\n")
        Swift.print(
            "strangers/s   interference: exits in 30 s    60 s < bar   all   together: median    max   alone: median   with all strangers: median"
        )
        let rows = [0.0, 0.1, 0.3, 1, 5]
        let start = 32_400.0
        let end = (start + 3600) / 86_400
        let houses = await concurrently(rows) { strangers in
            [0, 1, 2, 3].map { kind in
                each { seed in
                    MonitoredHouse(
                        (0..<50).map { tag in
                            let leaves = kind == 1 || kind == 3 || (kind == 2 && tag == 0)
                            let from = start + Double(tag) / 5
                            return HouseTag.Plan(
                                sending: .every([0.5, 1, 1, 2, 5][tag % 5]), reception: [0.6, 0.75, 0.9][tag % 3],
                                absences: leaves ? [from...from + 3000] : [])
                        }, days: end, strangers: strangers, strangersLeave: kind == 3 ? start + 5 : .infinity,
                        interference: kind == 0 ? [start...start + 120] : [], seed: seed + 5)
                }
            }
        }
        for (strangers, group) in zip(rows, houses) {
            func exits(within seconds: Double) -> Double {
                Double(group[0].exits.count { $0.at >= start && $0.at < start + seconds }) / runs
            }
            let together = group[1].delays(from: 9)
            let sixty =
                strangers >= 0.3
                ? bars.figure(
                    exits(within: 60), below: 5, of: "interference, \(strangers) strangers/s", decimals: 0, width: 14)
                : number(exits(within: 60), 0, 14) + Column.left("", width: 9)
            Swift.print(
                number(strangers, 1, 8), number(exits(within: 30), 0, 22), sixty,
                number(exits(within: 600), 0, 4), number(ExitStudy.quantile(0.5, of: together), 1, 14),
                number(together.last ?? .nan, 0, 8),
                number(ExitStudy.quantile(0.5, of: group[2].delays(from: 9)), 1, 12),
                number(ExitStudy.quantile(0.5, of: group[3].delays(from: 9)), 1, 20))
        }
    }

    // MARK: Short absences

    private func printShortAbsences(_ bars: inout Bars) async {
        Swift.print(
            "\nAbsences of 2 min, ten a day; the RSSI fades for 8 s before and after, or not at all. 20 tags of 1 s, 3 days.\n"
        )
        Swift.print("fading     p   reported on day 1   day 2   day 3   exit after: median of day 3")
        let rows = [(8.0, 0.9), (8, 0.6), (0, 0.9)]
        let houses = await concurrently(rows) { row in
            let (fading, reception) = row
            return each { seed in
                MonitoredHouse(
                    (0..<20).map { tag in
                        HouseTag.Plan(
                            sending: .every(1), reception: reception,
                            absences: absences(10, lasting: 120, after: 3, days: 3, seed: seed + 600 + UInt64(tag)),
                            fading: fading)
                    }, days: 3, strangers: 1, seed: seed + 6)
            }
        }
        for ((fading, reception), house) in zip(rows, houses) {
            func share(_ day: Double) -> Double {
                let all = seeds.reduce(0) { sum, seed in
                    (0..<20).reduce(sum) { sum, tag in
                        sum
                            + absences(
                                10, lasting: 120, after: 3, days: 3, seed: seed &* 1_000_003 + 600 + UInt64(tag)
                            ).count { $0.lowerBound >= (day - 1) * 86_400 && $0.lowerBound < day * 86_400 }
                    }
                }
                let exited = house.exits.count {
                    $0.delay != nil && $0.at - $0.delay! >= (day - 1) * 86_400 && $0.at - $0.delay! < day * 86_400
                }
                return Double(exited) / Double(all)
            }
            Swift.print(
                Column.left(fading > 0 ? "8 s" : "none", width: 7), number(reception, 1, 4), number(share(1), 2, 16),
                number(share(2), 2, 10), number(share(3), 2, 7),
                number(ExitStudy.quantile(0.5, of: house.delays(from: 48)), 0, 16))
        }
    }
}
