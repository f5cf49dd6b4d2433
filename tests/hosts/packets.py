#!/usr/bin/env python3
"""packets.py PREFIX: on host 1 of three: how long an answer of host 2 takes at least, how many of 300 packets come to
host 2 and 3, and how much of a processor it has. Hosts 2 and 3 count and answer."""

import itertools
import socket
import sys
import time

COUNT = 300
PORT = 4711
FORCED = 33  # SO_RCVBUFFORCE, which Python's socket module lacks


def open_socket():
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.setsockopt(socket.SOL_SOCKET, FORCED, 1 << 22)
    own.bind(("", PORT))
    return own


def serve(own):
    count = 0
    while True:
        text, sender = own.recvfrom(100)
        if text == b"count":
            count += 1
        elif text == b"end":
            return
        else:
            own.sendto(b"%s %d" % (text, count), sender)


questions = itertools.count()


def ask(own, host):
    """(what came to host, seconds); again, if the question or the answer is lost. Answers name their question, since one
    that comes late, after the question was asked again, would otherwise be taken for the next one's."""
    own.settimeout(1)
    while True:
        question = next(questions)
        begin = time.monotonic()
        own.sendto(b"%d" % question, (host, PORT))
        try:
            while True:
                answered, count = map(int, own.recv(100).split())
                if answered == question:
                    return count, time.monotonic() - begin
        except TimeoutError:
            pass


def main():
    prefix = sys.argv[1]
    own = open_socket()
    if socket.gethostname() != f"{prefix}-1":
        return serve(own)
    second, third = f"{prefix}-2", f"{prefix}-3"
    ask(own, second)  # waits until the other side answers
    ask(own, third)
    shortest = min(ask(own, second)[1] for _ in range(5))
    came = []
    for host in (second, third):
        for i in range(COUNT):
            own.sendto(b"count", (host, PORT))
            time.sleep(0.01 if i % 20 == 19 else 0)
        time.sleep(0.3)
        came.append(ask(own, host)[0])
    wall, used = time.monotonic(), time.process_time()
    while time.monotonic() - wall < 1:
        pass
    share = (time.process_time() - used) / (time.monotonic() - wall)
    for host in (second, third):
        for _ in range(20):  # without waiting for answers: the last one may be lost
            own.sendto(b"end", (host, PORT))
    print(f"{shortest} {came[0]} {came[1]} {share}")
    return None


if __name__ == "__main__":
    main()
