"""Base of all pages: page context, addresses of pages, names, errors."""
