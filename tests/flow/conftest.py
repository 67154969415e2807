"""The flow tests play in the same images as the sandbox tests."""

from tests.sandbox.conftest import base_image

__all__ = ["base_image"]
