"""Static files, for the hosts that have pages."""

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware

HOSTS = ("www", "admin")


class Statics(WhiteNoiseMiddleware):
    """WhiteNoise, which the API's hosts pass by."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.host.name not in HOSTS:  # type: ignore[attr-defined]
            return self.get_response(request)
        return super().__call__(request)
