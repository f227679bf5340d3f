"""The providers that come with the platform: one process, which speaks a stranger's protocol."""
