"""Django settings, read from the environment; each has a working default."""

import ipaddress
import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from environs import Env

from core.files.storage_url import read_addresses
from core.installation import require_new
from core.outbound.email_url import read_email_url
from core.postgres import connections
from core.postgres.embedded import EmbeddedPostgres
from core.process.private_dirs import make_private
from core.secrets_file import load_secrets
from core.web.default_gateway import own_gateway
from core.web.storefront_domains import read_domains
from project.logging_config import logging_from
from project.wiring import *  # noqa: F403  all of them are settings

BASE_DIR = Path(__file__).resolve().parents[2]

env = Env()

# An old name alone is refused: unread, it would lose files or keep deleted models too long.
for _old, _new in {
    "BED": "DEFAULT_BED_SIZE",
    "DELETED_MODELS_KEPT": "DELETED_MODELS_RETENTION_DAYS",
    "FILES_ALSO": "FILES_FALLBACK_URL",
}.items():
    if os.environ.get(_old) and not os.environ.get(_new):
        raise ImproperlyConfigured(f"The setting {_old} is now {_new}. Rename it.")


def _list(name: str, default: Sequence[str] = ()) -> list[str]:
    return [item for item in env.list(name, default, subcast=str.strip) if item]


# Where everything lives that the platform writes: database, files, secrets, logs.
DATA_DIR = env.path("DATA_DIR", BASE_DIR / "data").resolve()
make_private(DATA_DIR, 0o711)  # the embedded database's user has to pass through

# ---------------------------------------------------------------- addresses
# The domain below which each service has its host: models.PARENT_HOST and so on.
PARENT_HOST = env.str("PARENT_HOST", "platform.localhost").lower().strip(".")
# Where the web process listens.
PORT = env.int("PORT", 8000)
# Domains of shops' own, each with the slug of the storefront that it serves.
STOREFRONT_DOMAINS = read_domains(_list("STOREFRONT_DOMAINS"), PARENT_HOST)
LISTEN = env.str(
    "LISTEN",
    "127.0.0.1" if PARENT_HOST.split(".")[-1] == "localhost" else "0.0.0.0",  # noqa: S104
)
# What is written into URIs; an empty HOST_PORT writes none.
HOST_SCHEME = env.str("HOST_SCHEME", "http")
HOST_PORT = env.str("HOST_PORT", str(PORT))

# The services that have a host, and the names that old clients use for them.
SERVICES = (
    "users",
    "models",
    "slicing",
    "search",
    "integrations",
    "payment",
    "erp",
    "sales",
    "callbacks",
)
HOST_ALIASES = {"quickslice": "slicing", "geometricsearch": "search"}
ROOT_HOSTCONF = "project.hosts"
ROOT_URLCONF = "project.unknown_host_urls"
DEFAULT_HOST = "nowhere"
# Hosts that are not ours are answered 404 by the host patterns, and no URI is ever built from
# the Host header: Django's own check would only turn that 404 into a 400.
ALLOWED_HOSTS = ["*"]
# The URLs below are written without a slash by some clients; a redirect would lose their POST.
APPEND_SLASH = False

_LOOPBACK = ("127.0.0.0/8", "::1/128")
# Origins of other sites whose pages may call the API with the visitor's cookie.
TRUSTED_ORIGINS = _list("TRUSTED_ORIGINS")
# Networks whose X-Forwarded-For header is believed: the proxies in front.
# `gateway` is the gateway of this machine's network: in a container, a proxy on its host.
TRUSTED_PROXIES = [
    ipaddress.ip_network(item)
    for name in _list("TRUSTED_PROXIES", _LOOPBACK)
    if (item := own_gateway() if name == "gateway" else name)
]
# Private networks that requests to client-given URLs (callbacks ...) may reach all the same.
OUTBOUND_ALLOW = [
    ipaddress.ip_network(item)
    for item in _list(
        "OUTBOUND_ALLOW",
        _LOOPBACK if PARENT_HOST.split(".")[-1] == "localhost" else (),
    )
]

# ---------------------------------------------------------------- database
# Without DATABASE_URL the platform starts a PostgreSQL of its own below DATA_DIR.
DATABASE_URL = env.str("DATABASE_URL", "")
DATABASE_EMBEDDED = not DATABASE_URL
# Past a pooler in front of it, for all that is no request: see core.postgres.connections.
DATABASE_DIRECT_URL = env.str("DATABASE_DIRECT_URL", DATABASE_URL)
MAX_STATEMENT_TIME = "5s"  # of a request; manage.py and the workers set their own
STATEMENT_TIMEOUT = env.str("STATEMENT_TIMEOUT", MAX_STATEMENT_TIME)
LOCK_TIMEOUT = env.str("LOCK_TIMEOUT", "2s")
DATABASE_BOUNDS = connections.session_settings(STATEMENT_TIMEOUT, LOCK_TIMEOUT)
_url = DATABASE_URL or EmbeddedPostgres(DATA_DIR).url()
DATABASES = connections.databases(
    _url,
    DATABASE_DIRECT_URL or _url,
    DATABASE_BOUNDS,
    requests=env.bool("DATABASE_POOLED", False),
)

