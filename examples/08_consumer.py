#!/usr/bin/env python3
"""Receive what prae-filter passes on or sets aside, with the zmq and msgpack
packages.

    prae-filter -o push:@ipc:///tmp/clean -O pub:@ipc:///tmp/odd ... &
    python3 08_consumer.py pull:ipc:///tmp/clean
    python3 08_consumer.py sub:ipc:///tmp/odd 10

Places are written as prae-filter writes them: pull: or sub:, then the
endpoint, with @ before it to bind. It ends after as many seconds of silence
as the second argument says; without one, when it is interrupted.
"""
import sys

import msgpack
import zmq


def open_socket(place):
    kind, _, endpoint = place.partition(':')
    socket = zmq.Context.instance().socket(
        {'pull': zmq.PULL, 'sub': zmq.SUB}[kind])
    if kind == 'sub':
        socket.subscribe(b'')
    if endpoint.startswith('@'):
        socket.bind(endpoint[1:])
    else:
        socket.connect(endpoint)
    return socket


def records_of(payload):
    """The last frame holds one record or more, end to end."""
    unpacker = msgpack.Unpacker(strict_map_key=False)
    unpacker.feed(payload)
    return unpacker


def describe(flagged):
    """One line on an envelope: what it was set aside for."""
    if flagged['kind'] == 'reject':
        code, text = flagged['reason']
        return f"{flagged['seq']}: refused, {code}: {text}"
    if not flagged['why']:
        return f"{flagged['seq']}: {flagged['state']}"
    field, _, observed, expected = flagged['why'][0]
    return f"{flagged['seq']}: {field} is {observed}, expected {expected}"


def main(place, silence=None):
    counts = {'record': 0, 'outlier': 0, 'reject': 0}
    socket = open_socket(place)
    try:
        while socket.poll(None if silence is None else silence * 1000):
            *leading, payload = socket.recv_multipart()
            for record in records_of(payload):
                # What was set aside comes in an envelope; see prae-stream(7).
                flagged = isinstance(record, dict) and 'kind' in record
                kind = record['kind'] if flagged else 'record'
                counts[kind] += 1
                if flagged and counts[kind] <= 5:
                    print(*(frame.decode() for frame in leading),
                          describe(record))
    except KeyboardInterrupt:
        pass
    print('got', ', '.join(f'{count} {kind}s'
                           for kind, count in counts.items()))


if __name__ == '__main__':
    main(sys.argv[1], *map(float, sys.argv[2:3]))
