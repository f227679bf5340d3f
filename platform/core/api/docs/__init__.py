"""API reference pages (`/docs/`), generated from the OpenAPI document."""
