"""From an upload to an accepted version: received, built, checked, reported.

Containment belongs to `sandbox`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.submissions.build import DockerWorkshop
    from league.submissions.check.play import check_bot
    from league.submissions.check.report import CheckReport
    from league.submissions.files import FolderUploads, RemoteUploads, sweep_uploads
    from league.submissions.process import SubmissionProcessor
    from league.submissions.receive import (
        SubmissionLimits,
        SubmissionRequest,
        find_earlier,
        receive_submission,
    )
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
