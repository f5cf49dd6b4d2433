#!/usr/bin/env python3
"""late.py PREFIX: on two hosts: host 1 sends 1500 packets to host 2, which says how many us after they were sent they come
into its kernel: the median of the second half. Neither host ever sleeps."""

import socket
import statistics
import sys
import time

from packets import open_socket, PORT

COUNT = 1500
APART = 0.0003  # seconds
TIMES = 35  # SO_TIMESTAMPNS


def send(own, host):
    time.sleep(0.5)
    for _ in range(COUNT):
        end = time.monotonic() + APART
        own.sendto(b"%d" % time.time_ns(), (host, PORT))
        while time.monotonic() < end:
            pass


def receive(own):
    own.setsockopt(socket.SOL_SOCKET, TIMES, 1)
    own.setblocking(False)
    took, end = [], time.monotonic() + 20
    while len(took) < COUNT and time.monotonic() < end:
        try:
            text, [(_, _, data)], _, _ = own.recvmsg(100, 100)
        except BlockingIOError:
            continue
        seconds, ns = (int.from_bytes(data[at:at + 8], "little") for at in (0, 8))
        took.append((seconds * 10**9 + ns - int(text)) / 1e3)
    print(statistics.median(took[COUNT // 2:]))


if socket.gethostname() == sys.argv[1] + "-1":
    send(open_socket(), sys.argv[1] + "-2")
else:
    receive(open_socket())
