"""Sales to visitors of storefronts, who have no account."""
