"""What a power cut may leave of a folder: recorded by strace, rebuilt at any instant.

A program runs unmodified under strace (`traced`), which writes down every call that changes files in its state folder,
every flush, and every byte that it sends by TCP; `read_trace` makes of that a list of events in the order in which they
happened. `Disk` follows the events and knows two things of each file: what a flush has made durable, and which operations
came after that. `Disk.cut` draws one of the many states in which a power cut at this instant might leave the folder.

What the model takes for granted, which is what a journalling file system (ext4 with data=ordered, its default) on a disk
with sectors of 512 bytes gives at least:

- fsync or fdatasync of a file, once it has returned, has made durable what was written to that file before it began, and
  its length. While it has not returned, nothing of it counts. Nothing else is promised by it: not the file's own name.
- Of what was written after that, each sector is there or not, independently and in any order: a write of several sectors
  may be there, absent, or torn. A sector is never half there. Of several writes to the same sector, one that is there
  brings the ones before it along, since they met in the same page of memory.
- A file's length after the last flush is any that it had since then, or one between two of them, at a sector's end; what
  of it was not written are zeros. A truncation that is not there means that nothing that was written after it is there:
  the journal keeps that order.
- A flush that fails (EIO) tells of it once: the kernel takes what it could not write for written, and no later flush of the
  file takes it to the disk. It may be there or not, for good, unless its page is written to again.
- Names that were made, changed or removed since the last fsync of their folder are there up to any one of them, in order;
  a rename is whole or not at all.

SQLite's -shm file is shared memory that SQLite makes anew: it is left out.
"""

import dataclasses
import os
import re
from pathlib import Path

import wire

SECTOR = 512
PAGE = 4096
CALLS = ("openat open creat write pwrite64 writev pwritev pwritev2 ftruncate truncate fallocate rename renameat renameat2 "
         "unlink unlinkat link linkat fsync fdatasync sync_file_range close sendto sendmsg sendmmsg").split()


def traced(command, output, *options):
    """The command under strace, as a child that is the program itself: signals reach it, and strace ends after it."""
    return ["strace", *options, "-D", "-f", "--seccomp-bpf", "-ttt", "-T", "-yy", "-xx", "-s", "1000000", "-e",
            "trace=" + ",".join(f"?{x}" for x in CALLS), "-o", output, *command]


@dataclasses.dataclass
class Event:
    """One thing that happened. `kind`: write, truncate, open, link, unlink, rename, flush-begin, flush-end,
    flush-failed, send."""

    kind: str
    #: Unix seconds.
    at: float
    path: str = ""
    offset: int = 0
    data: bytes = b""
    #: With truncate the length; with open the flags; with flush-end and flush-failed their flush-begin.
    value: object = None
    #: With link and rename the new name.
    target: str = ""


_LINE = re.compile(rb"^(\d+) +(\d+\.\d+) (.*)$", re.DOTALL)
_CALL = re.compile(rb"^(\w+)\((.*)$", re.DOTALL)
_RESUMED = re.compile(rb"^<\.\.\. (\w+) resumed>(.*)$", re.DOTALL)
_RESULT = re.compile(rb" = (-?\d+|\?)(?:<([^>]*)>)?[^=]*$", re.DOTALL)
_FILE = re.compile(rb"^(-?\d+)<([^>]*)>")
_TEXT = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"')
_PATH = re.compile(rb"(?:\\x[0-9a-f]{2})*")
_DURATION = re.compile(rb" <(\d+\.\d+)>$")
_UNFINISHED = b" <unfinished ...>"


def unhex(text):
    return bytes.fromhex(text.replace(b"\\x", b"").decode())


def path_of(text):
    """The path of an open file; empty for what is none. A device's number may follow, which is left out."""
    return unhex(_PATH.match(text)[0]).decode(errors="replace")


