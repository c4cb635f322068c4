"""Judges: is an answer right?"""
