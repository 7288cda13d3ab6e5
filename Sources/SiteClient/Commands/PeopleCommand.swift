import ArgumentParser
import Beacons
import Linux
import Messages
import Text

struct PeopleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "List, add, change and remove people, and test their channels.",
        subcommands: [
            PeopleListCommand.self, PeopleAddCommand.self, PeopleEditCommand.self, PeopleRenameCommand.self,
            PeopleRemoveCommand.self, PeopleTestCommand.self,
        ],
        defaultSubcommand: PeopleListCommand.self)
}

struct PeopleListCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List people, where they are and what they carry.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let view = try session.view()
        if show.json {
            printJSON(jsonArray(view.sortedPeople) { $0.write(to: &$1) })
        } else {
            var table = Table(["PERSON", "ID", "WHERE", .right("SINCE"), "CARRIES"])
            for location in view.sortedPeople {
                let names = location.person.carries.map { view.items[$0]?.name ?? $0 }
                table.append([
                    location.person.name, location.person.id, view.place(of: location),
                    location.since.map { (Clock.wall - $0).age },
                    names.joined(separator: ", "),
                ])
            }
            for line in table.lines(width: terminalWidth()) { printLine(line) }
        }
        let hint = "There are no people yet: add one with \"forgetmenot people add\"."
        return status(.right, of: view, hint: view.people.isEmpty && !show.json ? hint : nil)
    }
}

struct PeopleAddCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a person, by the items that the person carries.",
        discussion:
            "Make the person an owner with `items edit ITEM --owner NAME` to be notified that the item was forgotten or taken."
    )

    @Argument(help: "The person's name, in any script.")
    var name: String

    @Option(help: "The carried items, by ids or exact names, with commas between.", completion: .items)
    var carries: String?

    @Option(help: "The person's id in topics. (default: made from the name)")
    var id: String?

    @Flag(help: "Print the person as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let requested = Person(id: try wellFormed(id) ?? "", name: try named(name), carries: words(carries) ?? [])
        let person = try session.ask(.addPerson, requested).entry
        report(jsonObject(person.writeFields), "\(person.name) is added as \(person.id)", asJSON: json)
        return .right
    }
}

struct PeopleEditCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the name of a person, or what the person carries.",
        discussion: "The id stays. --carries replaces the whole list."
    )

    @Argument(help: "The person's id or exact name.", completion: .people)
    var person: String

    @Option(name: .customLong("name"), help: "The new name.")
    var newName: String?

    @Option(help: "All carried items, by ids or exact names, with commas between.", completion: .items)
    var carries: String?

    @Flag(help: "Print the person as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        guard newName != nil || carries != nil else {
            throw Failure(.usage, "no change is given: \"forgetmenot people edit --help\" lists the options")
        }
        var requested = EditedPerson(NameOrID(name: self.person), carries: words(carries))
        if let newName { requested.newName = try named(newName) }
        let person = try session.ask(.editPerson, requested).entry
        report(jsonObject(person.writeFields), "\(person.name) is changed", asJSON: json)
        return .right
    }
}

struct PeopleRenameCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename a person; the id stays.")

    @Argument(help: "The person's id or exact name.", completion: .people)
    var person: String

    @Argument(help: "The new name, in any script.")
    var newName: String

    @Flag(help: "Print the person as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        var requested = EditedPerson(NameOrID(name: self.person))
        requested.newName = try named(newName)
        let person = try session.ask(.editPerson, requested).entry
        report(jsonObject(person.writeFields), "\(person.id) is renamed to \(person.name)", asJSON: json)
        return .right
    }
}

struct PeopleRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a person.",
        discussion: """
            The person's topics are cleared. No event is published, and the items stay. On a terminal, the command asks first.
            """)

    @Argument(help: "The person's id or exact name.", completion: .people)
    var person: String

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        // A person who is not in the view is the aggregator's to refuse.
        if confirmation.isNeeded, let known = try session.view().person(named: person) {
            try confirmation.ask(
                "Remove \(known.name) (\(known.id))? Channels and browsers get no more messages for this person.",
                "\(known.name) is not removed")
        }
        printLine("\(try session.ask(.removePerson, NameOrID(name: person)).entry.name) is removed")
        return .right
    }
}

struct PeopleTestCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a person one message over each channel.",
        discussion: "Prints a line for each channel, and exits with 1 if one did not take the message.")

    @Argument(help: "The person's id or exact name.", completion: .people)
    var person: String
    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let known = try session.view().person(named: person)
        let channels: [ChannelTestResponse.Channel]
        do throws(Failure) {
            // A channel has the id of its person, who need not be added.
            channels = try session.ask(.testPerson, NameOrID(name: known?.id ?? person)).channels
        } catch {
            guard known == nil, error.status == .noInput else { throw error }
            let names = try session.view().sortedPeople.flatMap { [$0.person.name, $0.person.id] }
            let hint = didYouMean(person, among: names) ?? "\"forgetmenot people list\" shows all people"
            throw Failure(.noInput, "there is no person \"\(person)\": \(hint)")
        }
        for channel in channels { printLine("\(channel.name): \(channel.problem ?? "sent")") }
        return channels.allSatisfy { $0.problem == nil } ? .right : .no
    }
}

extension SiteView {
    /// The person of this id or exact name.
    fileprivate func person(named word: String) -> Person? {
        let people = sortedPeople.map(\.person)
        return people.first { $0.id == word } ?? people.first { $0.name == word }
    }
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
