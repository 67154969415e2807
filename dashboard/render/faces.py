"""A face for every bot: a small picture made of its full name, the same every time.

Bullheads differ in coat, horns, eyes and muzzle. The colours have to be told apart from the page
in both schemes, so they are mid-tones and the head has an outline.
"""

import hashlib

from markupsafe import Markup

from api_models.words import clean

COATS = ("#c8553d", "#3f7cac", "#588157", "#8e6c9e", "#b8860b", "#56707c", "#a44a6b", "#7f5539")
HORNS = (
    "M9 13C4 12 3 7 5 3c1 4 4 6 8 6ZM31 13c5-1 6-6 4-10-1 4-4 6-8 6Z",
    "M10 12C5 14 1 11 1 6c3 3 6 3 10 2ZM30 12c5 2 9-1 9-6-3 3-6 3-10 2Z",
    "M11 11C8 9 8 4 11 1c0 4 2 6 5 8ZM29 11c3-2 3-7 0-10 0 4-2 6-5 8Z",
    "M10 13c-6 0-9 5-7 9 1-4 4-5 8-5ZM30 13c6 0 9 5 7 9-1-4-4-5-8-5Z",
)
EYES = (
    '<circle cx="14.5" cy="18" r="2.1"/><circle cx="25.5" cy="18" r="2.1"/>',
    '<path d="M12 18.6q2.5-3.4 5 0M23 18.6q2.5-3.4 5 0" fill="none" stroke="#1b1613"'
    ' stroke-width="1.7" stroke-linecap="round"/>',
    '<path d="M12 16l5 1.6v2.2h-5ZM28 16l-5 1.6v2.2h5Z"/>',
    '<circle cx="14.5" cy="18" r="2.7" fill="#fff"/><circle cx="15" cy="18.3" r="1.3"/>'
    '<circle cx="25.5" cy="18" r="2.7" fill="#fff"/><circle cx="25" cy="18.3" r="1.3"/>',
)
MUZZLES = ("#f3d9c4", "#e6c9a8", "#f7e7dc", "#d9b99b")
MARKS = (
    "",
    '<path d="M20 9l3 5-3 4-3-4Z" fill="#fff" opacity=".75"/>',
    '<path d="M17 10h6l-1 9h-4Z" fill="#fff" opacity=".55"/>',
    '<circle cx="20" cy="12.5" r="2.2" fill="#fff" opacity=".75"/>',
)
_FACE = Markup(
    '<svg class="face" viewBox="0 0 40 40" width="{size}" height="{size}" aria-hidden="true">'
    '<rect width="40" height="40" rx="10" fill="{ground}"/>'
    '<path d="{horns}" fill="#f4ead7" stroke="#1b161366" stroke-width=".8"/>'
    '<path d="M9 12q11-6 22 0l-1.5 12q-.8 10-9.5 12-8.7-2-9.5-12Z" fill="{coat}"'
    ' stroke="#1b161399" stroke-width="1"/>{mark}<g fill="#1b1613">{eyes}</g>'
    '<ellipse cx="20" cy="28.5" rx="7" ry="5" fill="{muzzle}"/>'
    '<g fill="#1b1613"><circle cx="17.3" cy="28" r="1.1"/><circle cx="22.7" cy="28" r="1.1"/></g>'
    "</svg>"
)


def face(bot: str, size: int = 20) -> Markup:
    """The face of a bot, by its full name. It says nothing that the name beside it does not."""
    digest = hashlib.sha256(clean(bot).encode()).digest()

    def one_of(choices: tuple[str, ...], at: int) -> Markup:
        return Markup(choices[digest[at] % len(choices)])

    coat = digest[0] % len(COATS)
    ground = COATS[(coat + 1 + digest[5] % (len(COATS) - 1)) % len(COATS)]
    return _FACE.format(
        size=size,
        ground=Markup(f"{ground}55"),
        coat=Markup(COATS[coat]),
        horns=one_of(HORNS, 1),
        eyes=one_of(EYES, 2),
        muzzle=one_of(MUZZLES, 3),
        mark=one_of(MARKS, 4),
    )
