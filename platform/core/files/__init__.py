"""Stored files: blobs, signed URLs, pending uploads, disk space, storage backends."""
