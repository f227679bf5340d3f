"""Parses FILES_URL and FILES_FALLBACK_URL: local directory or S3 bucket."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

LOCAL = "local"
_KNOWN = {"endpoint", "region", "path_style", "public"}
_TRUE, _FALSE = ("on", "1", "true", "yes"), ("off", "0", "false", "no")


@dataclass(frozen=True)
class Address:
    """A bucket and how to reach it; no `bucket` is the folder of this machine.

    endpoint : URL of the server; empty for AWS itself
    public   : URL under which clients reach the same server, where that is another
    key, secret, session : empty where the machine itself has credentials
    """

    bucket: str = ""
    prefix: str = ""
    endpoint: str = ""
    public: str = ""
    region: str = "us-east-1"
    path_style: bool = True
    key: str = ""
    secret: str = field(default="", repr=False)
    session: str = field(default="", repr=False)

    def __str__(self) -> str:
        if not self.bucket:
            return "this machine's folder"
        where = f" at {self.endpoint}" if self.endpoint else ""
        return f"s3://{self.bucket}{'/' + self.prefix if self.prefix else ''}{where}"

    @property
    def root(self) -> str:
        """The URL of the bucket, as clients reach it; no slash at its end."""
        host = self.public or self.endpoint or f"https://s3.{self.region}.amazonaws.com"
        if self.path_style:
            return f"{host}/{self.bucket}"
        scheme, _, rest = host.partition("://")
        return f"{scheme}://{self.bucket}.{rest}"


def read_addresses(environment: Mapping[str, str]) -> tuple[Address, Address | None]:
    """Return the storages of FILES_URL and of FILES_FALLBACK_URL, the earlier one."""
    also = environment.get("FILES_FALLBACK_URL", "")
    at = read_address(environment.get("FILES_URL", ""), environment)
    return at, read_address(also, environment) if also else None


def read_address(url: str, environment: Mapping[str, str]) -> Address:
    """Parse a storage URL, completed by the usual AWS_* variables.

    local (or nothing)                  DATA_DIR/files
    s3://bucket/prefix?endpoint=...     a bucket; also region, path_style=on|off, public

    Raises ValueError for any other URL.
    """
    if url in ("", LOCAL):
        return Address()
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc:
        raise ValueError(f"FILES_URL is {url!r}: write s3://bucket/prefix, or {LOCAL}.")
    if "@" in parts.netloc:
        raise ValueError(
            "FILES_URL holds a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead."
        )
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    if unknown := sorted(given.keys() - _KNOWN):
        raise ValueError(
            f"FILES_URL has {', '.join(unknown)}: there are {', '.join(sorted(_KNOWN))}."
        )

    def first(*names: str) -> str:
        return next((environment[name] for name in names if environment.get(name)), "")

    endpoint = given.get("endpoint") or first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
    region = given.get("region") or first("AWS_REGION", "AWS_DEFAULT_REGION") or "us-east-1"
    style = given.get("path_style", "on" if endpoint else "off").lower()
    if style not in _TRUE + _FALSE:
        raise ValueError(f"FILES_URL has path_style={style}: it is on or off.")
    return Address(
        bucket=parts.netloc,
        prefix=parts.path.strip("/"),
        endpoint=_server(endpoint, "endpoint"),
        public=_server(given.get("public", ""), "public"),
        region=region,
        path_style=style in _TRUE,
        key=first("AWS_ACCESS_KEY_ID"),
        secret=first("AWS_SECRET_ACCESS_KEY"),
        session=first("AWS_SESSION_TOKEN"),
    )


def _server(url: str, name: str) -> str:
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query):
        raise ValueError(f"FILES_URL has {name}={url}: write https://host, or http://host:port.")
    return url.rstrip("/")
