"""A finished season as a folder of files: pages that need no server, raw results, all replays.

What is written is a function of the facts alone, so that the same season gives the same files and
anyone can make the pages from the data again.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.archive.data import SeasonData, from_store
    from dashboard.archive.verify import is_archive, verify_archive
    from dashboard.archive.write import TargetTaken, archive_files, stream_zip, write_folder
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
