import Glibc

extension SystemError {
    /// One sentence on a problem with a state folder and its consequence. The sentence is equal for every file of the
    /// folder, so that it is logged once.
    package func sentence(ofState folder: StateFolder) -> String {
        let what =
            switch code {
            case ENOSPC, EDQUOT: "the state folder \(folder.path) is full"
            case EROFS: "the state folder \(folder.path) is read-only"
            case EACCES, EPERM: "the state folder \(folder.path) is not writable for this user"
            default: "\(self)"
            }
        return what + ": data stays in memory only, and a restart may lose it"
    }
}
