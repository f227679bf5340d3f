"""Quotes, invoices and other documents of orders: contents, numbers, pages and open amounts."""
