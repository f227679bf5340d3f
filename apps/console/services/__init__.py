"""Services of the console, beside requests to the API."""
