"""Generated dialogues: the generator, its texts and its questions."""
