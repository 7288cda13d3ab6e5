import ArgumentParser
import Console
import Linux
import SiteClient

/// `forgetmenot people`.
struct PeopleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "List, add, change and remove people, and test their channels.",
        subcommands: [
            PeopleListCommand.self, PeopleAddCommand.self, PeopleEditCommand.self, PeopleRemoveCommand.self,
            PeopleTestCommand.self,
        ],
        defaultSubcommand: PeopleListCommand.self)
}

/// `forgetmenot people list`.
struct PeopleListCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List people, where they are and what they carry.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try listPeople(over: session, asJSON: show.json)
    }
}

/// `forgetmenot people add NAME --carries ITEM,ITEM`.
struct PeopleAddCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a person, by the items that the person carries.",
        discussion:
            "Make the person an owner with `items edit ITEM --owner NAME` to be notified that the item was forgotten or taken."
    )

    @Argument(help: "The person's name, in any script.")
    var name: String

    @Option(help: "The carried items, by ids or exact names, with commas between.")
    var carries: String?

    @Option(help: "The person's id in topics. (default: made from the name)")
    var id: String?

    @Flag(help: "Print the person as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try addPerson(name, id: id, carries: carries, over: session, asJSON: json)
    }
}

/// `forgetmenot people edit PERSON`.
struct PeopleEditCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the name of a person, or what the person carries.",
        discussion: "The id stays. --carries replaces the whole list."
    )

    @Argument(help: "The person's id or exact name.", completion: .people)
    var person: String

    @Option(name: .customLong("name"), help: "The new name.")
    var newName: String?

    @Option(help: "All carried items, by ids or exact names, with commas between.")
    var carries: String?

    @Flag(help: "Print the person as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try editPerson(person, newName: newName, carries: carries, over: session, asJSON: json)
    }
}

/// `forgetmenot people remove PERSON`.
struct PeopleRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a person.",
        discussion: "The person's topics are cleared. No event is published, and the items stay.")

    @Argument(help: "The person's id or exact name.", completion: .people)
    var person: String

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try removePerson(person, over: session)
    }
}

/// `forgetmenot people test PERSON`.
struct PeopleTestCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a person one message over each channel.",
        discussion: "Prints a line for each channel, and exits with 1 if one did not take the message.")

    @Argument(help: "The person's id or exact name.", completion: .people)
    var person: String
    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try testPerson(person, over: session)
    }
}
