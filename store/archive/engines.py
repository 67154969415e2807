"""The rules that an archive can be rebuilt with, by name and version."""

from typing import Any

import nimmt
from nimmt.keys import DEAL_METHOD
from store.errors import OtherRules


def engine_for(shared: dict[str, Any]) -> nimmt.Rules:
    """The rules an archive was packed with; OtherRules when this release has others.

    There is one version of each game today. A change of rules either keeps the old engine and
    names it here, or has every archive written out in full first: `bullring db repack --plain`.
    """
    name, version = shared["rules"], shared["rules_version"]
    rules = nimmt.get(name, shared["options"])
    if type(version) is not int or version != rules.version:
        raise OtherRules(
            f"got an archive of {name} version {version!r:.40}, expected version {rules.version}:"
            " rebuild it with a release that has those rules, by `bullring db repack --plain`"
        )
    if shared["deal_method"] != DEAL_METHOD:
        raise OtherRules(
            f"got an archive of deals by {shared['deal_method']!r:.40}, expected {DEAL_METHOD}:"
            " rebuild it with a release that deals so, by `bullring db repack --plain`"
        )
    return rules
