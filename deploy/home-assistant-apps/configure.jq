# The configuration of $program from the app's options and the broker of Home Assistant. A text of JSON is a text of TOML as well.
def text: tojson;
.options as $options | .broker as $broker |
"# Made of the options of the app at each start.",
"state_directory = \($folder + "/state" | text)",
if $program == "forgetmenot-gateway" then
    "id = \($options.id | text)",
    (select($options.room != "") | "room = \($options.room | text)")
else
    "language = \($options.language // "en" | text)"
end,
"[mqtt]",
"host = \($broker.host | text)",
"port = \($broker.port)",
(select(($broker.username // "") != "") | "username = \($broker.username | text)", "password_file = \"broker.password\""),
(select($broker.ssl) | "ca_file = \"/etc/ssl/certs/ca-certificates.crt\""),
"[log]",
"level = \($options.log_level | text)",
if $program == "forgetmenot-gateway" then
    "[radio]",
    "source = \("bluez:" + $options.adapter | text)"
else
    "[page]",
    "address = \"0.0.0.0:8124\"",
    "ingress = true",
    (select($options.readers != []) | "ingress_readers = \($options.readers | text)"),
    ($options.phones[] |
        "[[channel]]",
        "person = \(.person | text)",
        "kind = \"homeassistant\"",
        "url = \"http://supervisor/core\"",
        "service = \(.service | text)",
        "token_file = \"supervisor.token\"")
end