# ---------------------------------------------------------------- secrets
SECRETS_FILE = env.path("SECRETS_FILE", DATA_DIR / "secrets.json")
# Whether the platform of DATABASE_URL is given other secrets, or another address, than it had.
NEW_IDENTITY = env.bool("NEW_IDENTITY", False) or DATABASE_EMBEDDED
SECRETS = load_secrets(
    SECRETS_FILE,
    **({} if NEW_IDENTITY else {"allow": require_new(DATABASE_DIRECT_URL, SECRETS_FILE)}),
)
SECRET_KEY = SECRETS["secret_key"]
# Signs the upload and download locations; a key of its own so that it can be changed alone.
LOCATION_KEY = SECRETS["location_key"]
# The secrets that callbacks are signed with are computed from it: with it they are lost.
WEBHOOK_KEY = SECRETS["webhook_key"]
# The secrets of users' authenticator apps are computed from it: with it they are lost.
SECOND_FACTOR_KEY = SECRETS["second_factor_key"]

# ---------------------------------------------------------------- Django
DEBUG = False
INSTALLED_APPS = [
    "core.apps.CoreConfig",
    "core.apps.QueueConfig",
    "ops",
    "project",
    "apps.users",
    "apps.callbacks",
    "apps.warehouse",
    "apps.slicing",
    "apps.search",
    "apps.integrations",
    "apps.payment",
    "apps.erp",
    "apps.sales",
    "apps.console",
    "django_hosts",
    "corsheaders",
    "rest_framework",
    "drf_spectacular",
    "project.admin_site.Pages",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "core.middleware.RequestMiddleware",
    "core.middleware.PlatformCorsMiddleware",
    "core.middleware.CachedHostsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "project.admin_middleware.AdminMiddleware",
]
# Each is met elsewhere. E408 to E410, W002, W003: layers of `Operators`; the other hosts have no
# pages, and core.web.csrf checks what comes with the cookie. W001: `Front` sends these headers,
# project.asgi HSTS, on `files.` as well; the proxy leads from http to https.
SILENCED_SYSTEM_CHECKS = [f"admin.E{number}" for number in (408, 409, 410)]
SILENCED_SYSTEM_CHECKS += [f"security.W00{number}" for number in (1, 2, 3)]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {"api_reference": "core.api.docs.template_filters"},
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
WSGI_APPLICATION = "project.wsgi.application"
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# What the API says is English; the pages of the bare domain choose, of these, by the visitor.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LANGUAGE_COOKIE_NAME = "language"
USE_I18N = True
# Django exports TIME_ZONE to the process: anything but UTC would shift the workers' logs.
TIME_ZONE = "UTC"
USE_TZ = True
FORMAT_MODULE_PATH = "project.formats"

# ---------------------------------------------------------------- files
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "files"},
    },
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
# Where files lie, by FILES_URL; FILES_FALLBACK_URL is where they lay before, while they move.
FILES_AT, FILES_FALLBACK_AT = read_addresses(os.environ)
# Whether larger downloads are led to a bucket itself.
FILES_DIRECT = env.bool("FILES_DIRECT", True)  # noqa: FBT003
# Bytes of a bucket's files that this machine keeps at hand.
FILES_CACHE = env.int("FILES_CACHE", 10 * 1024**3)
# Largest file that a client may upload, bytes.
MAX_UPLOAD = env.int("MAX_UPLOAD", 1024**3)
# Bytes of the disk that uploads leave free, jobs half of them (core.files.disk_space).
DISK_RESERVE = env.int("DISK_RESERVE", 2 * 1024**3)
FILE_UPLOAD_PERMISSIONS = 0o600
# How long a signed upload location, and a signed download location, can be used.
UPLOAD_EXPIRY = timedelta(hours=24)
DOWNLOAD_EXPIRY = timedelta(hours=1)
# How long a deleted model can be restored, before its file is let go: days.
DELETED_MODELS_RETENTION = timedelta(days=env.float("DELETED_MODELS_RETENTION_DAYS", 30))

