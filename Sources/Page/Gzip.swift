internal import CZlib
import Hummingbird

/// The compressed bytes, whole.
func gzipped(_ buffer: ByteBuffer, level: Int32) -> ByteBuffer {
    Gzip(level: level).compressed(buffer, until: Z_FINISH)
}

/// Compresses one response, as a whole or part by part.
final class Gzip {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// - Parameters:
    ///   - level: from 1, the quickest, to 9, the smallest.
    ///   - windowBits: the binary logarithm of the bytes that are searched for repetitions: 9 to 15.
    ///   - memoryLevel: 1 to 9; with the window, `2^(windowBits + 2) + 2^(memoryLevel + 9)` bytes are in use.
    init(level: Int32, windowBits: Int32 = 15, memoryLevel: Int32 = 8) {
        stream.initialize(to: z_stream())
        // 16: with the header of gzip. The last argument and the version let zlib check that both sides mean the same structure.
        let size = Int32(MemoryLayout<z_stream>.size)
        let status = deflateInit2_(
            stream, level, Z_DEFLATED, windowBits + 16, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard status == Z_OK else { fatalError("zlib has no memory") }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The next part of the response: who has it can read all of it.
    ///
    /// - Parameter flush: `Z_FINISH` if it is the last one.
    func compressed(_ buffer: ByteBuffer, until flush: Int32 = Z_SYNC_FLUSH) -> ByteBuffer {
        var output = ByteBuffer()
        buffer.withUnsafeReadableBytes { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            var isFull = true
            while isFull {
                let space = Int(deflateBound(stream, UInt(stream.pointee.avail_in)))
                output.writeWithUnsafeMutableBytes(minimumWritableBytes: space) { space in
                    stream.pointee.next_out = space.bindMemory(to: UInt8.self).baseAddress
                    stream.pointee.avail_out = UInt32(space.count)
                    _ = deflate(stream, flush)
                    return space.count - Int(stream.pointee.avail_out)
                }
                isFull = stream.pointee.avail_out == 0
            }
        }
        return output
    }
}

extension HTTPFields {
    /// Whether the client of these headers takes gzip.
    var acceptGzip: Bool {
        (self[.acceptEncoding] ?? "").split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " } }
            return parts.first == "gzip" && !parts.dropFirst().contains { $0.wholeMatch(of: /q=0(\.0*)?/) != nil }
        }
    }
}

extension Response {
    /// The smallest body that is worth compressing, in bytes.
    private static let leastCompressed = 1024

    /// The same response with a compressed body, if that is a list or a report; what is compressed already stays as it is, and a stream compresses itself.
    func compressed() async throws -> Response {
        let types = ["application/json", "text/csv", "text/plain"]
        guard headers[.contentEncoding] == nil, let type = headers[.contentType], types.contains(where: type.hasPrefix),
            body.contentLength.map({ $0 >= Self.leastCompressed }) ?? true
        else { return self }
        let whole = WholeBody()
        try await body.write(whole)
        guard whole.buffer.readableBytes >= Self.leastCompressed else {
            return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: whole.buffer))
        }
        var fields = headers
        fields[.contentLength] = nil
        fields[.contentEncoding] = "gzip"
        fields[.vary] = "Accept-Encoding"
        return Response(
            status: status, headers: fields, body: ResponseBody(byteBuffer: gzipped(whole.buffer, level: 4)))
    }
}

/// Collects a body that is written in parts.
private final class WholeBody: ResponseBodyWriter {
    private(set) var buffer = ByteBuffer()

    func write(_ part: ByteBuffer) { buffer.writeImmutableBuffer(part) }
    func finish(_: HTTPFields?) {}
}
