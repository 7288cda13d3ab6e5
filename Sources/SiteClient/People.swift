import Beacons
import Linux
import Messages
import Text

/// Lists people, where they are and what they carry: `forgetmenot people list`.
package func listPeople(over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let view = try session.view()
    if asJSON {
        printJSON(jsonArray(view.sortedPeople) { $0.write(to: &$1) })
    } else {
        var table = Table(["PERSON", "ID", "WHERE", .right("SINCE"), "CARRIES"])
        for location in view.sortedPeople {
            let names = location.person.carries.map { view.items[$0]?.name ?? $0 }
            table.append([
                location.person.name, location.person.id, location.place, location.since.map { (Clock.wall - $0).age },
                names.joined(separator: ", "),
            ])
        }
        for line in table.lines(width: terminalWidth()) { printLine(line) }
    }
    return status(.right, of: view)
}

/// Adds a person: `forgetmenot people add`.
package func addPerson(
    _ name: String, id: String?, carries: String?, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    let requested = Person(id: try wellFormed(id) ?? "", name: try named(name), carries: words(carries) ?? [])
    let person = try session.ask(.addPerson, requested).person
    report(jsonObject(person.writeFields), "\(person.name) is added as \(person.id)", asJSON: asJSON)
    return .right
}

/// Changes the name of a person, or what the person carries: `forgetmenot people edit`.
package func editPerson(
    _ word: String, newName: String?, carries: String?, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    guard newName != nil || carries != nil else {
        throw Failure(.usage, "no change is given: \"forgetmenot people edit --help\" lists the options")
    }
    var requested = EditedPerson(NameOrID(name: word), carries: words(carries))
    if let newName { requested.newName = try named(newName) }
    let person = try session.ask(.editPerson, requested).person
    report(jsonObject(person.writeFields), "\(person.name) is changed", asJSON: asJSON)
    return .right
}

/// Removes a person: `forgetmenot people remove`.
package func removePerson(_ word: String, over session: BrokerSession) throws(Failure) -> ExitStatus {
    printLine("\(try session.ask(.removePerson, NameOrID(name: word)).person.name) is removed")
    return .right
}

/// Sends a person one message over each channel, and prints what became of each: `forgetmenot people test`.
package func testPerson(_ word: String, over session: BrokerSession) throws(Failure) -> ExitStatus {
    let people = try session.view().sortedPeople.map(\.person)
    let known = people.first { $0.id == word } ?? people.first { $0.name == word }
    let channels: [ChannelTestResponse.Channel]
    do throws(Failure) {
        // A channel has the id of its person, who need not be added.
        channels = try session.ask(.testPerson, NameOrID(name: known?.id ?? word)).channels
    } catch {
        guard known == nil, error.status == .noInput else { throw error }
        throw Failure(.noInput, "there is no person \"\(word)\": \"forgetmenot people list\" shows all people")
    }
    for channel in channels { printLine("\(channel.name): \(channel.problem ?? "sent")") }
    return channels.allSatisfy { $0.problem == nil } ? .right : .no
}

/// The words between commas; an empty text has none.
func words(_ text: String?) -> [String]? {
    text.map { text in
        text.split(separator: ",").map { word in
            var word = word.drop(while: \.isWhitespace)
            while word.last?.isWhitespace == true { word.removeLast() }
            return String(word)
        }.filter { !$0.isEmpty }
    }
}

extension PersonLocation {
    /// The location for people, in a word or two.
    var place: String {
        switch presence {
        case .home: room ?? "home"
        case .away: "away"
        case .unknown: "unknown"
        }
    }
}
