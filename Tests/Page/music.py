"""Music in the house, by a real Music Player Daemon that nobody hears."""

import os
import socket
import struct
import tempfile
import zlib
from pathlib import Path

from house import asked_gateway

TITLE = "<img src=x onerror=document.title='broken'>\u202eOne"
SHOWN = TITLE.replace("\u202e", "\ufffd")


def prepare(home):
    home.player = Path(home.enter_context(tempfile.TemporaryDirectory(prefix="vitals-mpd-")))
    home.gateway_lines += f'music: {{ player: "{home.player}/socket" }},\n'


class Player:
    """Music Player Daemon with songs of silence. Its library has the songs of the database that is written here, because mpd makes one
    only while the machine has nothing else to do. What is in no database is named by its whole path, which mpd takes only from somebody
    at its socket."""

    def __init__(self, home):
        self.folder = home.player
        (self.folder / "music/folder").mkdir(parents=True)
        (self.folder / "music/folder/three.mp3").write_bytes(song("Three", "Cy"))
        (self.folder / "database").write_text(
            "info_begin\nformat: 2\nmpd_version: 0.23.12\nfs_charset: UTF-8\ntag: Artist\ntag: Title\ninfo_end\n"
            "directory: folder\nmtime: 1\nbegin: folder\n"
            + "".join(f"song_begin: {name}\nTime: 60.000000\nArtist: Cy\nTitle: {title}\nmtime: 1\nsong_end\n"
                      for name, title in [("three.mp3", "Three"), *((f"{n}.mp3", f"Many {n}") for n in range(60))])
            + "end: folder\n")
        configuration = self.folder / "mpd.conf"
        configuration.write_text(
            f'music_directory "{self.folder}/music"\ndb_file "{self.folder}/database"\nbind_to_address "{self.folder}/socket"\n'
            'zeroconf_enabled "no"\nauto_update "no"\nmetadata_to_use "artist,title"\n'
            'audio_output {\n type "null"\n name "nobody hears it"\n}\n')
        program = home.start("mpd", ["mpd", "--no-daemon", "--stderr", configuration])
        home.wait(program, "mpd listens", (self.folder / "socket").exists)

    def add(self, name, song):
        file = self.folder / name
        file.write_bytes(song)
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(str(self.folder / "socket"))
            said = link.makefile("rwb")
            assert said.readline().startswith(b"OK MPD")
            said.write(f'add "file://{file}"\n'.encode())
            said.flush()
            answer = said.readline()
            assert answer == b"OK\n", answer


def song(title, artist, seconds=60, picture=b""):
    """A song of silence, as MP3 with a tag (ID3v2.4)."""
    def size(count):
        return bytes(count >> shift & 0x7F for shift in (21, 14, 7, 0))

    def frame(name, content):
        return name + size(len(content)) + bytes(2) + content
    frames = frame(b"TIT2", b"\3" + title.encode()) + frame(b"TPE1", b"\3" + artist.encode())
    if picture:
        frames += frame(b"APIC", b"\0image/png\0\3\0" + picture)
    # MPEG 1, layer III, 32 kbit/s, 44.1 kHz, mono: 1,152 samples in 104 bytes.
    silence = b"\xff\xfb\x10\xc4" + bytes(100)
    return b"ID3\4\0\0" + size(len(frames)) + frames + silence * (seconds * 44_100 // 1152)


def cover():
    """A picture of more than one part: coloured noise, 96 pixels wide and high."""
    rows = b"".join(b"\0" + os.urandom(3 * 96) for _ in range(96))

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 96, 96, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def hears_music(trial):
    page, home = trial.browser, trial.home
    page.press("Music")
    page.see("Music Player Daemon cannot be reached")
    trial.look("music-without-player")
    player = Player(home)
    page.see("Empty Playlist", "h2", 30)
    trial.look("music-of-nothing")
    fills_playlist(trial)
    player.add("one.mp3", song(TITLE, "Ada", picture=cover()))
    player.add("two.mp3", song("Two", "Ben"))
    page.see("Two", ".row b")
    page.press("Play")
    page.see("Track 1 of 2")
    page.see(SHOWN, ".player b")
    page.wait("the artwork is shown", lambda: page.run("return document.querySelector('.cover img')?.naturalWidth === 96"))
    page.wait("it can be paused", lambda: page.all("[aria-label='Pause']"))
    page.see("0:0", ".pair")
    trial.look("music")
    page.press("Pause")
    page.wait("it can be played", lambda: page.all("[aria-label='Play']"))
    assert asked_gateway(home, "music")[0]["state"] == "paused"
    page.press("Next track")
    page.see("Two", ".player b")
    page.wait("there is no artwork", lambda: not page.all(".cover img"))
    page.press("Previous track")
    page.see(SHOWN, ".player b")
    page.type("Look for a track", "be")
    page.wait("one track is found", lambda: [row.text for row in page.all("vitals-tracks .row b")] == ["Two"])
    page.press("Play Two")
    page.see("Two", ".player b")
    assert asked_gateway(home, "music")[0]["track"]["title"] == "Two"
    page.type("Look for a track", "nobody")
    page.see("No track is called that.")


def fills_playlist(trial):
    page, home = trial.browser, trial.home
    library = "//vitals-library"

    def found():
        return [row.text for row in page.all("vitals-library .row b")]
    page.press("Search", library)
    page.see("Empty Fields", "vitals-library")
    page.type("Search the library", "folder")
    page.press("Search", library)
    page.see("No track of the library has these words.")
    page.type("Search the library", "many cy")
    page.press("Search", library)
    page.wait("a page is found", lambda: len(found()) == 50)
    page.press("Show more", library)
    page.wait("all are found", lambda: len(found()) == 60)
    assert not [one for one in page.all("vitals-library .btn") if one.text == "Show more"]
    page.type("Search the library", "THREE")
    page.press("Search", library)
    page.wait("one track is found", lambda: found() == ["Three"])
    for count in (1, 2):
        page.press("Add Three to the playlist")
        page.see("Tracks added to playlist", ".toast")
        page.wait("it is in the playlist", lambda: len(page.all("vitals-tracks .row")) == count)
    trial.look("music-library")
    for count in (1, 0):
        page.press("Remove Three from the playlist")
        page.see("Track removed from the playlist", ".toast")
        page.wait("it is not in the playlist", lambda: asked_gateway(home, "music")[0]["length"] == count)
        if count:
            page.wait("nor is it shown", lambda: len(page.all("vitals-tracks .row")) == count)
    page.see("Empty Playlist", "h2")


def has_workouts_play_it(trial):
    page, home = trial.browser, trial.home
    box = "My workouts start and pause the music"
    page.press(box)
    page.wait("the workouts play it", lambda: asked_gateway(home, "music", "auto")[0]["workouts"] is True)
    page.press(box)
    page.wait("the workouts leave it", lambda: asked_gateway(home, "music", "auto")[0]["workouts"] is False)
    page.press("Today")
    trial.waits_for_heart()


STEPS = [hears_music, has_workouts_play_it]
