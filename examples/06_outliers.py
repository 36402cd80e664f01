#!/usr/bin/env python3
"""Read what prae-filter set aside, with the msgpack package.

    prae-filter -O odd.msgpack < sensors.msgpack > clean.msgpack
    python3 06_outliers.py odd.msgpack
"""
import sys

import msgpack


def main(path):
    blamed = {}
    with open(path, 'rb') as file:
        for flagged in msgpack.Unpacker(file):
            if flagged['kind'] == 'reject':
                code, text = flagged['reason']
                print(f"{flagged['seq']}: refused, {code}: {text}")
                continue
            field, share, observed, expected = flagged['why'][0]
            blamed[field] = blamed.get(field, 0) + 1
            if flagged['score'] > 100:
                print(f"{flagged['seq']}: {field} is {observed}, expected "
                      f"{expected:.4g} ({share:.0%} of the error)")
    for field, count in sorted(blamed.items(), key=lambda item: -item[1]):
        print(f'{count:6} {field}')


if __name__ == '__main__':
    main(sys.argv[1])
