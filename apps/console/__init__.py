"""Console: server-rendered web UI on the bare domain; uses the API only."""
