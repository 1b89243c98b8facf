# SPDX-License-Identifier: MIT
"""A server with HEAD, GET, PUT, MKCOL and MOVE for the folder argv[1], on a free
port of the loopback device, which it writes to standard output.  PUT writes to
the file itself while the bytes come, as a careless server does.  Each request is
a line of the file argv[2]; with argv[3] PUT ends the connection after so many
bytes.  A request with AWS_ACCESS_KEY_ID is checked as an object store does:
its signature with AWS_SECRET_ACCESS_KEY, and the hash of what was sent.  For
others, as in WebDAV, a folder has to be there before what it holds."""
import hashlib
import hmac
import http.server
import os
import sys
import urllib.parse

root, log, cut = sys.argv[1], sys.argv[2], int((sys.argv + ["0"])[3])


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature(command, path, headers, signed, scope):
    """The signature of a request without a query, version 4 of AWS."""
    canonical = "\n".join(
        [command, path, ""]
        + [f"{name}:{headers[name].strip()}" for name in signed.split(";")]
        + ["", signed, headers["x-amz-content-sha256"]])
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = b"AWS4" + os.environ["AWS_SECRET_ACCESS_KEY"].encode()
    for part in scope.split("/"):
        key = digest(key, part)
    return digest(key, text).hex()


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

    def refused(self, body):
        """Whether the signature or the hash is wrong."""
        words = self.headers.get("Authorization", "")
        if not words.startswith("AWS4-HMAC-SHA256 "):
            return False
        given = dict(word.strip().split("=", 1)
                     for word in words.split(" ", 1)[1].split(","))
        key, scope = given["Credential"].split("/", 1)
        return (key != os.environ["AWS_ACCESS_KEY_ID"]
                or "x-amz-content-sha256" not in self.headers
                or self.headers["x-amz-content-sha256"]
                != hashlib.sha256(body).hexdigest()
                or signature(self.command, self.path, self.headers,
                             given["SignedHeaders"], scope)
                != given["Signature"])

    def do_HEAD(self):
        if self.refused(b""):
            self.answer(403)
        else:
            super().do_HEAD()

    def do_PUT(self):
        path = self.translate_path(self.path)
        if self.headers.get("Authorization"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        elif not os.path.isdir(os.path.dirname(path)):
            self.answer(409)
            self.close_connection = True
            return
        left = int(self.headers["Content-Length"])
        if self.headers.get("Expect"):
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        with open(path, "wb") as file:
            if cut:
                file.write(self.rfile.read(min(cut, left)))
                self.close_connection = True
                return
            body = self.rfile.read(left)
            file.write(body)
        if self.refused(body):
            os.remove(path)
            self.answer(403)
        else:
            self.answer(201)

    def do_MKCOL(self):
        path = self.translate_path(self.path)
        if os.path.isdir(path):
            self.answer(405)
        elif not os.path.isdir(os.path.dirname(path.rstrip("/"))):
            self.answer(409)
        else:
            os.mkdir(path)
            self.answer(201)

    def do_MOVE(self):
        to = urllib.parse.urlparse(self.headers["Destination"]).path
        os.replace(self.translate_path(self.path), self.translate_path(to))
        self.answer(201)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
