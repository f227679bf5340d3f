"""The pages of the API, drawn from each host's OpenAPI document: `/docs/`."""
