"""The plumbing of every request: who asks, forms, uploads, limits, refusals, headers, files.

Nothing here knows a season or a bot page.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.http.assets import Assets
    from dashboard.http.cache import PageCache, kept_response
    from dashboard.http.connections import PatientProtocol
    from dashboard.http.csrf import (
        CSRF_FIELD,
        VISITOR_COOKIE,
        check_origin,
        check_token,
        make_token,
    )
    from dashboard.http.devices import (
        DEVICE_COOKIE,
        DEVICE_DAYS,
        address_mac,
        device_cookie,
        try_of,
    )
    from dashboard.http.files import FilesMetrics, create_files_app, serve_files
    from dashboard.http.forms import discard_parts, read_form, receive_form
    from dashboard.http.identity import (
        NOBODY,
        Rank,
        Viewer,
        acting_for,
        api_viewer,
        browser_viewer,
        client_address,
        cookie_name,
        has_nul,
        organiser_of,
        session_cookie,
        signed_in_owner,
    )
    from dashboard.http.limits import Limiter, TooMany, TooManyTopics
    from dashboard.http.links import link_address, organiser_link
    from dashboard.http.metrics import METRICS_TYPE, Metrics
    from dashboard.http.middleware import EMBED_CSP, PageLimit, RequestMiddleware
    from dashboard.http.passwords import hash_password, password_fits
    from dashboard.http.people import address_hash, find_person, keep_person, take_person
    from dashboard.http.problems import PROBLEM_TYPE, Problem, Refused, problem_of
    from dashboard.http.styles import STATIC, style_sheet
    from dashboard.http.submitting import check_first, take_in
    from dashboard.http.uploads import Upload, UploadsInProgress, sweep_parts
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
