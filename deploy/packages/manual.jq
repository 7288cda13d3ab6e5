# A manual page (man 7 man) of what `PROGRAM --experimental-dump-help` says.
#   PROGRAM --experimental-dump-help | jq -r --arg version 1.0.0 --arg files "…" --rawfile commands Commands.md -f manual.jq
# Commands.md of the reference has the table of exit statuses.
def text: gsub("\\\\"; "\\e") | gsub("-"; "\\-") | gsub("(?m)^(?<c>['.])"; "\\&\(.c)");
def name: if .kind == "long" then "\\-\\-" + (.name | text) else "\\-" + .name end;
def value: if .kind == "option" or .kind == "positional" then "\\fI" + ((.valueName // "value") | text) + "\\fR" else "" end;
def default: if .defaultValue and ((.abstract // "") | contains("(default") | not) then " (default: \(.defaultValue | text))" else "" end;
def option:
  ".TP\n"
  + (if .kind == "positional" then value
     else ([.names[] | "\\fB" + name + "\\fR"] | join(", ")) + (if .kind == "option" then " " + value else "" end) end)
  + "\n" + (((.abstract // "") | text) + default + (if .discussion then " " + (.discussion | text) else "" end)) + "\n";
def options: [.arguments[]? | select(.shouldDisplay and ([.names[]?.name] | any(. == "help" or . == "version") | not))] | map(option) | join("");
def command($prefix):
  ".SS \($prefix | text)\n"
  + ((.abstract // "") | text) + "\n"
  + (if .discussion then ".PP\n" + (.discussion | text) + "\n" else "" end) + options
  + ([.subcommands[]? | select(.commandName != "help" and .shouldDisplay) | command($prefix + " " + .commandName)] | join(""));
.command
| ".TH \"\(.commandName | ascii_upcase | text)\" 1 \"\" \"Forgetmenot \($version)\"\n"
+ ".SH NAME\n\(.commandName | text) \\- \(.abstract | sub("\\.$"; "") | text)\n"
+ ".SH SYNOPSIS\n\\fB\(.commandName | text)\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n"
+ ".SH COMMANDS\n"
+ (. as $root | [.subcommands[] | select(.commandName != "help" and .shouldDisplay) | command(.commandName)] | join(""))
+ ".SH EXIT STATUS\n"
+ ([$commands | scan("(?m)^\\| ([0-9]+) \\| (.*) \\|$") | ".TP\n\(.[0])\n\(.[1] | gsub("`"; "") | text)\n"] | join(""))
+ ".SH FILES\n\($files | text)\n"
