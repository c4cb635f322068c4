# CPU:  docker build -t remem . && docker run --rm -v "$PWD/results:/app/results" remem table offline
# CUDA: docker build -t remem-cuda --build-arg BASE=nvidia/cuda:12.6.3-runtime-ubuntu24.04 --build-arg EXTRAS=gpu,local .
ARG BASE=python:3.12-slim
FROM ${BASE}
ARG EXTRAS=

# The CUDA image comes without Python.
RUN command -v python3 >/dev/null && python3 -m venv --help >/dev/null 2>&1 \
    || (apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*)

WORKDIR /app
COPY pyproject.toml setup.py constraints.txt README.md LICENSE ./
COPY conf conf
COPY remem remem
COPY baselines baselines
COPY datasets datasets
COPY results/paper results/paper
RUN python3 -m venv /opt/remem \
    && /opt/remem/bin/pip install --no-cache-dir -c constraints.txt ".${EXTRAS:+[${EXTRAS}]}"

# Nothing here needs root, and the results are the caller's.
RUN useradd --create-home remem && mkdir -p results && chown remem results
USER remem
ENV PATH="/opt/remem/bin:${PATH}" REMEM_RESULTS=/app/results REMEM_DATA=/data
ENTRYPOINT ["remem"]
CMD ["--help"]
