import SiteCore
import Beacons
import History
import Glibc
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Linux
import Logging
import NIOCore
import NIOPosix
import PostgreSQL
import Settings
import Synchronization

/// The web page and the HTTP interface, beside the service in the same process, on threads of their own.
public final class Page: Sendable {
    /// How long to wait before the page tries again to bind to its address.
    private static let pause = Duration.seconds(10)
    /// Reads the configuration, with the text of a plan or of receiver offsets instead of those that are stored.
    public typealias Reader =
        @Sendable (_ plan: [UInt8]?, _ offsets: [UInt8]?) throws(SettingsError) -> AggregatorConfiguration

    private struct State {
        var problem: String?
        var tasks: [Task<Void, Never>] = []
        var feeds: [HistoryFeed] = []
        var link: Link?
        var board: Board?
        var tls: TLSFiles?
        /// Why a renewed certificate is not used, in a sentence.
        var tlsProblem: String?
    }

    private let state = Mutex(State())
    private let connections = Connections()
    private let configuration: AggregatorConfiguration
    private let read: Reader
    private let logger: Logger

    /// A page that is not started.
    ///
    /// - Parameters:
    ///   - isVerbose: whether debug lines are logged, whatever `log.level` is.
    ///   - read: reads the configuration again.
    public init(_ configuration: AggregatorConfiguration, isVerbose: Bool, read: @escaping Reader) {
        self.configuration = configuration
        self.read = read
        logger = .forService("forgetmenot", configuration.log.level, isVerbose: isVerbose)
    }

    /// Why there is no page, and why a history is not complete, a sentence each; `nil` if all is well.
    public var problem: String? {
        let problems = state.withLock { [$0.problem, $0.tlsProblem] + $0.feeds.map(\.problem) }.compactMap { $0 }
        return problems.isEmpty ? nil : problems.joined(separator: " ")
    }

    /// Starts the page. It retries by itself; a failure never stops the service.
    public func start() {
        let settings = configuration.page
        guard settings.isEnabled || configuration.history.isEnabled else { return }
        let board = Board(configuration.site, isOpen: settings.isOpen, isShown: settings.isEnabled)
        do throws(Failure) {
            let link = try Link(configuration.broker, board: board, respondsToStays: configuration.history.isEnabled)
            let history = openHistory()
            link.history = history
            let feeds = history.map(feeds(of:)) ?? []
            for feed in feeds { link.feed(feed) }
            try link.start()
            var tasks = feeds.map { feed in Task.detached { await feed.run(board, link) } }
            if settings.isEnabled { tasks.append(Task.detached { [self] in await serve(board, link, history) }) }
            state.withLock { ($0.tasks, $0.link, $0.board, $0.feeds) = (tasks, link, board, feeds) }
        } catch {
            state.withLock { $0.problem = "The page cannot start: \(error)." }
        }
    }

