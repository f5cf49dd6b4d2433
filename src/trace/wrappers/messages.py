"""Errors that the user of generate can correct, and how their texts name things."""

import os


class Error(Exception):
    """Printed as one line; the status is 2."""


def listed(words):
    words = list(words)
    return " ".join(words[:20]) + (" ..." if len(words) > 20 else "")


def shown(path):
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def write_text(path, text):
    """Writes a file; an error names it."""
    try:
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from None
