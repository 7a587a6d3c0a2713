# The labelling service. Build: docker build -t askance . ; run: see compose.yaml.
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/askance && /opt/askance/bin/pip install --no-cache-dir '.[service]'

FROM python:3.12-slim
# OpenMP, which scikit-learn's wheels bring themselves, must not start a thread for each core.
ENV PATH=/opt/askance/bin:$PATH OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/var/lib/askance/numba
RUN useradd --system --home-dir /var/lib/askance --create-home askance
COPY --from=build /opt/askance /opt/askance
USER askance
WORKDIR /var/lib/askance
VOLUME /var/lib/askance
EXPOSE 8400
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", \
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8400/healthz', timeout=4)"]
# Within the container it must listen on all addresses; compose.yaml publishes it on loopback only.
ENTRYPOINT ["askance", "serve", "--host", "0.0.0.0", "--port", "8400"]
