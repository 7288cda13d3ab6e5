import AggregatorService
import ArgumentParser
import Console
import History
import Linux

struct BackupCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write everything that the site must not lose into one file.",
        discussion: """
            The file has the configuration, the files that it names, items, people, what was learned, the event log and the history. It has \
            the site's passwords and keys, so that only you can read it. The aggregator may go on meanwhile. If the name ends with .age, the \
            program age encrypts the file, and asks for a passphrase. An older file is replaced when the new one is complete. \
            If a file of the site is damaged, the backup fails.
            """)

    @Argument(help: "The file to write, like site.tar.gz or site.tar.gz.age.", completion: .file())
    var file: String

    @Option(help: "A file with the recipients for age, instead of a passphrase.")
    var recipients: String?

    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        try backUp(
            configurationAt: try configuration.path, to: file, recipients: recipients, copyHistory: HistoryStore.copy)
    }
}

struct RestoreCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore the site from a file that `backup` wrote.",
        discussion: """
            Stop the aggregator first, and start it afterwards. The whole file is checked before anything is written. Files that are there \
            already and differ get another name, and are never deleted.
            """)

    @Argument(help: "The file to read.", completion: .file())
    var file: String

    @Option(help: "A file with the key for age, instead of a passphrase.")
    var identity: String?

    @Flag(help: "If there is a site already, set it aside.")
    var force = false

    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        try restore(file, configurationAt: try configuration.path, identity: identity, isForced: force)
    }
}
