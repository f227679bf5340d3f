"""Parts: upload, report, slices, viewers."""
