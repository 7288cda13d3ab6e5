import Beacons
import CCrypto
import Messages

/// The request that brings a message to a browser over its push service: the service reads neither the message nor what it is about.
struct PushRequest {
    /// All messages up to this size, in bytes, are equally long for the push service.
    static let padding = 2048
    /// The most bytes of a message: push services take bodies of 4096 bytes (RFC 8030, section 7.2), of which 103 are not
    /// the message's.
    static let most = 3993
    /// How long the site's signature is valid. A day is the longest that push services accept (RFC 8292, section 2).
    private static let validity = Interval.seconds(12 * 3600)

    let subscription: PushSubscription
    /// The key of the site.
    let key: PrivateKey
    /// The page's URL, through which the operator of a push service finds the site's owner. Apple refuses requests without one.
    let contact: String?

    /// The request.
    ///
    /// - Parameters:
    ///   - topic: what the message is about. The service replaces a message on which the browser has not fetched yet.
    ///   - timeToLive: how long the service tries.
    func request(
        _ message: [UInt8], topic: String, timeToLive: Interval, isUrgent: Bool, at now: WallTime,
        using random: inout some RandomNumberGenerator
    ) -> HTTPRequest {
        let name = authenticationCode(of: Array(topic.utf8), by: subscription.secret).prefix(18)
        return HTTPRequest(
            url: subscription.endpoint,
            headers: [
                "TTL: \(Int(timeToLive.seconds))", "Urgency: \(isUrgent ? "high" : "normal")",
                "Topic: \(base64URL(Array(name)))",
                "Authorization: vapid t=\(token(at: now)),k=\(base64URL(key.publicKey))",
                "Content-Encoding: aes128gcm", "Content-Type: application/octet-stream",
            ],
            body: encrypted(
                message, paddedTo: Self.padding, salt: randomBytes(16, using: &random), by: PrivateKey(using: &random)),
            isAttached: true)
    }

    /// The signed token of RFC 8292.
    func token(at now: WallTime) -> String {
        let claims = jsonObject { json in
            json.field("aud", String(subscription.origin))
            json.field("exp", (now + Self.validity).milliseconds / 1000)
            json.field("sub", contact)
        }
        let signed = base64URL(Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8)) + "." + base64URL(claims)
        return signed + "." + base64URL(key.signature(of: Array(signed.utf8)))
    }

    /// The message in one record of RFC 8188, encrypted by RFC 8291 with a key and a salt that serve once.
    func encrypted(_ message: [UInt8], paddedTo length: Int = 0, salt: [UInt8], by own: PrivateKey) -> [UInt8] {
        precondition(message.count <= Self.most, "push services take no larger message")
        let points = subscription.publicKey + own.publicKey
        let common = authenticationCode(of: own.sharedSecret(with: subscription.publicKey), by: subscription.secret)
        let input = authenticationCode(of: Array("WebPush: info\0".utf8) + points + [1], by: common)
        let material = authenticationCode(of: input, by: salt)
        let key = authenticationCode(of: Array("Content-Encoding: aes128gcm\0\u{1}".utf8), by: material).prefix(16)
        let nonce = authenticationCode(of: Array("Content-Encoding: nonce\0\u{1}".utf8), by: material).prefix(12)
        let record = message + [2] + [UInt8](repeating: 0, count: max(0, length - message.count))
        return salt + [0, 0, 0x10, 0, 65] + own.publicKey + sealed(record, by: Array(key), nonce: Array(nonce))
    }

    /// AES-128-GCM, with the tag behind the bytes.
    private func sealed(_ bytes: [UInt8], by key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        var (result, tag, count) = (
            [UInt8](repeating: 0, count: bytes.count), [UInt8](repeating: 0, count: 16), Int32(0)
        )
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        let isDone =
            EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1
            && EVP_EncryptUpdate(context, &result, &count, bytes, Int32(bytes.count)) == 1
            && EVP_EncryptFinal_ex(context, &tag, &count) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
        precondition(isDone, "there is no memory")
        return result + tag
    }
}
