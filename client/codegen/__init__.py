"""Code generator of the client."""
