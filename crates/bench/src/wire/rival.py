"""The Python side of `abide bench wire`: reads and writes a message as often as it is told, says how long that took.

Arguments: the folder with the bodies. In: lines `<file> <count>`. Out: a name, then a line of seconds for each.
"""

import pathlib
import platform
import sys
import time

import msgpack

folder = pathlib.Path(sys.argv[1])
made_in = "C" if "_cmsgpack" in msgpack.Unpacker.__module__ else "pure Python"
print(f"msgpack {'.'.join(map(str, msgpack.version))} ({made_in}), Python {platform.python_version()}", flush=True)
for line in sys.stdin:
    name, count = line.split()
    body, packed = (folder / name).read_bytes(), b""
    began = time.perf_counter()
    for _ in range(int(count)):
        packed = msgpack.packb(msgpack.unpackb(body, raw=False, strict_map_key=False), use_bin_type=True)
    took = time.perf_counter() - began
    print(took if packed == body else "wrong", flush=True)
