"""Resource base classes, bureaus and rights, foreign URIs, which all subjects share."""