class TraceReader:
    """Makes events of one strace output. Paths in it are absolute, or those of an open file."""

    def __init__(self, folder):
        self.folder = str(folder) + "/"
        self.events = []
        self._calls = {}
        self._positions = {}

    def read(self, path):
        with open(path, "rb") as lines:
            for line in lines:
                if match := _LINE.match(line.rstrip(b"\n")):
                    self._line(match[1], float(match[2]), match[3])
        return self.events

    def _line(self, thread, at, text):
        if match := _RESUMED.match(text):
            call = self._calls.pop(thread, None)
            if call is not None:
                self._end(*call, match[2], at)
        elif match := _CALL.match(text):
            name, rest = match[1].decode(), match[2]
            if rest.endswith(_UNFINISHED):
                rest = rest.removesuffix(_UNFINISHED)
                self._calls[thread] = (name, rest, self._begin(name, rest, at))
            else:
                event = self._begin(name, rest, at)
                duration = _DURATION.search(rest)
                self._end(name, rest, event, rest, at + float(duration[1]) if duration else at)

    def _ours(self, path):
        return path.startswith(self.folder) and not path.endswith("-shm") or path == self.folder.rstrip("/")

    def _file(self, rest):
        match = _FILE.match(rest)
        if not match:
            return None, ""
        inside = match[2]
        if inside.startswith(b"TCP"):
            return int(match[1]), inside.decode()
        return int(match[1]), path_of(inside)

    def _begin(self, name, rest, at):
        """The event of a call that begins; None where it does not concern us, or only its end does."""
        event = None
        if name in ("write", "pwrite64", "sendto"):
            number, path = self._file(rest)
            is_socket = path.startswith("TCP")
            if not is_socket and not self._ours(path):
                return None
            data = unhex(_TEXT.search(rest)[1])
            if is_socket:
                event = Event("send", at, path, data=data)
            elif name == "pwrite64":
                offset = re.search(rb", (\d+)\)?(?: += .*)?$", rest)
                event = Event("write", at, path, int(offset[1]), data)
            else:
                event = Event("write", at, path, self._positions.get((number, path), 0), data)
                self._positions[number, path] = event.offset + len(data)
        elif name in ("ftruncate", "fallocate"):
            _, path = self._file(rest)
            if self._ours(path):
                if name == "fallocate":
                    raise ValueError("fallocate is not modelled")
                event = Event("truncate", at, path, value=int(re.search(rb">, (\d+)", rest)[1]))
        elif name in ("fsync", "fdatasync"):
            _, path = self._file(rest)
            if self._ours(path):
                event = Event("flush-begin", at, path)
        elif name in ("writev", "pwritev", "pwritev2", "sendmsg", "sendmmsg", "truncate", "sync_file_range"):
            _, path = self._file(rest)
            if path.startswith("TCP") or self._ours(path):
                raise ValueError(f"{name} is not modelled")
        elif name in ("unlink", "link", "rename", "unlinkat", "linkat", "renameat", "renameat2"):
            paths = [unhex(x).decode() for x in _TEXT.findall(rest)]
            if self._ours(paths[0]):
                event = Event(re.match("[a-z]+?(?=at|$)", name)[0], at, paths[0], target=paths[-1])
        if event is not None:
            self.events.append(event)
        return event

    def _end(self, name, begun, event, rest, at):
        result = _RESULT.search(rest)
        value = None if result is None or result[1] == b"?" else int(result[1])
        if name in ("openat", "open", "creat") and value is not None and value >= 0:
            path = path_of(result[2])
            if self._ours(path) and path != self.folder.rstrip("/"):
                self._positions[value, path] = 0
                self.events.append(Event("open", at, path, value=begun))
        if event is None:
            return
        if event.kind == "flush-begin" and value is not None and value < 0:
            self.events.append(Event("flush-failed", at, event.path, value=event))
        elif value is not None and value < 0:
            event.kind = "failed"
        elif event.kind in ("write", "send") and value is not None and value < len(event.data):
            event.data = event.data[:value]
        elif event.kind == "flush-begin" and value == 0:
            self.events.append(Event("flush-end", at, event.path, value=event))


