"""Providers' codes are those of kernels and sandbox, in another spelling."""

import pytest

from apps.integrations.builtin.job_runner import provider_code


@pytest.mark.parametrize(
    ("code", "spelt"),
    [
        ("not-mendable", "NotMendable"),
        ("too-many-facets-for-step", "TooManyFacetsForStep"),
        ("memory-limit", "MemoryLimit"),
        ("crashed", "ProviderCrashed"),
        ("too-many-triangles", "TooLarge"),
        ("no-triangles", "NothingSolid"),
        ("not-stl", "Unreadable"),
    ],
)
def test_kernel_error_code_maps_to_provider_code(code, spelt):
    assert provider_code(code) == spelt
