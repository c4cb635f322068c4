"""The packages of the wheel; everything else about it is in pyproject.toml."""

from setuptools import find_packages, setup

MAPPED = {
    "remem.conf": "conf",  # the configuration travels with the installed package
    "remem.paper.data": "results/paper",  # the paper's numbers
    "remem.datasets": "datasets",  # the sources, sums and counts of the data sets
}

setup(
    packages=[*find_packages(include=["remem", "remem.*", "baselines"]), *MAPPED],
    package_dir=MAPPED,
)
