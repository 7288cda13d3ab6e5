import Linux
import TestBroker

extension TestFolder {
    /// Every file that `broker-setup` has written into the folder `broker`, with its text.
    func brokerFiles() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for part in ["", "/secrets", "/authorities"] {
            let path = path("broker" + part)
            for name in try StateFolder(path: path).entries() {
                files["\(part)/\(name)"] = try? readFile(at: path + "/" + name)
            }
        }
        return files
    }
}
