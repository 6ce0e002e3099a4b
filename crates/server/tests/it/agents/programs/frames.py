"""An agent of the tests without any package: frames made by hand, so that it can do what no SDK would.

Takes a manner: `plain`, `vector <file> <mark>` (sends the file's bytes after its first ready, once), `mute` (never says
ready), `measure` (reports a measurement), `fill` (told `fill 3`, writes three files of a MB into its working folder), `family` (starts two that are not to survive it: a child, and one in a session of its own under no parent).
"""

import os
import signal
import struct
import sys
import time


def pack(value):
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return struct.pack(">Bq", 0xD3, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        data = value.encode()
        return struct.pack(">BI", 0xDB, len(data)) + data
    if isinstance(value, list):
        return struct.pack(">BI", 0xDD, len(value)) + b"".join(map(pack, value))
    parts = b"".join(pack(key) + pack(item) for key, item in value.items())
    return struct.pack(">BI", 0xDF, len(value)) + parts


NUMBERS = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q", 0xCA: ">f", 0xCB: ">d"}
LENGTHS = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}


class Unpacker:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def value(self):
        head = self.take(">B")
        if head < 0x80:
            return head
        if head >= 0xE0:
            return head - 0x100
        if head < 0x90:
            return self.map(head & 0x0F)
        if head < 0xA0:
            return [self.value() for _ in range(head & 0x0F)]
        if head < 0xC0:
            return self.bytes(head & 0x1F).decode()
        if head in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[head]
        if head in NUMBERS:
            return self.take(NUMBERS[head])
        count = self.take(LENGTHS[head])
        if head >= 0xDE:
            return self.map(count)
        if head >= 0xDC:
            return [self.value() for _ in range(count)]
        data = self.bytes(count)
        return data.decode() if head >= 0xD9 else data

    def map(self, count):
        return {self.value(): self.value() for _ in range(count)}


def write(data):
    while data:
        data = data[os.write(1, data) :]


def send(kind, **fields):
    body = pack({"type": kind, "version": 3, "timestamp": int(time.time()), **fields})
    write(struct.pack(">I", len(body)) + body)


def read(count):
    data = b""
    while len(data) < count:
        piece = os.read(0, count - len(data))
        if not piece:
            raise SystemExit(0)
        data += piece
    return data


def receive():
    return Unpacker(read(*struct.unpack(">I", read(4)))).value()


def fill(words):
    if words[0] == "fill":
        for number in range(int(words[1])):
            with open(f"file{number}", "wb") as file:
                file.write(b"x" * (1 << 20))
                os.fsync(file.fileno())


def respond(message):
    if sys.argv[1] == "fill":
        fill(message["data"]["message"].split())
    voice = {"thought": "", "emotive_state": "calm", "tool_calls": [], "final_response": "here"}
    send("process_response", request_id=message["request_id"], voice=voice)


def ready(restored=None):
    if restored:
        send("restore_ack", ok=True, sequence=restored["next_sequence"] - 1)
    if sys.argv[1] == "mute":
        return
    send("ready")
    if sys.argv[1] == "vector" and not os.path.exists(sys.argv[3]):
        open(sys.argv[3], "w").close()
        with open(sys.argv[2], "rb") as vector:
            data = vector.read()
        write(data)
        if data[:4] != struct.pack(">I", len(data) - 4):
            raise SystemExit(0)  # whatever came next would be taken for the rest of it
    if sys.argv[1] == "measure":
        send("metrics", data={"avg_latency": 12.5, "x_moods": 3})


def stay():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


def start_family():
    if os.fork() == 0:
        stay()
    between = os.fork()
    if between == 0:
        os.setsid()
        if os.fork() == 0:
            stay()
        os._exit(0)
    os.waitpid(between, 0)


if sys.argv[1] == "family":
    start_family()
send("hello", agent=os.environ["ABIDE_AGENT"], run=os.environ["ABIDE_RUN"], capabilities=["restore"], sdk="frames")
while True:
    message = receive()
    kind = message["type"]
    if kind == "welcome" and not message["restore"]:
        ready()
    elif kind == "restore":
        ready(message)
    elif kind == "ping":
        send("pong", nonce=message["nonce"])
    elif kind == "process_request":
        respond(message)
    elif kind == "checkpoint_request":
        send("checkpoint", wal_sequence=0, data={})
    elif kind == "shutdown":
        break
