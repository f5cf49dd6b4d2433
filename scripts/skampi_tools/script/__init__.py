"""A measurement script of what an application calls, from its trace."""
