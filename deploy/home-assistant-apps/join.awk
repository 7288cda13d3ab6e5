# Prints two files of TOML as one: the app's own, and the user's. A table that both have stands once, with the keys of both.
# Editors of some systems write a byte order mark.
FNR == 1 { file++; table = ""; sub(/^\357\273\277/, "") }
/^[ \t]*\[[ \t]*["']?[a-z_]+["']?[ \t]*\][ \t]*(#.*)?\r?$/ {
    table = $0
    gsub(/[ \t\r"']|#.*/, "", table)
    if (file == 1) { order[++tables] = table; next }
    rest = rest $0 "\n" keys[table]
    delete keys[table]
    next
}
/^[ \t]*\[\[/ { table = "[[" }
table == "" { top = top $0 "\n"; next }
file == 1 && table != "[[" { keys[table] = keys[table] $0 "\n"; next }
{ rest = rest $0 "\n" }
END {
    printf "%s", top
    for (i = 1; i <= tables; i++) if (order[i] in keys) printf "%s\n%s", order[i], keys[order[i]]
    printf "%s", rest
}
