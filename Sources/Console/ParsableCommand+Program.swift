public import ArgumentParser
import Glibc
import Linux

extension ParsableCommand {
    /// Runs the program that this command is the root of, and ends the process with its status.
    ///
    /// Whatever prevents it is one line on standard error; also what was not written as it has to be, of which the library alone would
    /// print three or four.
    public static func runProgram() -> Never {
        let name = configuration.commandName ?? _commandName
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            failure.tell(as: name)
            Glibc.exit(failure.status.rawValue)
        } catch {
            let message = message(for: error)
            // Help and versions are no mistakes, and a status alone has no words.
            guard exitCode(for: error) == .validationFailure, !message.isEmpty else { exit(withError: error) }
            let sentence = message.split(separator: "\n").joined(separator: " ")
            Failure(.usage, "\(sentence) (see \(helpCommand(in: fullMessage(for: error)) ?? "\(name) --help"))").tell(
                as: name)
            Glibc.exit(ExitStatus.usage.rawValue)
        }
        Glibc.exit(ExitStatus.right.rawValue)
    }

    /// The command that explains the mistake, as the library's last line has it: «See 'forgetmenot-gateway scan --help' for more information.»
    private static func helpCommand(in message: String) -> Substring? {
        let words = message.split(separator: "\n").last?.split(separator: "'") ?? []
        return words.count == 3 ? words[1] : nil
    }
}
