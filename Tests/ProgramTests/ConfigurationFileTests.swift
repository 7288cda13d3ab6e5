import Glibc
import TestBroker
import Testing

/// How the commands of `forgetmenot` find their configuration.
struct ConfigurationFileTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func run(_ words: [String], variable: String) throws -> Ended {
        try RunningProgram(["env", "FORGETMENOT_CONFIG=\(variable)", Program.aggregator.path] + words).ended()
    }

    @Test(arguments: [
        ["check"], ["doctor"], ["placement"], ["run"], ["backup", "/dev/null"], ["restore", "/dev/null"],
    ])
    func `every command reads the file that the environment names, and an option goes before`(words: [String]) throws {
        let wrong = try folder.write("[mqtt]\nport = 1\n[page]\nenabled = 7\n", to: "wrong.toml")
        let other = try folder.write("[mqtt]\nport = 1\n[history]\nenabled = 8\n", to: "other.toml")
        for _ in 0..<2 where words[0] != "restore" {
            let end = try run(words, variable: wrong)
            #expect(end.status == 78 && (end.output + end.errors).contains("\(wrong):4: page.enabled"), "\(end)")
            let named = try run(words + ["--config", other], variable: wrong)
            let text = named.output + named.errors
            #expect(named.status == 78 && text.contains("\(other):4: history.enabled"), "\(named)")
        }
        // An empty variable names nothing.
        let end = try run(words + ["--help"], variable: "")
        #expect(end.status == 0 && end.output.contains("FORGETMENOT_CONFIG"), "\(end)")
    }

    @Test(arguments: [
        ["check"], ["placement"], ["run"], ["backup", "site.tar.gz"], ["restore", "site.tar.gz"],
    ])
    func `a user's own file of the broker, which the environment names, is no site's configuration`(words: [String])
        throws
    {
        let own = try folder.write("[mqtt]\nhost = \"localhost\"\nport = 1\n", to: "own.toml")
        for _ in 0..<2 {
            let end = try run(words, variable: own)
            #expect(
                end.status == 78 && end.errors.contains("\(own), which FORGETMENOT_CONFIG names, has only"), "\(end)")
        }
    }

    @Test func `doctor reports what it read of a file that has only the table of the broker`() throws {
        let own = try folder.write("[mqtt]\nhost = \"localhost\"\nport = 1\n", to: "own.toml")
        let whole = try folder.write(
            "state_directory = \"state\"\n[mqtt]\nhost = \"localhost\"\nport = 1\n", to: "whole.toml")
        for _ in 0..<2 {
            let end = try run(["doctor"], variable: own)
            #expect(end.output.contains("\(own): only [mqtt] was read"), "\(end)")
            #expect(end.output.contains("\(own) has only [mqtt]"), "\(end)")
            let all = try run(["doctor"], variable: whole)
            #expect(all.output.contains(whole) && !all.output.contains("only [mqtt]"), "\(all)")
        }
    }
}
