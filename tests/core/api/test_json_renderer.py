"""JSON answers hold numbers of any size."""

import pytest

from core.api.renderers import dumps


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"a": 2**63, "b": -(2**63)}, b'{"a":9223372036854775808,"b":-9223372036854775808}'),
        ({"a": [10**31, (1, -(10**40))]}, b'{"a":[1e+31,[1,-1e+40]]}'),
        ([10**400, True, None, 1.5], b"[null,true,null,1.5]"),
    ],
)
def test_integers_beyond_64_bits_become_floats(data, text):
    assert dumps(data) == text


def test_unserializable_data_raises_type_error():
    with pytest.raises(TypeError):
        dumps({1: object()})
