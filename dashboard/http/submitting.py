"""Taking a submission in: the file on disk and the bell; what is taken is `league.submissions`."""

from dashboard.http.problems import Refused
from dashboard.http.uploads import Upload, remove
from dashboard.site import Site
from league.submissions import (
    SubmissionLimits,
    SubmissionRequest,
    find_earlier,
    receive_submission,
)
from store import Owner, Submission


def take_in(
    site: Site, owner: Owner, wanted: SubmissionRequest, upload: Upload | None
) -> tuple[Submission, bool]:
    """Store it and wake a worker; False: the same key was used before and this is that one."""
    try:
        with site.store.write() as session:
            submission, fresh = receive_submission(session, owner, wanted, upload, _limits(site))
    except Exception:
        # Whatever the reason, the file is not needed again.
        if upload is not None:
            remove(site.settings.uploads, upload)
        raise
    if fresh:
        site.services.submitted(submission.id)
    elif upload is not None:
        remove(site.settings.uploads, upload)
    return submission, fresh


def check_first(site: Site, owner: Owner, key: str | None = None) -> Submission | None:
    """What can be refused before a byte is received; the submission, if the key was used before."""
    missing = site.services.refuses_uploads()
    if missing is not None:
        raise Refused(409, f"{missing.why} {missing.fix}")
    with site.store.read() as session:
        return find_earlier(session, owner, _limits(site), key)


def _limits(site: Site) -> SubmissionLimits:
    settings = site.settings
    return SubmissionLimits(per_day=settings.submissions_per_day, bots=settings.bots_per_owner)
