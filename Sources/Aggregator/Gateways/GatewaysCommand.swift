import ArgumentParser

/// `forgetmenot gateways`.
struct GatewaysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateways", abstract: "List and remove gateways.",
        subcommands: [GatewaysListCommand.self, GatewaysRemoveCommand.self], defaultSubcommand: GatewaysListCommand.self
    )
}
