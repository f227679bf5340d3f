"""Carriers of parcels, and the addresses of their pages that track one."""

from collections.abc import Mapping
from urllib.parse import quote

# Pages that need no more than the number; {} is the tracking number.
CARRIERS: Mapping[str, str] = {
    "DHL": "https://www.dhl.com/global-en/home/tracking.html?tracking-id={}",
    "DPD": "https://tracking.dpd.de/status/en_US/parcel/{}",
    "GLS": "https://gls-group.com/GROUP/en/parcel-tracking?match={}",
    "UPS": "https://www.ups.com/track?tracknum={}",
    "FedEx": "https://www.fedex.com/fedextrack/?trknbr={}",
    "USPS": "https://tools.usps.com/go/TrackConfirmAction?tLabels={}",
    "Deutsche Post": "https://www.deutschepost.de/de/s/sendungsverfolgung.html?piececode={}",
    "PostNL": "https://postnl.nl/tracktrace/?B={}",
    "Royal Mail": "https://www.royalmail.com/track-your-item#/tracking-results/{}",
    "Hermes": "https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation#{}",
}
_PATTERNS = {name.casefold(): pattern for name, pattern in CARRIERS.items()}


def tracking_url(carrier: str, number: str) -> str:
    """Return the page on which a carrier tracks a parcel; empty where it is not known.

    carrier : its name, in upper or lower case
    number  : may have blanks, as on labels
    """
    pattern = _PATTERNS.get(" ".join(carrier.split()).casefold(), "")
    code = "".join(number.split())
    return pattern.format(quote(code, safe="")) if pattern and code else ""
