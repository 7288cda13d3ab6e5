import AggregatorService
import ArgumentParser
import Beacons
import Console
import Linux
import Messages
import Settings
import SiteClient
import Text

/// `forgetmenot phones`.
struct PhonesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phones", abstract: "List, add and remove the phones that all gateways recognise.",
        subcommands: [PhonesListCommand.self, PhonesAddCommand.self, PhonesRemoveCommand.self],
        defaultSubcommand: PhonesListCommand.self)
}

/// The options of `forgetmenot phones`.
struct PhoneOptions: ParsableArguments {
    @Option(help: "The folder of `broker-setup`.")
    var folder = "\(configurationFolder)/broker"

    @Option(help: "The aggregator's configuration.")
    var config = standardConfigurationPath

    func site() throws(Failure) -> PhoneSite { try PhoneSite(folder: folder, aggregatorFile: config) }
}

/// `forgetmenot phones list`.
struct PhonesListCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the phones, without their keys.")

    @Flag(help: "Print the phones as JSON.")
    var json = false

    @OptionGroup var options: PhoneOptions

    func perform() throws(Failure) -> ExitStatus {
        let phones = try options.site().list().sorted { $0.name < $1.name }
        if json {
            printJSON(
                jsonArray(phones) { phone, json in
                    json.object { json in
                        json.field("name", phone.name)
                        json.field("uuid", "\(phone.key.beacon.uuid)")
                    }
                })
        } else {
            var table = Table(["PHONE", "UUID"])
            for phone in phones { table.append([phone.name, "\(phone.key.beacon.uuid)"]) }
            for line in table.lines(width: terminalWidth()) { printLine(line) }
        }
        return .right
    }
}

/// `forgetmenot phones add NAME`.
struct PhonesAddCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Have all gateways recognise a phone or a watch by its key.",
        discussion: """
            Runs on the broker's machine. Reads the identity resolving key from standard input; at a terminal, asks for it and does not show it. \
            Gateways that are offline, and those that join later, get the key when they connect. A key that is known gets the new name.
            """)

    @Argument(help: "The phone's name, such as \"Anna's phone\".")
    var name: String

    @OptionGroup var options: PhoneOptions

    func perform() throws(Failure) -> ExitStatus {
        guard Phone.isName(name) else {
            throw Failure(.usage, "a phone has a name of 1 to \(Phone.longestName) bytes, without control characters")
        }
        let site = try options.site()
        let phone = Phone(key: try readPhoneKey(), name: name)
        try site.add(phone)
        let uuid = phone.key.beacon.uuid
        printLine(
            "All gateways recognise \(printable(name)). Its beacon has the UUID \(uuid), major 0 and minor 0. Add the item:"
        )
        printLine("  forgetmenot items add \(shellQuoted(name)) --uuid \(uuid) --major 0 --minor 0")
        return .right
    }
}

/// `forgetmenot phones remove NAME`.
struct PhonesRemoveCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a phone from all gateways.",
        discussion: """
            Gateways that are offline forget the key when they connect. A gateway that never connects again has its copy: delete phones.json in its \
            state folder. The item stays.
            """)

    @Argument(help: "The phone's exact name.")
    var name: String

    @OptionGroup var options: PhoneOptions

    func perform() throws(Failure) -> ExitStatus {
        try options.site().remove(name)
        printLine("\(printable(name)) is removed. A line in identity.keys of a gateway, and the item, stay.")
        return .right
    }
}
