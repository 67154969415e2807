"""The files of an image on the host's disk, as far as this process can see the engine's folders."""

from pathlib import Path

from sandbox.engine import Json


def folders_of(found: Json) -> list[Path]:
    """The folders of the layers of an image or a container, by what the engine says of it.

    An image's topmost layer is its upper folder; a container's own, which a bot cannot write to,
    is left out. Empty where the engine's storage is of another kind.
    """
    storage = found.get("GraphDriver") or {}
    data = storage.get("Data") or {}
    if storage.get("Name") != "overlay2":
        return []
    folders = [Path(folder) for folder in str(data.get("LowerDir") or "").split(":") if folder]
    if "RootFS" in found and data.get("UpperDir"):
        folders.insert(0, Path(data["UpperDir"]))
    return folders
