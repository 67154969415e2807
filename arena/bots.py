"""The bot class behind what a user names: a class, a sample's name, a Python file or folder."""

import sys
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import NamedTuple

from botkit import Bot
from league.bots import SAMPLES, sample_names, sample_rules

BotLike = type[Bot] | str | Path
"""A subclass of `botkit.Bot`, the name of a sample, or a file that defines one bot."""


class NamedBot(NamedTuple):
    """A bot class and what it is called in tables."""

    name: str
    make: type[Bot]


def find_classes(bots: Sequence[BotLike], rules: str) -> list[NamedBot]:
    """The classes behind these bots; names that come twice are numbered.

    A sample that does not play the rules is refused, as the referee would refuse it.
    """
    found = [_find(bot, rules) for bot in bots]
    names: list[str] = []
    for bot in found:
        again = sum(other.name == bot.name for other in found[: len(names)])
        names.append(f"{bot.name}-{again + 1}" if again else bot.name)
    return [NamedBot(name, bot.make) for name, bot in zip(names, found, strict=True)]


def _find(bot: BotLike, rules: str) -> NamedBot:
    if isinstance(bot, type) and issubclass(bot, Bot):
        return NamedBot(bot.__name__, bot)
    if not isinstance(bot, str | Path):
        raise TypeError(f"got the bot {bot!r:.80}, expected a subclass of botkit.Bot or a name")
    if isinstance(bot, str) and bot in sample_names():
        if rules not in (plays := sample_rules(SAMPLES / bot)):
            raise ValueError(f"{bot} plays only {', '.join(plays)}, this is {rules}")
        return NamedBot(bot, _load(SAMPLES / bot / "bot.py"))
    path = Path(bot).expanduser()
    path = path / "bot.py" if path.is_dir() else path
    if path.suffix != ".py" or not path.is_file():
        raise ValueError(
            f"got the bot {str(bot)!r}, expected a bot class, a Python file, or one of the samples "
            f"{', '.join(sample_names())}"
        )
    return NamedBot(path.parent.resolve().name if path.name == "bot.py" else path.stem, _load(path))


def _load(path: Path) -> type[Bot]:
    """The one bot class that a file defines."""
    name = f"arena_bot_{path.resolve().parent.name}_{path.stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    # Dataclasses and pickles of the module look it up there.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    own = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Bot) and one.__module__ == name
    ]
    if len(own) != 1:
        names = ", ".join(one.__name__ for one in own) or "none"
        raise ValueError(f"{path} defines these bot classes: {names}; expected one")
    return own[0]
