import ArgumentParser

/// `forgetmenot gateways`.
struct GatewaysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateways", abstract: "Who listens.",
        subcommands: [GatewaysListCommand.self, GatewaysRemoveCommand.self], defaultSubcommand: GatewaysListCommand.self
    )
}
