# Joeira as a service: docker build -t joeira . && docker run --rm -p 8377:8377 joeira
# or as a command:     docker run --rm -i joeira extract - < page.html
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
# The compiler of the Debian below; what it makes is a part of the installed package.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src src
COPY examples examples
ENV JOEIRA_NATIVE=1
RUN python -m venv /opt/joeira \
    && /opt/joeira/bin/pip install --no-cache-dir ".[service,warc,parquet,mcp]"

FROM python:${PYTHON}-slim
LABEL org.opencontainers.image.title="Joeira" \
      org.opencontainers.image.description="Web page information extraction" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --system --uid 10001 --create-home --home-dir /data joeira
COPY --from=build /opt/joeira /opt/joeira
ENV PATH=/opt/joeira/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    OMP_NUM_THREADS=1
USER 10001
WORKDIR /data
EXPOSE 8377
# Learned sites are kept in /data: mount a volume there to keep them longer than the container.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8377/health', timeout=4)"]
ENTRYPOINT ["joeira"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data/sites"]
