import Beacons
internal import CCrypto
import Linux
import PageConfiguration
import Settings

/// The functions of libcrypto that passwords and tokens need.
enum Secrets {
    /// The scrypt of a password (RFC 7914) with r = 8 and p = 1; `nil` if there is not enough memory.
    static func scrypt(_ password: String, salt: [UInt8], cost: Int) -> [UInt8]? {
        var hash = [UInt8](repeating: 0, count: 32)
        let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
        let isDone = EVP_PBE_scrypt(
            bytes, bytes.count, salt, salt.count, 1 << UInt64(cost), 8, 1, 256 << 20, &hash, hash.count)
        return isDone == 1 ? hash : nil
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(bytes, bytes.count, &digest)
        return digest
    }

    /// Whether both are equal; the time does not depend on where they differ.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }

    /// 32 random bytes from the kernel, as 64 hexadecimal digits.
    static func random() -> String { hexadecimal(randomBytes(32)) }

    static func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0 ... .max) }
    }
}

extension PageSettings.Password {
    /// The cost of new passwords: a guess takes 16 MB, and about 50 ms on a desktop.
    static let usualCost = 14

    /// A new password; `nil` if there is not enough memory.
    init?(hashing password: String) {
        let salt = Secrets.randomBytes(16)
        guard let hash = Secrets.scrypt(password, salt: salt, cost: Self.usualCost) else { return nil }
        self.init(cost: Self.usualCost, salt: salt, hash: hash)
    }

    func isMatched(by password: String) -> Bool {
        Secrets.scrypt(password, salt: salt, cost: cost).map { Secrets.areEqual($0, hash) } ?? false
    }
}

/// The lines for `[[page.user]]`: `forgetmenot page password`.
package func makePassword(user: String, role: PageSettings.Role) throws(Failure) -> ExitStatus {
    guard !user.isEmpty else { throw Failure(.usage, "the user's name is empty: write one") }
    let password: String
    if let terminal = Terminal() {
        guard let first = terminal.askSecret("Password for \(user)"), first.count >= 8 else {
            throw Failure(.usage, "the password is shorter than 8 characters: choose a longer one")
        }
        guard terminal.askSecret("Once more") == first else {
            throw Failure(.usage, "the two passwords differ: run the command again")
        }
        password = first
    } else {
        let bytes = (try? readInput(at: "/dev/stdin", limit: 4096)) ?? []
        let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        guard line.count >= 8 else {
            throw Failure(.usage, "the password on standard input is shorter than 8 characters: choose a longer one")
        }
        password = line
    }
    guard let hashed = PageSettings.Password(hashing: password) else {
        throw Failure(.unavailable, "the password cannot be hashed: there is not enough memory")
    }
    printLines("[[page.user]]\nname = \(tomlText(user))\npassword = \"\(hashed)\"\nrole = \"\(role.rawValue)\"")
    return .right
}

/// A new token, and the lines for `[[page.token]]`: `forgetmenot page token`.
package func makeToken(name: String, role: PageSettings.Role) -> ExitStatus {
    let token = Secrets.random()
    let digest = hexadecimal(Secrets.sha256(Array(token.utf8)))
    printError("The token, which nothing stores: \(token)")
    printLines("[[page.token]]\nname = \(tomlText(name))\nsha256 = \"\(digest)\"\nrole = \"\(role.rawValue)\"")
    return .right
}
