#!/usr/bin/env python3
"""Reads a configuration link as one of OwnTracks' apps does, and prints the JSON in it.

    config_link.py android LINK    as java.net.URLDecoder and Kotlin's Base64 (LoadViewModel.kt)
    config_link.py ios LINK        as NSURLComponents and NSData (OwnTracksAppDelegate.m)
"""
import base64
import re
import sys
import urllib.parse


def main(app, link):
    scheme, rest = link.split(":", 1)
    assert scheme == "owntracks" and rest.startswith("///config?"), "no configuration link"
    query = rest.removeprefix("///config?")
    # What a query may hold (RFC 3986, 3.4): java.net.URI and NSURL refuse a link with anything else.
    assert re.fullmatch(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*", query), "not allowed in a query"
    assert "&" not in query, "more than one parameter"
    name, value = query.split("=", 1)
    assert name == "inline", "no inline configuration"
    value = urllib.parse.unquote_plus(value) if app == "android" else urllib.parse.unquote(value)
    return base64.b64decode(value, validate=True).decode()


if __name__ == "__main__":
    sys.stdout.write(main(*sys.argv[1:]))
