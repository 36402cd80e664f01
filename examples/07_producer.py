#!/usr/bin/env python3
"""Send records to prae-filter, with the zmq and msgpack packages.

    prae-filter --in=pull:@ipc:///tmp/in -o clean.msgpack -O odd.msgpack &
    python3 07_producer.py push:ipc:///tmp/in 10000

The place is written as prae-filter writes it: push:, then the endpoint, with
@ before it to bind. A number of records may follow, and a topic, which then
goes before each message as a frame of its own and comes out again.
"""
import math
import random
import sys

import msgpack
import zmq

PER_MESSAGE = 64  # many small messages cost more than one with many records


def make_record(number, chance):
    """A pump's readings. One in a hundred breaks what holds between them."""
    flow = 200 + 40 * math.sin(number / 300) + chance.gauss(0, 2)
    pressure = 5 - flow / 100 + chance.gauss(0, 0.03)
    if chance.random() < 0.01:
        pressure *= 14.5  # psi for bar
    return {'id': number, 'flow_lpm': flow, 'pressure_bar': pressure,
            'current_A': flow / 40 + chance.gauss(0, 0.05)}


def main(place, count=10000, topic=None):
    endpoint = place.removeprefix('push:')
    context = zmq.Context()
    socket = context.socket(zmq.PUSH)
    if endpoint.startswith('@'):
        socket.bind(endpoint[1:])
    else:
        socket.connect(endpoint)
    leading = [] if topic is None else [topic.encode()]
    chance = random.Random(1)
    for first in range(0, count, PER_MESSAGE):
        numbers = range(first, min(first + PER_MESSAGE, count))
        payload = b''.join(msgpack.packb(make_record(number, chance))
                           for number in numbers)
        # Waits while the filter is busy: nothing is dropped.
        socket.send_multipart([*leading, payload])
    # All of it is sent before the process ends.
    context.destroy(linger=-1)
    print(f'sent {count} records')


if __name__ == '__main__':
    main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:])
