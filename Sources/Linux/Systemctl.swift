import Glibc

/// Whether systemd runs this machine's services.
package var isSystemdRunning: Bool { access("/run/systemd/system", F_OK) == 0 }

/// Runs systemctl with these words, the last of which is the unit. Throws a sentence if it fails.
package func systemctl(_ words: String...) throws(Failure) {
    guard try isRight(words) else {
        throw Failure(
            .unavailable, "systemctl \(words.joined(separator: " ")) failed: see journalctl -u \(words.last ?? "")")
    }
}

package func isServiceActive(_ unit: String) throws(Failure) -> Bool { try isRight(["is-active", unit]) }

/// Whether a service runs, and starts with the machine.
package func isServiceRunning(_ unit: String) throws(Failure) -> Bool {
    for word in ["is-active", "is-enabled"] {
        guard try isRight([word, unit]) else { return false }
    }
    return true
}

private func isRight(_ words: [String]) throws(Failure) -> Bool {
    // What it prints besides is no error: which links it has made.
    let program = try orFail(.unavailable) { try Subprocess(["systemctl"] + words, input: [], errors: "/dev/null") }
    return program.waitForEnd() == .exited(0)
}
