import Glibc

extension SystemError {
    /// What is wrong with a state folder, in a sentence without its end: `the state folder is full (cannot write /x: …)`.
    public var ofState: String {
        switch code {
        case ENOSPC, EDQUOT: "the state folder is full (\(self))"
        case EROFS: "the state folder is read-only (\(self))"
        case EACCES, EPERM: "the state folder is not ours to write (\(self))"
        default: "\(self)"
        }
    }
}
