import Glibc
import Linux
import Messages
import Settings

// What clients have to be told.
extension SiteBroker {
    /// The keys of a client's [mqtt], as TOML writes them; `file` is its configuration's name, and that of the files beside it.
    func brokerKeys(of name: String, in group: Group, host: String, file: String) -> [(key: String, value: String)] {
        var keys = [("host", tomlText(host)), ("port", "\(group == .gateways ? gatewayPort : port)")]
        if prefix != .standard { keys.append(("prefix", tomlText(prefix.text))) }
        switch proof {
        case .passwords: keys += [("username", tomlText(name)), ("password_file", "\"\(file).password\"")]
        case .certificates:
            keys += [
                ("ca_file", "\"\(file)-ca.crt\""), ("certificate_file", "\"\(file).crt\""),
                ("key_file", "\"\(file).key\""),
            ]
        }
        return keys
    }

    /// The files that a client takes along: which of the folder's, and what they are called beside its configuration, `file`.toml.
    func files(of name: String, for file: String) -> [(source: String, name: String)] {
        switch proof {
        case .passwords: [("secrets/\(name).password", "\(file).password")]
        case .certificates:
            [
                ("ca.crt", "\(file)-ca.crt"), ("secrets/\(name).crt", "\(file).crt"),
                ("secrets/\(name).key", "\(file).key"),
            ]
        }
    }

    /// What is to be done now, line by line.
    ///
    /// - Parameter invited: whose lines are printed; empty: everybody's.
    func instructions(_ folder: SetupFolder, for invited: Set<String>) -> [String] {
        var lines = [
            "", "The broker, on this machine:",
            "  sudo ln -sf \(shellQuoted(folder.file("mosquitto.conf"))) /etc/mosquitto/conf.d/forgetmenot.conf && sudo systemctl restart mosquitto",
        ]
        let asked = gateways.filter { invited.isEmpty || invited.contains($0.id) }
        for gateway in asked { lines += ["", "Gateway \(gateway.id):", "  " + line(for: gateway, folder)] }
        if !asked.isEmpty {
            lines += [
                "",
                proof == .passwords
                    ? "On another machine run what is behind the bar: it asks for the password, which is in that file."
                    : "On another machine copy the three files there, and cat the copies.",
            ]
        }
        for user in users where invited.isEmpty || invited.contains(user) {
            lines += ["", "User \(user), port \(port):", "  " + line(forUser: user, folder)]
        }
        if host == "localhost" {
            lines += ["", "From other machines the broker has another name: --host NAME puts it into these lines."]
        }
        if proof == .passwords, bind != "127.0.0.1" {
            lines += ["", "Passwords can be read on their way: --certificates makes all of it TLS."]
        }
        return lines
    }

    private func line(for gateway: Gateway, _ folder: SetupFolder) -> String {
        guard let secrets = secrets(of: gateway.id, folder) else { return gone(folder) }
        var words = "forgetmenot-gateway setup --id \(gateway.id)"
        if let room = gateway.room { words += " --room \(shellQuoted(room))" }
        words += " --host \(shellQuoted(host)) --port \(gatewayPort)"
        if prefix != .standard { words += " --prefix \(shellQuoted(prefix.text))" }
        words += proof == .passwords ? " --password-stdin" : " --certificates-stdin"
        return "sudo cat \(secrets) | sudo \(words)"
    }

    private func line(forUser user: String, _ folder: SetupFolder) -> String {
        guard let secrets = secrets(of: user, folder) else { return gone(folder) }
        guard proof == .passwords else { return "its files are \(secrets)" }
        let keys = brokerKeys(of: user, in: .users, host: host, file: "forgetmenot").map {
            "\($0.key) = \($0.value)\\n"
        }.joined()
        return
            "mkdir -p ~/.config/forgetmenot && cd ~/.config/forgetmenot && umask 077 && sudo cat \(secrets) > forgetmenot.password"
            + " && printf %b \(shellQuoted("[mqtt]\\n" + keys)) > forgetmenot.toml"
    }

    /// The paths of a client's files, for a shell; `nil`: somebody has taken them along.
    ///
    /// Lines name the files and hold no secret: what is typed stays in the shell's history.
    private func secrets(of name: String, _ folder: SetupFolder) -> String? {
        let sources = files(of: name, for: name).map(\.source)
        return sources.allSatisfy(folder.has)
            ? sources.map { shellQuoted(folder.file($0)) }.joined(separator: " ") : nil
    }

    private func gone(_ folder: SetupFolder) -> String {
        "has been given its \(proof == .passwords ? "password" : "key"), which is no longer in \(folder.file("secrets"))"
    }
}

/// `text` as one word of a shell's.
private func shellQuoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
    return isPlain && !text.isEmpty
        ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
