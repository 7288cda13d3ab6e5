import Beacons
import Glibc
import Hummingbird
import Messages

/// The plan, and its pictures.
extension Routes {
    var planRoutes: [Route] {
        [
            Route(.get, "api/v1/plan", .reader) { (_) throws(Refused) in
                guard let plan = planJSON(board.site) else { throw Refused(.notFound, "There is no plan.") }
                var json = JSONWriter()
                json.element(plan)
                return .json(json.bytes)
            },
            Route(.put, "api/v1/plan", .admin, mostBytes: PlanStore.mostBytes) { (call) throws(Refused) in
                let object = try call.object(limits: JSONLimits(bytes: PlanStore.mostBytes, elements: 1 << 16))
                let site = try plans.replace(with: object)
                board.replace(site)
                link.wake()
                // The aggregator reads its configuration again, as after `systemctl reload`.
                kill(getpid(), SIGHUP)
                return .nothing
            },
            Route(.post, "api/v1/plan/pictures", .admin, mostBytes: PlanStore.mostPictureBytes) {
                (call) throws(Refused) in
                let name = try plans.add(call.body)
                return .json(jsonObject { $0.field("name", name) }, status: .created)
            },
            Route(.get, "api/v1/plan/pictures/{name}", .reader) { (call) throws(Refused) in
                guard let picture = plans.picture(call.parameter("name")) else {
                    throw Refused(.notFound, "There is no such picture.")
                }
                // The name depends on the content.
                return Response(
                    status: .ok,
                    headers: [.contentType: picture.type, .cacheControl: "private, max-age=31536000, immutable"],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture.bytes)))
            },
        ]
    }
}
