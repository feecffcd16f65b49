# Citewell in a container. How to run it: docs/docker.md
FROM python:3.12-slim-bookworm AS build

ENV UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1
WORKDIR /build
COPY pyproject.toml uv.lock README.md LICENSE ./
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
RUN uv_version=$(sed -n '/^name = "uv"$/{n;s/^version = "\(.*\)"$/\1/p;}' uv.lock) \
    && pip install --no-cache-dir "uv==$uv_version" \
    && uv sync --frozen --no-dev --no-install-project
COPY src src
COPY samples samples
COPY eval/questions.yaml eval/questions.yaml
RUN uv sync --frozen --no-dev --no-editable

FROM python:3.12-slim-bookworm

RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin citewell \
    && install --directory --owner=citewell --mode=0700 /data
COPY --from=build /build/.venv /build/.venv
ENV PATH=/build/.venv/bin:$PATH PYTHONUNBUFFERED=1 \
    DATA_DIR=/data SERVER_HOST=0.0.0.0 SERVER_PORT=8000
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health/live', timeout=4)"]
ENTRYPOINT ["rag"]
CMD ["serve"]
