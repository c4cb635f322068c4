"""Write a file atomically."""

from pathlib import Path

from remem.files.disk import writing
from remem.files.unfinished_files import part_of, remove_left_over


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: readers see the old content or the new content."""
    remove_left_over(path.parent, path.name)
    part = part_of(path)
    with writing(path):
        try:
            part.write_bytes(content)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
