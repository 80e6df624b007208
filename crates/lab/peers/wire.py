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


def timed(repeats, asks):
    """For each question, in order, its answer and nanoseconds, the median and the least: all are asked once to warm up,
    then `repeats` times over, so that between two times of a question stand all the others. A question shorter than 2
    microseconds is asked several times between two looks at the clock, one longer than a second is not asked again."""
    clock = time.perf_counter_ns
    answers, firsts = [], []
    for ask in asks:
        begun = clock()
        answers.append(ask())
        firsts.append(float(clock() - begun))
    times = [[] for _ in asks]
    for _ in range(repeats):
        for ask, first, own in zip(asks, firsts, times):
            if first > 1e9:
                continue
            rounds = range(max(1, min(1000, math.ceil(2e3 / max(first, 1.0)))))
            begun = clock()
            for _ in rounds:
                ask()
            own.append((clock() - begun) / len(rounds))
    times = [own or [first] for own, first in zip(times, firsts)]
    return [(answer, statistics.median(own), min(own)) for answer, own in zip(answers, times)]
