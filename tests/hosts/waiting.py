#!/usr/bin/env python3
"""waiting.py PREFIX MTU: on three hosts with slow cables: host 1 sends 200 packets, as long as one may be, to host 2 and
then one to host 3. These say how many came, how many ms after the first was sent the last one did, and whether they were in order."""

import socket
import sys
import time

from packets import open_socket, PORT

COUNT = 200
HEADERS = 28  # of IP and UDP


def main():
    size = int(sys.argv[2]) - HEADERS
    own = open_socket()
    host = socket.gethostname().rpartition("-")[2]
    if host == "1":
        time.sleep(1)  # the others are ready
        for other in 2, 3:  # or what is sent first waits for their hardware addresses, and comes out of order
            own.sendto(b"", (f"{sys.argv[1]}-{other}", PORT))
        time.sleep(0.2)
        begin = time.monotonic_ns()
        for i in range(COUNT + 1):
            text = b"%d %d " % (begin, i)
            own.sendto(text.ljust(size), (f"{sys.argv[1]}-{2 if i < COUNT else 3}", PORT))
        return
    came, end = [], 0
    own.settimeout(3)
    try:
        while True:
            text = own.recv(2 * size)
            if not text:
                continue
            begin, number = map(int, text.split())
            end = (time.monotonic_ns() - begin) / 1e6
            came.append(number)
    except TimeoutError:
        sys.stdout.write(f"{host} {len(came)} {end} {came == sorted(came)}\n")  # at once: two hosts write


main()
