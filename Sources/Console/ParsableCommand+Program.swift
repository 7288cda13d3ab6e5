import ArgumentParser
import Beacons
import Glibc
import Linux

extension ParsableCommand {
    /// Runs this root command, and ends the process with its status.
    ///
    /// Each failure is printed as one line on standard error. This includes invalid arguments, for which the library
    /// alone prints three or four lines.
    package static func runProgram() -> Never {
        let name = configuration.commandName ?? _commandName
        prepareStandardStreams()
        do {
            try refuseUnreadableWords()
            let words = CommandLine.arguments.dropFirst()
            if words.first == "help", let (word, names) = unknownCommand(in: words.dropFirst()) {
                throw Failure(.usage, "there is no command '\(word)'\(hint(word, names)) (see \(name) --help)")
            }
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            failure.report(as: name)
            Glibc.exit(failure.status.rawValue)
        } catch {
            let (message, code) = (message(for: error), exitCode(for: error))
            // Help and versions are no failures, and a bare status has no message.
            let isHelp = code == .success && dashedWord == nil
            guard !isHelp, code == .success || code == .validationFailure && !message.isEmpty else {
                let text = fullMessage(for: error)
                if code == .success, !text.isEmpty { printLines(text) } else { printErrors(text) }
                end(with: code.rawValue, as: name)
            }
            var sentence = message.split(separator: "\n").joined(separator: " ")
            if let dashed = dashedWord {
                // The library takes the h of -hat for a request for help.
                if code == .success { sentence = "Unknown option '\(dashed.word)'" }
                sentence +=
                    sentence.contains("Missing value for '\(dashed.former) ")
                    ? ": write = before a value that begins with a dash: \(dashed.former)=\(dashed.word)"
                    : ": if \(dashed.word) is a name, put -- before it: -- \(dashed.word)"
            }
            if let (word, names) = unknownCommand(in: CommandLine.arguments.dropFirst()), sentence.contains("'\(word)'")
            {
                sentence += hint(word, names)
            }
            Failure(.usage, "\(sentence) (see \(helpCommand(in: fullMessage(for: error)) ?? "\(name) --help"))").report(
                as: name)
            Glibc.exit(ExitStatus.usage.rawValue)
        }
        end(with: ExitStatus.right.rawValue, as: name)
    }

    /// A word such as -Anna, which the library takes for options, and the word before it; `nil`: there is none. The only option of one dash is
    /// -h, and numbers are values.
    private static var dashedWord: (former: String, word: String)? {
        let words = CommandLine.arguments.prefix { $0 != "--" }
        let index = words.indices.dropFirst().first { index in
            let rest = words[index].dropFirst()
            return words[index].hasPrefix("-") && rest.first?.isLetter == true && !["h", "help"].contains(rest)
        }
        return index.map { (words[$0 - 1], words[$0]) }
    }

    /// Ends the process with the command's status, or with 74 if its output could not be written.
    private static func end(with status: Int32, as name: String) -> Never {
        guard let outputFailure else { Glibc.exit(status) }
        Failure(.disk, "\(outputFailure)").report(as: name)
        Glibc.exit(ExitStatus.disk.rawValue)
    }

    /// Refuses arguments that are not UTF-8. Swift would replace invalid bytes, and the replacements would be stored.
    private static func refuseUnreadableWords() throws(Failure) {
        for (index, word) in CommandLine.arguments.enumerated() {
            guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil else { continue }
            throw Failure(.usage, "word \(index) is not valid UTF-8 (\"\(word)\"): write it in UTF-8")
        }
    }

    /// The first of these words that stands where a command should and is none, and the names of the commands there.
    private static func unknownCommand(in words: some Sequence<String>) -> (word: String, names: [String])? {
        var command: any ParsableCommand.Type = Self.self
        for word in words {
            let names = command.configuration.subcommands.map { $0.configuration.commandName ?? $0._commandName }
            guard !names.isEmpty, !word.hasPrefix("-") else { return nil }
            guard let index = names.firstIndex(of: word) else { return word == "help" ? nil : (word, names) }
            command = command.configuration.subcommands[index]
        }
        return nil
    }

    private static func hint(_ word: String, _ names: [String]) -> String {
        nearest(to: word, among: names).map { ": did you mean '\($0)'?" } ?? ""
    }

    /// The help command in the last line of the library's message: "See 'forgetmenot-gateway scan --help' for more
    /// information."
    private static func helpCommand(in message: String) -> Substring? {
        let words = message.split(separator: "\n").last?.split(separator: "'") ?? []
        return words.count == 3 ? words[1] : nil
    }
}
