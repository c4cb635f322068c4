"""Make the folder tests/fuzz/fuzzing importable; it holds no tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
