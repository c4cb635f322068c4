"""Bundles: pack runs, verify them, replay them; nothing is drawn here."""
