"""Messages to customers: texts, links and HTML."""
