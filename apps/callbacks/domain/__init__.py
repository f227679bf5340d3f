"""What the sender and the services share: types of events, messages, statements."""
