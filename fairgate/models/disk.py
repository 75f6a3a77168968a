"""Writing that is complete or fails."""

import os


def write_all(fd: int, data: bytes) -> None:
    """Write all of it: the kernel may take a part only, on a disk that is nearly full.

    :raises OSError: the disk does not take it
    """
    while data:
        data = data[os.write(fd, data) :]
