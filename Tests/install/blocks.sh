# The blocks of commands of README, the install page and the page Privacy, one file each in the folder `blocks`. Blocks
# with a language are none. A file to source.
mkdir -p "$blocks/run"
awk -v folder="$blocks" '/^ *```/{if (on) {on = 0} else {n++; on = /```$/ ? 1 : 2}; next}
    on == 1{sub(/^ +/, ""); print > sprintf("%s/%02d", folder, n)}' README.md deploy/docs/install.md Documentation/Forgetmenot.docc/Rules/Privacy.md
# block WORD : the block that has this word.
block() {
    local found
    found=$(cd "$blocks" && grep -l -- "$1" [0-9]*) && [ "$(wc -l <<<"$found")" = 1 ] && touch "$blocks/run/$found" && cat "$blocks/$found"
}
