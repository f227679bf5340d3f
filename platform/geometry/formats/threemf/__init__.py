"""3MF: reader, writer, and what slicers add to a package."""
