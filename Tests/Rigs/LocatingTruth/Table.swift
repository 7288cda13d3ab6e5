/// Lines of one table.
enum Table {
    static func heading() {
        line([
            "place", "rule", "right room", "mean of walks", "said/true", "moves, false", "in 4 s", "delay",
            "calibration", "by chance", "told",
        ])
    }

    static func add(_ place: String, _ rule: String, _ score: Score) {
        line([
            place, rule, tenths(score.accuracy * 100) + " %", tenths(score.meanOfWalks * 100) + " %",
            "\(score.reported)/\(score.changes)", "\(score.moves), \(score.falseMoves)", "\(score.found)",
            tenths(score.delay) + " s", tenths(score.calibrationError * 100) + " %",
            tenths(score.chanceOfCalibrationError * 100) + " %",
            tenths((score.accuracy + score.overconfidence) * 100) + " %",
        ])
    }

    private static let widths = [20, 40, 11, 13, 10, 12, 7, 8, 11, 9, 7]

    private static func line(_ fields: [String]) {
        print(
            zip(fields, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
                .joined(separator: " "))
    }

    static func tenths(_ value: Double) -> String {
        let count = Int((value * 10).rounded())
        return "\(count / 10).\(count % 10)"
    }

    static func hundredths(_ value: Double) -> String {
        let text = thousandths((value * 100).rounded() / 100)
        return String(text.dropLast())
    }

    static func thousandths(_ value: Double) -> String {
        let count = Int((abs(value) * 1000).rounded())
        let digits = String(count % 1000)
        return (value < 0 ? "-" : "") + (count >= 1000 ? "\(count / 1000)" : "")
            + "." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
