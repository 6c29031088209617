"""The single entry point of a job's hosts.

    python -m evener.launch [options] train.py [arguments of train.py]

Hosts of the data group become workers of the data service, the first also its dispatcher; the
others run the script, which finds the service through evener.data.Reader(). Where there is no data
group, the training hosts do both. What a host is follows from evener.data.roles().

The data group ends by itself: each training process tells the data hosts when its script has ended.
"""

from evener.launch.entry import main

__all__ = ["main"]