# ---------------------------------------------------------------- people
AUTH_USER_MODEL = "users.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "apps.users.domain.backends.PermissionBackend",
]
# Whether strangers may make an account: open or closed.
REGISTRATION = env.str("REGISTRATION", "open")
# Registrations per address and hour; 0 = no limit.
REGISTRATION_RATE = env.int("REGISTRATION_RATE", 60)
# Logins that succeed, of one account and from one address, in a minute; 0 = no limit.
LOGINS_PER_ACCOUNT = env.int("LOGINS_PER_ACCOUNT", 60)
LOGINS_PER_ADDRESS = env.int("LOGINS_PER_ADDRESS", 300)
# How long a mailed token sets a new password, s; and the page that takes it, where there is one.
PASSWORD_RESET_TIMEOUT = 3600
PASSWORD_RESET_PAGE = env.str("PASSWORD_RESET_PAGE", "")
PASSWORD_HASHERS = ["apps.users.domain.hashers.Argon2"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
# One cookie for all service hosts; the admin host has its own (project/admin_middleware.py).
SESSION_COOKIE_NAME = "session"
SESSION_COOKIE_DOMAIN = PARENT_HOST
# A session ends when it has not been used for so long, and at the latest after SESSION_LIFETIME.
SESSION_COOKIE_AGE = int(timedelta(days=14).total_seconds())
SESSION_LIFETIME = int(timedelta(days=90).total_seconds())
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HOST_SCHEME == "https"
CSRF_COOKIE_SECURE = HOST_SCHEME == "https"
# How long browsers keep to https once they have met it here, s; each host says it for itself.
_hsts = env.int("HSTS_SECONDS", 2_592_000)
SECURE_HSTS_SECONDS = _hsts if HOST_SCHEME == "https" else 0
_port = f":{HOST_PORT}" if HOST_PORT else ""
CSRF_TRUSTED_ORIGINS = [f"{HOST_SCHEME}://admin.{PARENT_HOST}{_port}"]

# ---------------------------------------------------------------- mail
# console: shows mails on the terminal, smtp://user:password@host:587 uses TLS where the host offers
# STARTTLS with ?tls=1, smtps:// from the first byte, file:///folder keeps them as files.
_mail = read_email_url(env.str("EMAIL_URL", "console:"))
EMAIL_BACKEND, EMAIL_FILE_PATH = _mail.backend, _mail.folder
EMAIL_HOST, EMAIL_PORT = _mail.host, _mail.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail.user, _mail.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.starttls, _mail.tls
EMAIL_TIMEOUT = 10
MAIL_DAY = env.int("MAIL_DAY", 20)  # to one address, of all shops together
MAIL_ACCOUNT_DAY = env.int("MAIL_ACCOUNT_DAY", 500)  # of all shops of an account, to anybody
DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", f"no-reply@{PARENT_HOST}")

# ---------------------------------------------------------------- cross-origin reading
OWN_ORIGINS = [
    f"{HOST_SCHEME}://{name}{PARENT_HOST}{_port}"
    for name in ("", *(f"{service}." for service in (*SERVICES, *HOST_ALIASES, "data")))
]
CORS_ALLOWED_ORIGINS = [*OWN_ORIGINS, *TRUSTED_ORIGINS]
CORS_ALLOW_CREDENTIALS = True
CORS_ALLOW_HEADERS = [
    "accept",
    "authorization",
    "content-type",
    "idempotency-key",
    "last-event-id",
    "request-id",
]
CORS_EXPOSE_HEADERS = [
    "Location",
    "X-Location",
    "X-Upload-Location",
    "Request-ID",
    "Retry-After",
    "Idempotent-Replayed",
]

# ---------------------------------------------------------------- API
# Bytes of a body: files go to the `files.` host.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024**2

# ---------------------------------------------------------------- limits
# How much an account may have; operators' rows overrule it for accounts, groups or everybody.
LIMITS: dict[str, int | None] = {
    # Jobs that have not ended, by queue.
    "waiting.meshes": 500,
    "waiting.slices": 200,
    "waiting.renders": 500,
    "waiting.packing": 20,
    "waiting.providers": 50,
    # Bytes of models, gcode and slices; models created in 24 hours.
    "bytes": None,
    "models_day": None,
    "callbacks": 10_000,  # that wait to be delivered
    "subscriptions": 20,
    "sinks": 5,
    "groups": 100,  # that a user is in
    "tokens": 100,
    # Requests a second to a web process, of an account, and of an address that is nobody yet.
    "requests": 200,
    "requests_anonymous": 100,
}
# LIMITS=bytes=1000000000,requests= changes some of them; nothing behind the = is no limit.
for _name, _, _most in (item.partition("=") for item in _list("LIMITS")):
    if _name not in LIMITS:
        raise ValueError(f"LIMITS: there is no limit {_name!r}; there are: {', '.join(LIMITS)}.")
    LIMITS[_name] = int(_most) if _most else None

# ---------------------------------------------------------------- background work
# This machine's workers: slices=2,slices_slow=2; empty: one of each queue, slices by its cores.
SLOTS: dict[str, int] = env.dict("SLOTS", {}, subcast_values=int)
SLOTS_PER_ACCOUNT = env.int("SLOTS_PER_ACCOUNT", 0)  # of a queue; 0: as many as there are
# Before a job's child process is ended: bytes of memory, seconds.
JOB_MEMORY = env.int("JOB_MEMORY", 4 * 1024**3)
ANALYSIS_TIME = env.int("ANALYSIS_TIME", 300)
RENDER_MEMORY = env.int("RENDER_MEMORY", 6 * 1024**3)
RENDER_TIME = env.int("RENDER_TIME", 900)
SLICE_MEMORY = env.int("SLICE_MEMORY", 4 * 1024**3)
SLICE_TIME = env.int("SLICE_TIME", 600)
PLATE_TIME = env.int("PLATE_TIME", 1800)  # of the slice of a packed run
PACKING_MEMORY = env.int("PACKING_MEMORY", 4 * 1024**3)
# The search for a packing ends after so long, and the best that was found is kept.
PACKING_TIME = env.int("PACKING_TIME", 600)
# The most that one run packs: pieces, different models, triangles of all pieces together.
PACKING_PIECES = env.int("PACKING_PIECES", 2000)
PACKING_MODELS = env.int("PACKING_MODELS", 300)
PACKING_TRIANGLES = env.int("PACKING_TRIANGLES", 20_000_000)
# Where compiled loops are kept; beside the code where this is not set.
NUMBA_CACHE_DIR = env.str("NUMBA_CACHE_DIR", None)
# The build volume that slices are made for, mm.
DEFAULT_BED_SIZE = tuple(env.list("DEFAULT_BED_SIZE", [250.0, 250.0, 250.0], subcast=float))
# Where the package of PrusaSlicer keeps the presets of printers' makers.
PRESETS = env.path("PRESETS", Path("/usr/share/PrusaSlicer/profiles"))
# Where bin/install-orca-presets puts the presets of OrcaSlicer and Bambu Studio, in sets of JSON.
ORCA_PRESETS = env.path("ORCA_PRESETS", BASE_DIR / ".cache" / "orca-presets")
# Where bin/install-cura-definitions put CuraEngine's setting definitions.
CURA_DEFINITIONS = env.path("CURA_DEFINITIONS", BASE_DIR / ".cache" / "cura")

# ---------------------------------------------------------------- integrations
# Where the built-in providers listen and are asked; it may be a private address.
PROVIDERS_URL = env.str("PROVIDERS_URL", f"http://127.0.0.1:{PORT + 1}").rstrip("/")
# Where they reach the web process, whatever its public names resolve to.
_own = LISTEN if LISTEN not in ("0.0.0.0", "::") else "127.0.0.1"  # noqa: S104
WEB_ADDRESS = env.str("WEB_ADDRESS", f"http://{_own}:{PORT}").rstrip("/")
# How long an operation may take once its provider has been asked, s.
OPERATION_TIME = env.int("OPERATION_TIME", 3600)

# ---------------------------------------------------------------- payment
# Stripe collects where it is configured; without a key it is not offered.
STRIPE_SECRET_KEY = env.str("STRIPE_SECRET_KEY", "")
STRIPE_WEBHOOK_SECRET = env.str("STRIPE_WEBHOOK_SECRET", "")
STRIPE_API = "https://api.stripe.com"
# The origin of the only pages that customers of shops are sent to.
STRIPE_CHECKOUT = "https://checkout.stripe.com"
# The page that a user comes back to after telling Stripe what to pay with.
PAYMENT_RETURN_PAGE = env.str("PAYMENT_RETURN_PAGE", OWN_ORIGINS[0])

# ---------------------------------------------------------------- callbacks
# A refused callback is repeated at this interval, for this long.
CALLBACK_INTERVAL = env.float("CALLBACK_INTERVAL", 30)
CALLBACK_LIFETIME = env.float("CALLBACK_LIFETIME", 24 * 3600)
# The only URLs of our own that a callback may have: of sinks, which keep what they are sent.
SINK_URL = f"{HOST_SCHEME}://callbacks.{PARENT_HOST}{_port}/sink/"

# ---------------------------------------------------------------- logs
LOGGING = logging_from(env.str("LOG_LEVEL", "INFO"))
