import Glibc
import Hummingbird
import Messages

extension Routes {
    var planRoutes: [Route] {
        [
            Route(.get, "api/v1/plan", .reader) { (call) throws(Refused) in
                let site = board.site
                guard site.rooms.contains(where: { $0.polygon != nil }) else {
                    throw Refused(.notFound, "There is no plan.")
                }
                let tag = "\"\(site.planRevision)\""
                var response =
                    call.headers.hasKnown(tag) ? Response(status: .notModified) : Response.json(site.planJSON)
                response.headers[.eTag] = tag
                return response
            },
            Route(.put, "api/v1/plan", .admin, mostBytes: PlanStore.mostBytes) { (call) throws(Refused) in
                let object = try call.object(limits: JSONLimits(bytes: PlanStore.mostBytes, elements: 1 << 16))
                let match = call.headers[.ifMatch]
                // A proxy that compresses makes the revision a weak one.
                let revision = try plans.replace(with: object, on: board) {
                    match == nil || match == "*" || match!.contains("\"\($0)\"")
                }
                link.wake()
                // The aggregator reads its configuration again, as after `systemctl reload`.
                kill(getpid(), SIGHUP)
                var response = Response.nothing
                response.headers[.eTag] = "\"\(revision)\""
                return response
            },
            Route(.get, "api/v1/placement", .reader) { (_) throws(Refused) in
                // Without the aggregator the plan suffices.
                let surveys = (try? await link.ask(.learning, Nothing()).surveys) ?? []
                guard let placement = await placements.placement(board.site, surveys) else {
                    throw Refused(.notFound, "The plan has fewer than two rooms with an outline and a gateway.")
                }
                return .json(placement.writeFields)
            },
            Route(.post, "api/v1/plan/pictures", .admin, mostBytes: PlanStore.mostPictureBytes) {
                (call) throws(Refused) in
                let name = try plans.add(call.body, on: board)
                return .json(status: .created) { $0.field("name", name) }
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
