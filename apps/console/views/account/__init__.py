"""The person's own pages: sign-in, security, API access, notifications."""
