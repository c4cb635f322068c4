"""Makes the targets importable: tests/fuzz/fuzzing is no test."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
