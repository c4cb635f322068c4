"""A complaint on a name ends with the nearest valid one."""

import pytest
from hydra.errors import HydraException

from remem.config import compose_config
from remem.nearest import complaint


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("method=rmem_i", "did you mean 'remem_i'?"),
        ("metod=remem_i", "there is no key 'metod' to override; did you mean 'method'?"),
        ("method.build.topk=5", "did you mean 'method.build.top_k'?"),
        ("method=zzzz", "there is no method=zzzz, there are bm25_messages"),
    ],
)
def test_a_wrong_override_is_told_with_the_nearest_name(override: str, said: str) -> None:
    with pytest.raises(HydraException) as wrong:
        compose_config([override])
    assert said in complaint(wrong.value)
