# SPDX-License-Identifier: MIT
"""A server with HEAD, GET, PUT, MKCOL and MOVE for the folder argv[1], on a free
port of the loopback device, which it writes to standard output.  PUT writes to
the file itself while the bytes come, as a careless server does.  Each request is
a line of the file argv[2]; with argv[3] PUT ends the connection after so many
bytes."""
import http.server
import os
import sys
import urllib.parse

root, log, cut = sys.argv[1], sys.argv[2], int((sys.argv + ["0"])[3])


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=root)

    def log_message(self, *arguments):
        pass

    def send_response(self, code, message=None):
        with open(log, "a") as file:
            signed = self.headers.get("Authorization", "").split(" ")[0]
            file.write(f"{self.command} {code} {self.path} {signed}\n")
        super().send_response(code, message)

    def answer(self, code):
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_PUT(self):
        path = self.translate_path(self.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        left = int(self.headers["Content-Length"])
        if self.headers.get("Expect"):
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        with open(path, "wb") as file:
            if cut:
                file.write(self.rfile.read(min(cut, left)))
                self.close_connection = True
                return
            file.write(self.rfile.read(left))
        self.answer(201)

    def do_MKCOL(self):
        path = self.translate_path(self.path)
        self.answer(405 if os.path.isdir(path) else 201)
        os.makedirs(path, exist_ok=True)

    def do_MOVE(self):
        to = urllib.parse.urlparse(self.headers["Destination"]).path
        os.replace(self.translate_path(self.path), self.translate_path(to))
        self.answer(201)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
