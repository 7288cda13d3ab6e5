import Glibc
import Hummingbird
import Messages
import SiteCore

extension Routes {
    var gatewayRoutes: [Route] {
        [
            Route(.patch, "api/v1/gateways/{gateway}", .admin, mostBytes: 4096) { (call) throws(Refused) in
                let id = call.parameter("gateway")
                guard board.hasGateway(id) else { throw Refused(.notFound, "There is no gateway \"\(id)\".") }
                let object = try call.object()
                try object.refuseOthers(than: "rssi_offset_db")
                guard let value = object["rssi_offset_db"] else {
                    throw Refused(.badRequest, "The body has no \"rssi_offset_db\".")
                }
                let range = PageOffsets.range
                var offset: Double?
                if value != .null {
                    offset = value.double.map { ($0 * 10).rounded() / 10 }
                    guard let offset, range.contains(offset) else {
                        throw Refused(
                            .badRequest,
                            "\"rssi_offset_db\" is neither null nor a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))."
                        )
                    }
                }
                guard board.site.gateways.first(where: { $0.id == id })?.rssiOffset == nil else {
                    throw Refused(.conflict, "aggregator.toml sets the receiver offset of \(id): change it there.")
                }
                try offsets.set(offset, of: id, on: board)
                link.wake()
                // The aggregator reads its configuration again, as after `systemctl reload`.
                kill(getpid(), SIGHUP)
                return .nothing
            },
            Route(.delete, "api/v1/gateways/{gateway}", .admin) { (call) throws(Refused) in
                _ = try await link.ask(.removeGateway, NameOrID(name: call.parameter("gateway")))
                return .nothing
            },
        ]
    }
}
