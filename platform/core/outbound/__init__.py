"""Outbound requests: URL policy, HTTP client, webhook signatures, e-mail."""
