"""Resource base classes, rights and foreign URIs, which all subjects share."""
