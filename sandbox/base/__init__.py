"""The base images of bots: their names here, the recipe in `make`, other languages in `kits/`."""

BASES = (
    "bullring-base",
    "bullring-numpy",
    "bullring-onnx",
    "bullring-javascript",
    "bullring-cpp",
    "bullring-ruby",
    "bullring-go",
)
"""All that we have recipes for; the first is the one that every league needs."""
