"""Prints the seconds of processor time that FMPy needs to read the description of an FMU, and to read and validate it.

Usage: time_description.py FMU
"""

import sys
import time

import fmpy


def seconds(path, validate):
    """How long one reading takes."""
    begin = time.process_time()
    fmpy.read_model_description(path, validate=validate)
    return time.process_time() - begin


print(*(min(seconds(sys.argv[1], validate) for _ in range(3)) for validate in (False, True)))
