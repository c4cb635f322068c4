"""faiss on a GPU: the errors without one; tests/contract has its rankings."""

from typing import Any

import pytest

from remem.index.faiss_gpu_dense import FaissGpuDense

pytestmark = pytest.mark.extra
faiss: Any = pytest.importorskip("faiss", reason="faiss is not installed")


@pytest.mark.skipif(faiss.get_num_gpus() > 0, reason="faiss sees a GPU")
def test_without_a_gpu_the_error_names_the_other_index() -> None:
    with pytest.raises(ValueError, match="use index=faiss_cpu"):
        FaissGpuDense()
