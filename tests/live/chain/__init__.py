"""The whole chain, from a visitor's upload to a traced shipment, by the console's pages alone."""
