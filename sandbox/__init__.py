"""Submission -> image -> contained running bot: Docker for strangers, processes for trusted bots.

Import the boundary from `sandbox.api`, the numbers from `sandbox.limits`, a runner from its module.
"""
