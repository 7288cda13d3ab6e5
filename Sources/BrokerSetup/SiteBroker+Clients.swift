import Glibc
import Linux
import Messages
import Settings

// The settings and command lines for clients.
extension SiteBroker {
    /// The keys of a client's [mqtt] table with TOML values. The names of the files beside its configuration begin with `file`.
    func brokerKeys(of name: String, in group: Group, host: String, file: String) -> [(key: String, value: String)] {
        let tls = tls(at: host)
        let port = group == .gateways ? tls?.gateways ?? gatewayPort : tls?.users ?? port
        var keys = [("host", tomlText(host)), ("port", "\(port)")]
        if prefix != .standard { keys.append(("prefix", tomlText(prefix.text))) }
        switch proof {
        case .passwords:
            keys += [("username", tomlText(name)), ("password_file", "\"\(file).password\"")]
            if tls != nil { keys += [("ca_file", "\"\(file)-ca.crt\""), ("verify_hostname", "false")] }
        case .certificates:
            keys += [
                ("ca_file", "\"\(file)-ca.crt\""), ("certificate_file", "\"\(file).crt\""),
                ("key_file", "\"\(file).key\""),
            ]
        }
        return keys
    }

    /// The ports on which a client with a password that reaches the broker at `host` uses TLS; `nil` without TLS, as on this machine.
    func tls(at host: String) -> TLSPorts? { host == "localhost" ? nil : tls }

    /// The files that a client needs: their names in the folder, and their names beside the client's configuration, `file`.toml.
    func files(of name: String, for file: String, host: String) -> [(source: String, name: String)] {
        switch proof {
        case .passwords:
            [("secrets/\(name).password", "\(file).password")]
                + (tls(at: host) == nil ? [] : [("ca.crt", "\(file)-ca.crt")])
        case .certificates:
            [
                ("ca.crt", "\(file)-ca.crt"), ("secrets/\(name).crt", "\(file).crt"),
                ("secrets/\(name).key", "\(file).key"),
            ]
        }
    }

    /// What to do on the broker's machine, line by line.
    func brokerInstructions(_ folder: SetupFolder) -> [String] {
        [
            "", "The broker, on this machine:",
            "  sudo ln -sf \(shellQuoted(folder.file("mosquitto.conf"))) /etc/mosquitto/conf.d/forgetmenot.conf && sudo systemctl restart mosquitto",
        ]
    }

    private static let copying = "On another machine copy these files there, and cat the copies."

    /// What to do for the clients, line by line.
    ///
    /// - Parameter invited: the clients whose lines are printed; if empty, all clients.
    func instructions(_ folder: SetupFolder, for invited: Set<String>) -> [String] {
        var lines: [String] = []
        let asked = gateways.filter { invited.isEmpty || invited.contains($0.id) }
        for gateway in asked { lines += ["", "Gateway \(gateway.id):", "  " + line(for: gateway, folder)] }
        if !asked.isEmpty {
            lines += [
                "",
                tls(at: host) == nil && proof == .passwords
                    ? "On another machine run only the part after \"|\": it asks for the password, which is in that file."
                    : Self.copying,
            ]
        }
        let people = users.filter { invited.isEmpty || invited.contains($0) }
        let userPort = tls(at: host)?.users ?? port
        for user in people { lines += ["", "User \(user), port \(userPort):", "  " + line(forUser: user, folder)] }
        if !people.isEmpty, proof == .passwords {
            lines += [
                "",
                tls(at: host) == nil
                    ? "Without sudo, or on another machine, run only the part after \"|\", and type the password."
                    : Self.copying,
            ]
        }
        if host == "localhost" {
            lines += [
                "",
                "These lines work only on this machine. For other machines, run this again with --host NAME, the broker's name or address.",
            ]
        }
        if proof == .passwords, tls == nil, bind != "127.0.0.1" {
            lines += ["", "Passwords cross the network unencrypted: use --tls."]
        }
        return lines
    }

    private func line(for gateway: Gateway, _ folder: SetupFolder) -> String {
        guard let secrets = secrets(of: gateway.id, folder) else { return gone(folder) }
        let words = setupWords(of: gateway, host: host).map { shellQuoted($0) }.joined(separator: " ")
        return "sudo cat \(secrets) | sudo \(words)"
    }

    /// The program with its arguments that sets a gateway up. It reads the password or the certificates from standard input.
    func setupWords(of gateway: Gateway, host: String) -> [String] {
        var words = ["forgetmenot-gateway", "setup", "--id", gateway.id]
        if let room = gateway.room { words += ["--room", room] }
        words += ["--host", host, "--port", "\(tls(at: host)?.gateways ?? gatewayPort)"]
        if prefix != .standard { words += ["--prefix", prefix.text] }
        return words + [proof == .passwords ? "--password-stdin" : "--certificates-stdin"]
    }

    private func line(forUser user: String, _ folder: SetupFolder) -> String {
        guard let secrets = secrets(of: user, folder) else { return gone(folder) }
        guard proof == .passwords else { return "its files are \(secrets)" }
        return "sudo cat \(secrets) | sh -c \(shellQuoted(accessScript(for: user, host: host)))"
    }

    /// The shell's script that writes a user's files in the user's home. It reads the password from standard input.
    func accessScript(for user: String, host: String) -> String {
        let keys = brokerKeys(of: user, in: .users, host: host, file: "forgetmenot").map {
            "\($0.key) = \($0.value)\\n"
        }.joined()
        // Everything is read first: without it, the user's files stay as they are.
        let (authority, own) =
            tls(at: host) == nil
            ? ("", "") : (" && ca=$(cat) && [ -n \"$ca\" ]", " && printf \"%s\\n\" \"$ca\" > forgetmenot-ca.crt")
        return
            "umask 077 && { [ ! -t 0 ] || printf \"Password: \"; } && IFS= read -r password\(authority) && mkdir -p ~/.config/forgetmenot"
            + " && cd ~/.config/forgetmenot && printf \"%s\\n\" \"$password\" > forgetmenot.password"
            + own
            + " && printf %b \(shellQuoted("[mqtt]\\n" + keys)) > forgetmenot.toml"
    }

    /// The paths of a client's files, quoted for a shell; `nil` if the files were moved away.
    ///
    /// The lines name the files and contain no secret, because the shell's history stores every line.
    private func secrets(of name: String, _ folder: SetupFolder) -> String? {
        let sources = files(of: name, for: name, host: host).map(\.source)
        return sources.allSatisfy(folder.has)
            ? sources.map { shellQuoted(folder.file($0)) }.joined(separator: " ") : nil
    }

    private func gone(_ folder: SetupFolder) -> String {
        "already has its \(proof == .passwords ? "password" : "key"), which is no longer in \(folder.file("secrets"))"
    }
}
