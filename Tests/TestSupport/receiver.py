#!/usr/bin/env python3
"""Takes what is pushed to it: a web server on a free port of a loopback address. Prints `port N`, then each request as a line of JSON.

    receiver.py ADDRESS

Its standard input says how it answers from then on. It confirms each line with `ok`, an empty one, too, which changes nothing:
whoever reads that has read every request that was answered before.

    status N        with this status          redirect URL    that it is to be had there
    hang            not at all: `gone` is printed when whoever waits has gone
    drop            not at all: the connection is closed
    hold            as the next line says, when that has come
    body TEXT       with this in it from now on; anything else about it stays

Ends with its standard input.
"""

import http.server
import json
import os
import select
import sys
import threading

answer = ["status", "200"]
body = b"{}"
changed = threading.Condition()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode(errors="replace")
        headers = {name.lower(): value for name, value in self.headers.items()}
        print(json.dumps({"method": self.command, "path": self.path, "headers": headers, "body": asked}), flush=True)
        self.close_connection = True
        with changed:
            changed.wait_for(lambda: answer[0] != "hold")
        word, *more = answer
        if word == "drop":
            return
        if word == "hang":
            select.select([self.connection], [], [])
            print("gone", flush=True)
            return
        self.send_response(307 if word == "redirect" else int(more[0]))
        if word == "redirect":
            self.send_header("Location", more[0])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST


server = http.server.ThreadingHTTPServer((sys.argv[1], 0), Handler)
server.daemon_threads = True
print("port", server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
for line in sys.stdin:
    with changed:
        if line.startswith("body "):
            body = line.removeprefix("body ").strip().encode()
        else:
            answer = line.split() or answer
        changed.notify_all()
    print("ok", flush=True)
os._exit(0)
