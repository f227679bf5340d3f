"""What the pages say: no requests, no HTML."""
