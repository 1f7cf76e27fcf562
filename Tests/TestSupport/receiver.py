#!/usr/bin/env python3
"""Takes what is pushed to it: a web server on a free port of a loopback address. Prints `port N`, then each request as a line of JSON.

    receiver.py ADDRESS

Its standard input says how it answers from then on. It confirms each line with `ok`, an empty one, too, which changes nothing:
whoever reads that has read every request that was answered before.

    status N        with this status          redirect URL    that it is to be had there
    hang            not at all: `gone` is printed when whoever waits has gone
    hold            as the next line says, when that has come

Ends with its standard input.
"""

import http.server
import json
import os
import select
import sys
import threading

answer = ["status", "200"]
changed = threading.Condition()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        print(json.dumps({"method": self.command, "path": self.path, "headers": headers, "body": body}), flush=True)
        self.close_connection = True
        with changed:
            changed.wait_for(lambda: answer[0] != "hold")
        word, *more = answer
        if word == "hang":
            select.select([self.connection], [], [])
            print("gone", flush=True)
            return
        self.send_response(307 if word == "redirect" else int(more[0]))
        if word == "redirect":
            self.send_header("Location", more[0])
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_PUT = do_POST


server = http.server.ThreadingHTTPServer((sys.argv[1], 0), Handler)
server.daemon_threads = True
print("port", server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
for line in sys.stdin:
    with changed:
        answer = line.split() or answer
        changed.notify_all()
    print("ok", flush=True)
os._exit(0)
