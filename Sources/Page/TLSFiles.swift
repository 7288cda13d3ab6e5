import Linux
import NIOCore
import NIOSSL
import PageConfiguration
import Synchronization

/// The certificate of the page and its key, which may be renewed while the page runs.
final class TLSFiles: Sendable {
    /// The limit of each file in bytes.
    static let mostBytes = 1 << 20

    /// A certificate with its authorities, and its key.
    private struct Identity: Sendable {
        var chain: [NIOSSLCertificateSource]
        var key: NIOSSLPrivateKeySource
    }

    private let settings: PageSettings.TLS
    private let identity: Mutex<Identity>

    /// Reads both files; throws one sentence if they cannot be used.
    init(_ settings: PageSettings.TLS) throws(Failure) {
        self.settings = settings
        identity = Mutex(try Self.read(settings))
    }

    /// Reads both files again. If they cannot be used, the former certificate stays.
    func reload() throws(Failure) {
        let new = try Self.read(settings)
        identity.withLock { $0 = new }
    }

    /// What the server needs; each connection gets the certificate of its time.
    var configuration: TLSConfiguration {
        let current = identity.withLock { $0 }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: current.chain, privateKey: current.key)
        configuration.applicationProtocols = ["http/1.1"]
        configuration.sslContextCallback = { [self] _, promise in
            var override = NIOSSLContextConfigurationOverride()
            let current = identity.withLock { $0 }
            (override.certificateChain, override.privateKey) = (current.chain, current.key)
            promise.succeed(override)
        }
        return configuration
    }

    private static func read(_ settings: PageSettings.TLS) throws(Failure) -> Identity {
        let (certificateFile, keyFile) = (settings.certificateFile, settings.keyFile)
        func bytes(_ path: String) throws(Failure) -> [UInt8] {
            do { return try readFile(at: path, limit: mostBytes) } catch {
                throw Failure(.configuration, "\(path): cannot be read by this user: \(error.reason)")
            }
        }
        let (certificateText, keyText) = (try bytes(certificateFile), try bytes(keyFile))
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificateText), !chain.isEmpty else {
            throw Failure(
                .configuration, "\(certificateFile): has no certificate in PEM: write the file with the full chain")
        }
        guard let key = try? NIOSSLPrivateKey(bytes: keyText, format: .pem) else {
            throw Failure(.configuration, "\(keyFile): has no private key in PEM without a passphrase")
        }
        let identity = Identity(chain: chain.map { .certificate($0) }, key: .privateKey(key))
        do {
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: identity.chain, privateKey: identity.key))
        } catch {
            throw Failure(
                .configuration,
                "\(keyFile): is not the key of \(certificateFile): write the pair that was issued together")
        }
        return identity
    }
}

/// Checks the certificate and the key of the page; throws one sentence if they cannot be used.
package func checkTLSFiles(_ settings: PageSettings) throws(Failure) {
    guard settings.isEnabled, let tls = settings.tls else { return }
    _ = try TLSFiles(tls)
}
