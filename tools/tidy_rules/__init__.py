"""The rules that tools/tidy.py runs; each returns findings and changes nothing."""
