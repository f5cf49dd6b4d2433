"""The error of all programs."""


class Error(Exception):
    """A mistake that the user can correct; cli.main() prints it as one line."""
