# What a publisher has in the folder `publisher`: a key, that of a thief, and a server with a certificate: a file to source in a network of
# one's own.
site=$publisher/site host=forgetmenot.invalid url=https://forgetmenot.invalid/debian; mkdir "$site"
export GNUPGHOME=$publisher/gpg; mkdir -m 700 "$GNUPGHOME"
for name in publisher thief; do gpg --batch --quiet --passphrase '' --quick-generate-key "$name@$host" ed25519 sign never 2>/dev/null; done
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$host" -addext "subjectAltName=DNS:$host" \
    -keyout "$publisher/key" -out "$publisher/certificate" 2>/dev/null
python3 - "$site" "$publisher" <<'PYTHON' >"$publisher/log" 2>&1 &
import functools, http.server, ssl, sys
site, publisher = sys.argv[1:]
# A connection that ends without TLS's own end is an error for apt; this one stays open for the next file.
http.server.SimpleHTTPRequestHandler.protocol_version = "HTTP/1.1"
server = http.server.ThreadingHTTPServer(("", 443), functools.partial(http.server.SimpleHTTPRequestHandler, directory=site))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{publisher}/certificate", f"{publisher}/key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
PYTHON
server=$!
publish() { deploy/packages/repository.sh publisher@$host $url "$site/debian" "$@"; }
