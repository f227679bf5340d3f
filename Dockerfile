# One image for every process; the command says which: manage.py up --only web
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 \
    PYTHONPATH=/srv:/srv/platform \
    DATA_DIR=/data \
    CURA_DEFINITIONS=/opt/cura \
    NUMBA_CACHE_DIR=/var/cache/numba

WORKDIR /srv

COPY debian-packages.txt bin/install-cura-definitions /tmp/setup/
RUN apt-get update \
    && grep -v '^#' /tmp/setup/debian-packages.txt \
        | xargs apt-get install --no-install-recommends -y \
    && /tmp/setup/install-cura-definitions "$CURA_DEFINITIONS" \
    && rm -rf /var/lib/apt/lists/* /tmp/setup

COPY requirements.lock /tmp/python/
RUN pip install --no-cache-dir --require-hashes -r /tmp/python/requirements.lock \
    && rm -r /tmp/python

COPY . .

RUN useradd --system --uid 999 --create-home platform && install -d -o platform -g platform /data /var/cache/numba
USER platform
RUN python -m geometry.packing.warm && python -c "import gcode.words"
VOLUME /data
EXPOSE 8000

CMD ["python", "manage.py", "up", "--console"]
