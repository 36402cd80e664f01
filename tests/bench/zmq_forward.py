"""zmq_forward.py FROM TO - zmq_forward.c in Python.

The loop that people write first, with pyzmq's defaults: it shows what a
stage costs that does nothing but is written in Python.
"""
import signal
import sys

import zmq


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: zmq_forward.py FROM TO")
    # A signal ends it at once and without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    context = zmq.Context()
    pull = context.socket(zmq.PULL)
    push = context.socket(zmq.PUSH)
    push.connect(sys.argv[2])
    pull.connect(sys.argv[1])
    while True:
        push.send(pull.recv())


if __name__ == "__main__":
    main()
