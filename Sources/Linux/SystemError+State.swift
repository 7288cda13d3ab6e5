import Glibc

extension SystemError {
    /// What is wrong with a state folder, and what comes of it, in one sentence: the same for every file in it, so that it is said once.
    public func sentence(ofState folder: StateFolder) -> String {
        let what =
            switch code {
            case ENOSPC, EDQUOT: "the state folder \(folder.path) is full"
            case EROFS: "the state folder \(folder.path) is read-only"
            case EACCES, EPERM: "the state folder \(folder.path) is not ours to write"
            default: "\(self)"
            }
        return what + ": it goes on in memory, and a restart may cost what happened since"
    }
}
