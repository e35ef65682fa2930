"""Settings for all tests: no test is judged by the clock."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("sagalang", deadline=None)
settings.load_profile("sagalang")
