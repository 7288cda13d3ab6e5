import Channels
import Glibc
import History
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Linux
import Logging
import NIOCore
import NIOPosix
import PageConfiguration
import PostgreSQL
import Settings
import SiteCore
import Synchronization

/// The web page and the HTTP interface, beside the service in the same process, on threads of their own.
package final class Page: Sendable {
    /// How long to wait before the page tries again to bind to its address.
    private static let pause = Duration.seconds(10)
    /// Reads the configuration, with the text of a plan or of receiver offsets instead of those that are stored.
    package typealias Reader =
        @Sendable (_ plan: [UInt8]?, _ offsets: [UInt8]?) throws(SettingsError) -> AggregatorConfiguration

    private struct State {
        var problem: String?
        var historyProblem: String?
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
    private let settings: PageSettings
    private let historySettings: HistorySettings
    private let read: Reader
    private let subscriptions: SubscriptionStore
    private let logger: Logger

    /// A page that is not started. If it is verbose, debug lines are logged, whatever `log.level` is.
    package init(_ configuration: ServiceConfiguration, isVerbose: Bool, read: @escaping Reader) {
        (self.configuration, settings) = (configuration.aggregator, configuration.page)
        historySettings = configuration.history
        subscriptions = SubscriptionStore(
            StateFolder(path: self.configuration.stateDirectory), at: settings.pushServices)
        self.read = read
        logger = .forService("forgetmenot", self.configuration.log.level, isVerbose: isVerbose)
    }

    /// Why there is no page, and why a history is not complete, a sentence each; `nil` if all is well.
    package var problem: String? {
        let problems = state.withLock {
            [$0.problem, $0.tlsProblem, $0.historyProblem] + $0.feeds.map(\.problem)
        }.compactMap { $0 }
        return problems.isEmpty ? nil : problems.joined(separator: " ")
    }

    /// Starts the page. It retries by itself; a failure never stops the service.
    package func start() {
        guard settings.isEnabled || historySettings.isEnabled else { return }
        let board = Board(configuration.site, needsSignIn: settings.needsSignIn, isShown: settings.isEnabled)
        do throws(Failure) {
            let link = try Link(
                configuration.broker, board: board, respondsToStays: historySettings.isEnabled,
                standby: configuration.standby?.name, personRemoved: { [self] in unsubscribe(of: $0) })
            try link.start()
            var tasks: [Task<Void, Never>] = []
            if historySettings.isEnabled {
                tasks.append(Task.detached { [self] in await followHistory(board, link) })
            }
            if settings.isEnabled { tasks.append(Task.detached { [self] in await serve(board, link) }) }
            state.withLock { ($0.tasks, $0.link, $0.board) = (tasks, link, board) }
        } catch {
            state.withLock { $0.problem = "The page cannot start: \(error)." }
        }
    }

    /// Opens the history, and fills it until the end. The service and the page do not wait for that: a large file takes its time.
    private func followHistory(_ board: Board, _ link: Link) async {
        while !Task.isCancelled {
            do {
                let history = try await openHistory(for: link)
                state.withLock { $0.historyProblem = nil }
                if let problem = history.problem { logger.error("\(problem)") }
                let feeds = feeds(of: history)
                state.withLock { $0.feeds = feeds }
                for feed in feeds { link.feed(feed) }
                return await withTaskGroup { group in
                    for feed in feeds { group.addTask { await feed.run(board, link) } }
                }
            } catch {
                let problem = "There is no history: \(error)."
                if state.withLock({ $0.historyProblem.exchange(problem) }) != problem { logger.error("\(problem)") }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    private func openHistory(for link: Link) async throws -> HistoryStore {
        let folder = StateFolder(path: configuration.stateDirectory)
        return try await NIOThreadPool.singleton.runIfActive {
            try? folder.make()
            let history = try HistoryStore(at: folder.file("history.sqlite"))
            link.history = history
            if !history.isSound() { try history.beginAnew() }
            return history
        }
    }

    /// What fills the history, and its copy in PostgreSQL if there is one.
    private func feeds(of history: HistoryStore) -> [HistoryFeed] {
        let standby = configuration.standby?.name
        var feeds = [HistoryFeed(history, historySettings, standby: standby, logger)]
        if let address = historySettings.database {
            let site = historySettings.site ?? configuration.prefix.text
            feeds.append(
                HistoryFeed(
                    HistoryCopy(at: address, site: site), name: "The copy of the history in PostgreSQL",
                    historySettings, standby: standby, logger, on: threadOfCopies,
                    forgotten: { try history.forgotten() }))
        }
        return feeds
    }

    /// Applies the plan and the items of a configuration that was read again; returns the tables that only the next start takes up.
    package func reload(_ configuration: ServiceConfiguration) -> [String] {
        let (board, link) = state.withLock { ($0.board, $0.link) }
        // Read once more: the page may have stored a plan since this configuration was read.
        board?.siteFiles.withLock { _ in board?.replace((try? read(nil, nil).site) ?? configuration.aggregator.site) }
        link?.wake()
        reloadCertificate()
        return (configuration.page == settings ? [] : ["[page]"])
            + (configuration.history == historySettings ? [] : ["[history]"])
    }

    /// Removes a subscription that its browser has ended. If that fails, the next message to it tries again.
    package func unsubscribe(_ subscription: PushSubscription) { unsubscribe(subscription.id, of: subscription.person) }

    /// Removes the subscriptions for messages to a person, or one of them.
    private func unsubscribe(_ id: String? = nil, of person: String) {
        Task.detached { [subscriptions] in try? subscriptions.remove(id, of: person) }
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
    private func server() throws -> HTTPServerBuilder {
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
    package func stop() {
        let (tasks, link, board) = state.withLock { ($0.tasks, $0.link, $0.board) }
        for task in tasks { task.cancel() }
        board?.endStreams()
        link?.stop()
    }

    private func serve(_ board: Board, _ link: Link) async {
        let accounts = Accounts(settings)
        let routes = Routes(
            board: board, link: link, accounts: accounts, settings: settings, assets: AssetFiles(),
            surveys: SurveyRun(link: link, board: board),
            plans: PlanStore(StateFolder(path: configuration.stateDirectory), read: read),
            offsets: OffsetStore(StateFolder(path: configuration.stateDirectory), read: read),
            subscriptions: subscriptions)
        let responder = Responder(routes, connections: connections)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var silent = Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
        silent.logLevel = .critical
        while !Task.isCancelled {
            do {
                let application = Application(
                    responder: responder, server: try server(),
                    configuration: ApplicationConfiguration(
                        address: .hostname(settings.host, port: settings.port),
                        availableConnectionsDelegate: MaximumAvailableConnections(Connections.most)),
                    onServerRunning: { [self] channel in running(at: channel.localAddress?.port) },
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

    private func running(at port: Int?) {
        state.withLock { $0.problem = nil }
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        logger.notice(
            "The page is at \(settings.tls == nil ? "http" : "https")://\(host):\(port ?? settings.port)\(settings.basePath)"
        )
        if let gap = settings.lacksAdmin { logger.warning("\(gap)") }
    }
}

extension Optional {
    /// Replaces the value and returns the former one.
    fileprivate mutating func exchange(_ value: Wrapped?) -> Wrapped? {
        defer { self = value }
        return self
    }
}
