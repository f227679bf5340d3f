"""Parts and build volumes as voxels."""
