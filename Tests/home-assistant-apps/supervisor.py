#!/usr/bin/python3
"""What an app sees of Home Assistant's supervisor: its API at port 80, and the page in the sidebar (ingress) at port 8123.

supervisor.py FOLDER APP: FOLDER has mqtt.json (the broker; without it there is none), and gets notified.log, a line for each call of a notify
service. Each request of the sidebar goes on to the address APP, as the user that the cookie names.
"""
import http.client
import http.server
import json
import os
import sys
import threading

ADDRESS = "172.30.32.2"
TOKEN = "the supervisor's token"
INGRESS = "/api/hassio_ingress/SESSION"
folder, app = sys.argv[1:]


class Api(http.server.BaseHTTPRequestHandler):
    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def is_known(self):
        if self.headers["Authorization"] == f"Bearer {TOKEN}":
            return True
        self.reply(401, {"result": "error"})
        return False

    def do_GET(self):
        path = os.path.join(folder, "mqtt.json")
        if not self.is_known():
            return
        if self.path == "/services/mqtt" and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return self.reply(200, {"result": "ok", "data": json.load(file)})
        self.reply(400, {"result": "error", "message": "Service not enabled"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.is_known():
            with open(os.path.join(folder, "notified.log"), "a", encoding="utf-8") as file:
                print(self.path, body.decode(), file=file)
            self.reply(200, [])

    def log_message(self, *_):
        pass


class Ingress(http.server.BaseHTTPRequestHandler):
    # The headers that the supervisor sets itself, or does not pass on.
    OWN = ("host", "connection", "transfer-encoding", "content-length", "x-remote-user-id", "x-remote-user-name",
           "x-remote-user-display-name", "x-ingress-path")

    def pass_on(self):
        if not self.path.startswith(INGRESS + "/"):
            return self.send_error(404)
        user = (self.headers["Cookie"] or "user=anna").split("user=")[-1]
        headers = {name: value for name, value in self.headers.items() if name.lower() not in self.OWN}
        headers |= {"X-Ingress-Path": INGRESS, "X-Remote-User-Id": f"id-of-{user}", "X-Remote-User-Name": user,
                    "X-Remote-User-Display-Name": user.capitalize()}
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        upstream = http.client.HTTPConnection(app, timeout=60, source_address=(ADDRESS, 0))
        upstream.request(self.command, self.path[len(INGRESS):], body or None, headers)
        response = upstream.getresponse()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in ("connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while part := response.read1(65536):
                self.wfile.write(part)
                self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.close_connection = True

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = pass_on

    def log_message(self, *_):
        pass


api = http.server.ThreadingHTTPServer((ADDRESS, 80), Api)
threading.Thread(target=api.serve_forever, daemon=True).start()
http.server.ThreadingHTTPServer((ADDRESS, 8123), Ingress).serve_forever()
