"""Pages for a shop's customers, who have no account."""
