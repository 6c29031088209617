"""Evener's Python client: the data service in a trainer, and the entry point of a job's hosts."""

__version__ = "0.1.0"
