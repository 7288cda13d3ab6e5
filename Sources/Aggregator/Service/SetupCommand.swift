import AggregatorService
import ArgumentParser
import Console
import Linux

struct SetupCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Set up this machine: broker, aggregator and gateway.",
        discussion: """
            Locks this machine's mosquitto with passwords, gives a user the commands, and starts the services. Asks at most three \
            questions, for the options that are not given. Ends with what runs and what to do. Run it again at any time: it does what is \
            left to do, and changes nothing that works.
            """)

    @Option(help: "The user of this machine who uses the commands. (default: asked for)")
    var user: String?

    @Option(help: "The room of this machine, as a gateway; an empty text if it is none. (default: asked for)")
    var room: String?

    @Flag(name: .customLong("yes"), help: "Lock mosquitto without asking.")
    var mayLock = false

    @Option(help: "The gateway's radio: bluez:hci0, capture:FILE.btsnoop or simulation. (default: bluez:hci0)")
    var source: String?

    func perform() throws(Failure) -> ExitStatus {
        var words = SiteSetupWords()
        (words.user, words.room, words.mayLock, words.source) = (user, room, mayLock, source)
        return try setUpSite(words)
    }
}
