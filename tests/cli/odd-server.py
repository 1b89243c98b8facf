#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A debuginfod server with a fault:

    odd-server.py file PATH       answers every request with the file
    odd-server.py debuginfo PATH  has the debug file, but no sections
    odd-server.py truncated PATH  sends the first half of the file
    odd-server.py endless         sends bytes without end
    odd-server.py silent          never answers

It prints its port, and runs until it is killed.
"""
import http.server
import socketserver
import sys
import time

how = sys.argv[1]
body = open(sys.argv[2], "rb").read() if len(sys.argv) > 2 else b""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if how == "silent":
            time.sleep(600)
        if how == "debuginfo" and not self.path.endswith("/debuginfo"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        if how != "endless":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            if how == "truncated":
                self.wfile.write(body[:len(body) // 2])
            elif how == "endless":
                while True:
                    self.wfile.write(bytes(65536))
            else:
                self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
