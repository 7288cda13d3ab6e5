import CMosquitto

extension BrokerOptions {
    /// The current password in the file, without the newline at its end; `nil` if the options name no file.
    func password() throws(FileProblem) -> String? {
        guard let passwordFile else { return nil }
        var bytes = try readOptionFile(passwordFile, as: .passwordFile, isSecret: true)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "\n")),
            let password = String(validating: bytes, as: UTF8.self)
        else { throw FileProblem(.passwordFile, "\(passwordFile) does not hold one line with a password") }
        return password
    }

    /// The current problems of the files, at most one per file.
    func fileProblems() -> [FileProblem] {
        var problems: [FileProblem] = []
        func check(_ body: () throws(FileProblem) -> Void) {
            do throws(FileProblem) { try body() } catch { problems.append(error) }
        }
        check { () throws(FileProblem) in _ = try password() }
        if let caFile {
            check { () throws(FileProblem) in _ = try readOptionFile(caFile, as: .caFile, isSecret: false) }
        }
        if let certificateFile {
            check { () throws(FileProblem) in
                _ = try readOptionFile(certificateFile, as: .certificateFile, isSecret: false)
            }
        }
        if let keyFile {
            check { () throws(FileProblem) in _ = try readOptionFile(keyFile, as: .keyFile, isSecret: true) }
        }
        let unreadable = Set(problems.map(\.setting))
        if caFile != nil {
            check { () throws(FileProblem) in try checkTLS(except: unreadable) }
        }
        return problems
    }

    /// Loads the files into OpenSSL like libmosquitto does, because OpenSSL reports what is wrong with them.
    private func checkTLS(except unreadable: Set<BrokerMistake.Setting>) throws(FileProblem) {
        guard let context = SSL_CTX_new(TLS_client_method()) else { return }
        defer {
            SSL_CTX_free(context)
            ERR_clear_error()
        }
        // There is no terminal for a passphrase, so a key with a passphrase is unusable.
        SSL_CTX_set_default_passwd_cb(context, refusePassphrase)

        if let caFile, !unreadable.contains(.caFile), SSL_CTX_load_verify_locations(context, caFile, nil) != 1 {
            throw FileProblem(.caFile, "\(caFile) contains no certificate (PEM)")
        }
        guard let certificateFile, !unreadable.contains(.certificateFile) else { return }
        guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
            throw FileProblem(.certificateFile, "\(certificateFile) contains no certificate (PEM)")
        }
        guard let keyFile, !unreadable.contains(.keyFile) else { return }
        ERR_clear_error()
        let isKey = SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1
        let isMismatch = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH
        guard isKey || isMismatch else {
            throw FileProblem(.keyFile, "\(keyFile) contains no key (PEM, without passphrase)")
        }
        guard isKey, SSL_CTX_check_private_key(context) == 1 else {
            throw FileProblem(.keyFile, "\(keyFile) is not the key of \(certificateFile)")
        }
    }
}

/// OpenSSL's callback for a passphrase, which returns none.
let refusePassphrase: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
    _, _, _, _ in 0
}
