import Glibc

/// Prints a line that is there at once, also where standard output is a file.
func printNow(_ line: String) {
    print(line)
    fflush(nil)
}
