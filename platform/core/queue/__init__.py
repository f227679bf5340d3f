"""Job queue: broker, consumer, fair queueing, leases, quotas, probes."""
