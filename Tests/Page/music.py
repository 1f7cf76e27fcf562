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
    """Music Player Daemon with songs of silence. What is in no database is named by its whole path, which mpd takes only from somebody at
    its socket."""

    def __init__(self, home):
        self.folder = home.player
        (self.folder / "music").mkdir()
        configuration = self.folder / "mpd.conf"
        configuration.write_text(
            f'music_directory "{self.folder}/music"\ndb_file "{self.folder}/database"\nbind_to_address "{self.folder}/socket"\n'
            'zeroconf_enabled "no"\nauto_update "no"\n'
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
    page.wait("one track is found", lambda: [row.text for row in page.all(".rows .row b")] == ["Two"])
    page.press("Play Two")
    page.see("Two", ".player b")
    assert asked_gateway(home, "music")[0]["track"]["title"] == "Two"
    page.type("Look for a track", "nobody")
    page.see("No track is called that.")


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
