"""A finished season as a folder of files: pages that need no server, raw results, all replays.

What is written is a function of the facts alone, so that the same season gives the same files and
anybody can make the pages from the data again.
"""

from dashboard.archive.data import SeasonData, from_store
from dashboard.archive.findings import Findings
from dashboard.archive.verify import verify
from dashboard.archive.write import TargetTaken, archive_files, stream_zip, write_folder

__all__ = [
    "Findings",
    "SeasonData",
    "TargetTaken",
    "archive_files",
    "from_store",
    "stream_zip",
    "verify",
    "write_folder",
]
