"""Operations: starting, watching, backing up and restoring an installation."""
