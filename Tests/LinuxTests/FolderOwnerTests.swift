import Glibc
import Linux
import Testing

/// Who owns what root makes in the folder of a service's user.
@Suite(.enabled(if: geteuid() == 0, "skipped: only root can give files away"))
struct FolderOwnerTests {
    private static let (user, group): (uid_t, gid_t) = (4321, 4322)

    private func owner(_ path: String) -> uid_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_uid : nil
    }

    @Test func `a file that root makes belongs to the owner of its folder, and what is another's stays so`() throws {
        try withTemporaryFolder { folder in
            #expect(chown(folder, Self.user, Self.group) == 0)
            for _ in 1...2 {
                _ = try FileDescriptor(opening: folder + "/new", O_RDWR | O_CREAT, mode: 0o600)
                #expect(owner(folder + "/new") == Self.user)
            }
            #expect(chown(folder + "/new", 5432, 5432) == 0)
            _ = try FileDescriptor(opening: folder + "/new", O_RDWR | O_CREAT, mode: 0o600)
            #expect(owner(folder + "/new") == 5432)
        }
    }

    @Test func `a file of root's that has a second link in the folder stays root's, each time`() throws {
        try withTemporaryFolder { elsewhere in
            try replaceFile(at: elsewhere + "/victim", with: [1])
            try withTemporaryFolder { folder in
                #expect(chown(folder, Self.user, Self.group) == 0)
                try #require(link(elsewhere + "/victim", folder + "/state") == 0)
                for _ in 1...2 {
                    _ = try FileDescriptor(opening: folder + "/state", O_RDWR | O_CREAT, mode: 0o600)
                    #expect(owner(elsewhere + "/victim") == 0)
                }
                // With the link alone, the file is the folder's.
                unlink(elsewhere + "/victim")
                _ = try FileDescriptor(opening: folder + "/state", O_RDWR | O_CREAT, mode: 0o600)
                #expect(owner(folder + "/state") == Self.user)
            }
        }
    }

    @Test func `a file that root makes in a folder of root's stays root's`() throws {
        try withTemporaryFolder { folder in
            _ = try FileDescriptor(opening: folder + "/new", O_RDWR | O_CREAT, mode: 0o600)
            #expect(owner(folder + "/new") == 0)
        }
    }
}
