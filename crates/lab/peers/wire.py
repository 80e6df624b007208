"""What the Python peers share: the job and answer files of ../src/peers/wire.rs, and how a question is timed."""

import math
import statistics
import struct
import time

import numpy


class Job:
    """A job file, read from front to back."""

    def __init__(self, path, magic):
        with open(path, "rb") as file:
            self.data = file.read()
        self.offset = 8
        if self.data[:8] != magic:
            raise ValueError(f"{path} is no job of this kind")

    def whole(self):
        (number,) = struct.unpack_from("<Q", self.data, self.offset)
        self.offset += 8
        return number

    def array(self, kind, *shape):
        count = math.prod(shape)
        values = numpy.frombuffer(self.data, dtype=kind, count=count, offset=self.offset)
        self.offset += values.nbytes
        return values.reshape(shape)

    def mesh(self):
        """Points and triangles of the next mesh."""
        points, triangles = self.whole(), self.whole()
        return self.array("<f8", points, 3), self.array("<u4", triangles, 3)


class Answers:
    """An answer file in the making."""

    def __init__(self, magic, version):
        text = version.encode()
        self.parts = [magic, struct.pack("<Q", len(text)), text]

    def whole(self, number):
        self.parts.append(struct.pack("<Q", number))

    def numbers(self, *numbers):
        self.parts.append(struct.pack(f"<{len(numbers)}d", *numbers))

    def write(self, path):
        with open(path, "wb") as file:
            file.write(b"".join(self.parts))


def timed(repeats, ask):
    """The answer, and nanoseconds: the median over the repeats after one call to warm up. A short question is asked many
    times between two looks at the clock, one longer than a second is not asked again."""
    clock = time.perf_counter_ns
    begun = clock()
    answer = ask()
    first = clock() - begun
    if first > 1_000_000_000:
        return answer, float(first)
    rounds = range(max(1, min(1000, math.ceil(20_000 / max(first, 1)))))
    times = []
    for _ in range(max(repeats, 1)):
        begun = clock()
        for _ in rounds:
            ask()
        times.append((clock() - begun) / len(rounds))
    return answer, statistics.median(times)
