"""How what was said around an item changes its rank. Not in the paper; conf/ranking chooses."""
