import Beacons
import Linux
import Messages
import Text

/// Shows what was learned of how the rooms sound, and how much it is worth: `forgetmenot learning`.
public func showLearning(over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let answer = try session.ask("learning", Nothing(), for: LearningAnswer.self)
    show(answer, asJSON: asJSON)
    return .right
}

/// Forgets what was lived and learned from it; the surveys stay: `forgetmenot learning forget`.
public func forgetLearning(over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let answer = try session.ask("learning/forget", Nothing(), for: LearningAnswer.self)
    if asJSON {
        show(answer, asJSON: true)
    } else {
        let surveys = answer.surveys.count
        printLine(
            surveys == 0
                ? "What was lived is forgotten: the names decide alone, until there is something to learn from again."
                : "What was lived is forgotten. The surveys stay (\(surveys)): \"forgetmenot survey remove\" takes them away."
        )
    }
    return .right
}

private func show(_ answer: LearningAnswer, asJSON: Bool) {
    guard !asJSON else {
        printJSON(jsonArray([answer]) { answer, json in json.object(answer.writeFields) })
        return
    }
    printLine(answer.sentence)
    guard !answer.rooms.isEmpty else { return }
    var table = Table([
        Table.Column("ROOM"), Table.Column("LIVED", .right), Table.Column("SURVEYED", .right),
        Table.Column("SOUNDS", .right),
    ])
    for room in answer.rooms {
        table.append([
            room.room, Interval.seconds(Double(room.lived)).age, Interval.seconds(Double(room.surveyed)).age,
            "\(room.sounds)",
        ])
    }
    printLine("")
    for line in table.lines(width: terminalWidth()) { printLine(line) }
}

extension LearningAnswer {
    /// What it comes to, in a sentence or three.
    fileprivate var sentence: String {
        func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
        func length(_ seconds: Int) -> String { Interval.seconds(Double(seconds)).age }
        guard let worth else {
            let heard = kept == 0 ? "Nothing was heard yet" : "\(kept) moments were heard"
            return isLearning
                ? "\(heard), and are being learned from now."
                : "\(heard): too little, or too contradictory, to learn from. Names and plan decide alone."
        }
        var parts: [String] = []
        if worth.lived > 0 { parts.append("\(length(worth.lived)) of living there") }
        if worth.surveyed > 0 { parts.append("\(length(worth.surveyed)) of surveys") }
        var text = "Learned from \(parts.joined(separator: " and ")), \((Clock.wall - worth.at).age) ago"
        text += isLearning ? ", and learning again now. " : ". "
        text += "It has \(percent(worth.share)) of the say beside names and plan."
        guard worth.lived > 0 else { return text }
        text += " Two halves of the past agree on \(percent(worth.agreement)) of it; "
        text += "\(percent(worth.difference)) would be said to be in another room without it."
        return text
    }
}
