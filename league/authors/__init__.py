"""What authors and account holders do: bots, entries, tokens, passwords, links; each in one place.

Pages, API and command line call these; who may call them is decided there, what may be done and
what is written in the audit log is decided here. Submitting a bot is in `league.submissions`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.authors.accounts import (
        Access,
        accept_invitation,
        change_password,
        find_account,
        find_invitation,
        invite,
        link_for_first_organiser,
        link_for_password,
        make_account,
        open_account,
        reset_password,
        set_access,
    )
    from league.authors.bots import (
        ABOUT_LENGTH,
        change_bot,
        choose_version,
        create_bot,
        enter_ladder,
        enter_season,
        leave_ladder,
        leave_season,
    )
    from league.authors.links import LinkKind, account_questions
    from league.authors.tokens import TOKEN_DAYS, Scope, end_token, make_token, token_looks_right
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
