import ArgumentParser
import Console
import Linux
import Page
import PageConfiguration

struct PageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page", abstract: "Make passwords and tokens for the web page.",
        subcommands: [PagePasswordCommand.self, PageTokenCommand.self])
}

extension PageSettings.Role: ExpressibleByArgument {}

struct PagePasswordCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Ask for a password and print its lines for the configuration.",
        discussion:
            "Without a terminal, it reads the password from standard input. Add the lines to the aggregator's configuration and restart the service."
    )

    @Argument(help: "The name of the user.")
    var user: String

    @Option(help: "What the user may do: admin, or reader to change nothing.")
    var role = PageSettings.Role.admin

    func perform() throws(Failure) -> ExitStatus {
        try makePassword(user: user, role: role)
    }
}

struct PageTokenCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make a token and print its lines for the configuration.",
        discussion:
            "The token is printed once, on standard error; the configuration has only its SHA-256. Programs send it in the header \"Authorization: Bearer TOKEN\"."
    )

    @Argument(help: "What the token is for, like prometheus.")
    var name: String

    @Option(help: "What the token may do: reader, or admin.")
    var role = PageSettings.Role.reader

    func perform() throws(Failure) -> ExitStatus {
        guard !name.isEmpty else { throw Failure(.usage, "the token's name is empty: write what it is for") }
        return makeToken(name: name, role: role)
    }
}
