"""How the OpenAPI documents tell the two ways to sign in."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class CallerScheme(OpenApiAuthenticationExtension):
    """The `session` cookie, or an API token as HTTP Basic credentials."""

    target_class = "apps.users.authentication.Caller"
    name = ["session", "apiToken"]
    match_subclasses = True

    def get_security_definition(self, auto_schema):
        """The two schemes, in the order of `name`."""
        return [
            {"type": "apiKey", "in": "cookie", "name": "session"},
            {"type": "http", "scheme": "basic", "description": "API token uuid and secret"},
        ]