    /// Opens the history. A damaged file is set aside: what it has may be the only copy.
    private func openHistory() -> HistoryStore? {
        guard configuration.history.isEnabled else { return nil }
        let folder = StateFolder(path: configuration.stateDirectory)
        let path = folder.file("history.sqlite")
        do throws(Failure) {
            try? folder.make()
            if HistoryStore.isDamaged(at: path), let aside = try? setAside(path) {
                logger.error("\(path) is damaged: it is set aside as \(aside), and a new history begins")
                for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            }
            // SQLite gives its other files the mode of this one.
            close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640))
            return try HistoryStore(at: path)
        } catch {
            state.withLock { $0.problem = "There is no history: \(error)." }
            logger.error("There is no history: \(error)")
            return nil
        }
    }

    /// What fills the history, and its copy in PostgreSQL if there is one.
    private func feeds(of history: HistoryStore) -> [HistoryFeed] {
        var feeds = [HistoryFeed(history, configuration.history, logger)]
        if let address = configuration.history.database {
            let site = configuration.history.site ?? configuration.prefix.text
            feeds.append(
                HistoryFeed(
                    HistoryCopy(at: address, site: site), name: "The copy of the history in PostgreSQL",
                    remedy: "look at the database server", configuration.history, logger,
                    forgotten: { try history.forgotten() }))
        }
        return feeds
    }

    /// Applies the plan and the items of a configuration that was read again.
    public func reload(_ configuration: AggregatorConfiguration) {
        let (board, link) = state.withLock { ($0.board, $0.link) }
        board?.replace(configuration.site)
        link?.wake()
        reloadCertificate()
    }

    /// Reads the certificate again, which may have been renewed.
    private func reloadCertificate() {
        guard let tls = state.withLock(\.tls) else { return }
        var problem: String?
        do throws(Failure) { try tls.reload() } catch {
            problem = "The page goes on with its former certificate: \(error)."
            logger.error("The page goes on with its former certificate: \(error)")
        }
        state.withLock { $0.tlsProblem = problem }
    }

    /// The server of HTTP, with TLS if there is a certificate.
    private func server(_ settings: PageSettings) throws -> HTTPServerBuilder {
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [ConnectionWatch(self.connections)],
                idleTimeout: .seconds(60),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)))
        guard let files = settings.tls else { return plain }
        let tls = try TLSFiles(files)
        state.withLock { $0.tls = tls }
        return try .tls(plain, tlsConfiguration: tls.configuration)
    }

    /// Ends the page; streams end at once.
    public func stop() {
        let (tasks, link, board) = state.withLock { ($0.tasks, $0.link, $0.board) }
        for task in tasks { task.cancel() }
        board?.endStreams()
        link?.stop()
    }

    private func serve(_ board: Board, _ link: Link, _ history: HistoryStore?) async {
        let settings = configuration.page
        let accounts = Accounts(settings)
        let routes = Routes(
            board: board, link: link, accounts: accounts, settings: settings, assets: AssetFiles(), store: history,
            surveys: SurveyRun(link: link, board: board),
            plans: PlanStore(StateFolder(path: configuration.stateDirectory), read: read),
            offsets: OffsetStore(StateFolder(path: configuration.stateDirectory), read: read))
        let responder = Responder(
            settings, accounts: accounts, counters: board.counters, outgoing: board.outgoing, connections: connections,
            routes: routes.all)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var silent = Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
        silent.logLevel = .critical
        while !Task.isCancelled {
            do {
                let application = Application(
                    responder: responder, server: try server(settings),
                    configuration: ApplicationConfiguration(
                        address: .hostname(settings.host, port: settings.port),
                        availableConnectionsDelegate: MaximumAvailableConnections(Connections.most)),
                    onServerRunning: { [self] channel in running(settings, at: channel.localAddress?.port) },
                    eventLoopGroupProvider: .shared(group), logger: silent)
                try await application.run()
            } catch {
                guard !Task.isCancelled else { return }
                let problem: String
                if let failure = error as? Failure {
                    problem = "There is no page: \(failure)."
                } else {
                    let reason =
                        (error as? IOError)?.errnoCode == EADDRINUSE ? "another program uses the port" : "\(error)"
                    problem =
                        "There is no page: \(settings.host):\(settings.port) cannot be bound (\(reason)); write another page.address."
                }
                if state.withLock({ $0.problem.exchange(problem) }) != problem { logger.error("\(problem)") }
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func running(_ settings: PageSettings, at port: Int?) {
        state.withLock { $0.problem = nil }
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        logger.notice(
            "The page is at \(settings.tls == nil ? "http" : "https")://\(host):\(port ?? settings.port)\(settings.basePath)"
        )
    }
}

extension Optional {
    /// Replaces the value and returns the former one.
    fileprivate mutating func exchange(_ value: Wrapped?) -> Wrapped? {
        defer { self = value }
        return self
    }
}
