"""Files host: uploads and downloads by signed URL, as an ASGI application."""
