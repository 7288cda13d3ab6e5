# Which Debian has the Python that a Home Assistant wants, and where all of it is kept. To be sourced, with $here set.
base=$(cd "$here/../.." && pwd)/.build/homeassistant
suite_of() {
    case $1 in
    2025.[1-9]*) echo trixie ;;
    2026.[1-9]*) echo forky ;;
    *) return 64 ;;
    esac
}
python_of() { case $1 in trixie) echo python3.13 ;; forky) echo python3.14 ;; esac; }