class File:
    """What of a file is durable, and what has happened to it since, as (offset, data) and (length, None)."""

    def __init__(self, durable=b""):
        self.durable = bytearray(durable)
        self.pending = []
        #: (offset, data, whether it was flushed) from the first failed flush on.
        self.doubtful = []

    def flushed(self, count, succeeded=True):
        """The first `count` of the operations have become durable, or, where the flush failed, perhaps never will."""
        if self.doubtful or not succeeded:
            self.doubtful += [(offset, data, succeeded) for offset, data in self.pending[:count]]
        else:
            for offset, data in self.pending[:count]:
                apply(self.durable, offset, data)
        del self.pending[:count]

    def _flushed(self, are_lost):
        """What the flushes have left on the disk; what those that failed were to take there may be lost."""
        memory, disk = bytearray(self.durable), bytearray(self.durable)
        for offset, data, succeeded in self.doubtful:
            apply(memory, offset, data)
            if data is None:
                apply(disk, offset, None)
            elif succeeded or not are_lost:
                begin, end = offset // PAGE * PAGE, -(-(offset + len(data)) // PAGE) * PAGE
                apply(disk, begin, memory[begin:end])
        return disk

    def whole(self):
        """Everything: what a killed program leaves."""
        content = self._flushed(are_lost=False)
        for offset, data in self.pending:
            apply(content, offset, data)
        return bytes(content)

    def cut(self, choose, likely):
        """What may be left of it. `likely`: how probable it is for a write to be there, and for a torn one's sectors."""
        operations = self.pending
        truncations = [i for i, (_, data) in enumerate(operations) if data is None]
        if truncations and (lost := choose.randint(0, len(truncations))) < len(truncations):
            operations = operations[:truncations[lost]]
        disk = self._flushed(choose.random() < 0.5) if self.doubtful else bytearray(self.durable)
        memory = bytearray(disk)
        lengths = [len(disk)]
        for offset, data in operations:
            apply(memory, offset, data)
            if data is None:
                apply(disk, offset, None)
                lengths = [len(disk)]
                continue
            lengths.append(len(memory))
            fate = choose.random()
            is_torn = fate >= 0.8
            if not is_torn and fate >= 0.8 * likely:
                continue
            for sector in range(offset // SECTOR * SECTOR, offset + len(data), SECTOR):
                if not is_torn or choose.random() < likely:
                    apply(disk, sector, memory[sector:sector + SECTOR])
        length = choose.choice(lengths) if choose.random() >= likely else lengths[-1]
        if length != lengths[0] and choose.random() < 0.2:
            low, high = sorted((lengths[0], length))
            length = max(low, choose.randint(low, high) // SECTOR * SECTOR)
        apply(disk, length, None)
        return bytes(disk)


def apply(content, offset, data):
    """Writes into bytes, or, without data, sets their length."""
    end = offset if data is None else offset + len(data)
    if data is None:
        del content[end:]
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    if data is not None:
        content[offset:end] = data


class Disk:
    """A folder's files, from a copy of it that was on the disk before the first event."""

    def __init__(self, folder, base):
        self.folder = str(folder)
        self.names = {x: File(data) for x, data in base.items()}
        self._durable_names = dict(self.names)
        self._pending_names = []
        self._flushes = {}

    def _name(self, path):
        return path.removeprefix(self.folder + "/")

    def _rename(self, changes):
        self._pending_names.append(changes)
        apply_names(self.names, changes)

    def follow(self, event):
        name = self._name(event.path)
        file = self.names.get(name)
        if event.kind == "open":
            if file is None:
                self._rename({name: File()})
            elif b"O_TRUNC" in event.value:
                file.pending.append((0, None))
        elif event.kind == "write":
            file.pending.append((event.offset, event.data))
        elif event.kind == "truncate":
            file.pending.append((event.value, None))
        elif event.kind == "unlink":
            self._rename({name: None})
        elif event.kind == "link":
            self._rename({self._name(event.target): file})
        elif event.kind == "rename":
            self._rename({self._name(event.target): file, name: None})
        elif event.kind == "flush-begin":
            is_folder = event.path == self.folder
            self._flushes[id(event)] = (None, len(self._pending_names)) if is_folder else (file, len(file.pending))
        elif event.kind in ("flush-end", "flush-failed"):
            file, count = self._flushes.pop(id(event.value))
            if file is not None:
                file.flushed(count, event.kind == "flush-end")
            elif event.kind == "flush-end":
                for changes in self._pending_names[:count]:
                    apply_names(self._durable_names, changes)
                del self._pending_names[:count]

    def whole(self):
        """What a killed program leaves."""
        return {name: file.whole() for name, file in self.names.items()}

    def cut(self, choose):
        """One of the states that a power cut may leave: names and contents."""
        names = dict(self._durable_names)
        for changes in self._pending_names[:choose.randint(0, len(self._pending_names))]:
            apply_names(names, changes)
        # Sometimes next to nothing has reached the disk, sometimes all but a little.
        likely = choose.choice([0, 0.1, 0.5, 0.5, 0.9, 1])
        return {name: file.cut(choose, likely) for name, file in names.items()}


def apply_names(names, changes):
    for name, file in changes.items():
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file


def snapshot(folder):
    """A folder's files as they are, but for shared memory."""
    return {x.name: x.read_bytes() for x in Path(folder).iterdir() if x.is_file() and not x.name.endswith("-shm")}


def rebuild(folder, state):
    """Writes a state into a folder, which is made or emptied."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, content in state.items():
        with open(os.open(folder / name, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(content)


class Sent:
    """The MQTT PUBLISH packets that a program had sent, out of the bytes that went through its sockets."""

    def __init__(self):
        self._streams = {}
        self._is_version_5 = {}

    def take(self, event):
        """The (topic, payload) that are complete with this event."""
        stream = self._streams.setdefault(event.path, bytearray())
        stream += event.data
        published = []
        while (packet := take_packet(stream)) is not None:
            kind, body = packet
            if kind >> 4 == 1:
                length = int.from_bytes(body[:2], "big")
                self._is_version_5[event.path] = body[2 + length] == 5
            elif kind >> 4 == 3:
                published.append(publish(kind, body, self._is_version_5.get(event.path, False)))
        return published


def take_packet(stream):
    """Takes the first MQTT packet from the front, as its first byte and its body; None while it is not complete."""
    length, shift = 0, 0
    for i in range(1, 5):
        if i >= len(stream):
            return None
        length |= (stream[i] & 0x7F) << shift
        shift += 7
        if stream[i] < 0x80:
            break
    end = i + 1 + length
    if len(stream) < end:
        return None
    packet = stream[0], bytes(stream[i + 1:end])
    del stream[:end]
    return packet


def publish(kind, body, is_version_5):
    """A PUBLISH packet's topic and payload."""
    length = int.from_bytes(body[:2], "big")
    topic, rest = body[2:2 + length].decode(), body[2 + length:]
    if kind & 0x06:
        rest = rest[2:]
    if is_version_5:
        reader = wire.Reader(rest)
        reader.take(reader.varint())
        rest = reader.data
    return topic, rest
