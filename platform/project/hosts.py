"""Host routing (django-hosts): subdomain to URLconf."""

from django_hosts import host, patterns

host_patterns = patterns(
    "",
    host("users", "apps.users.urls", name="users"),
    host("models", "apps.warehouse.urls", name="models"),
    host("(?:slicing|quickslice)", "apps.slicing.urls", name="slicing"),
    host("integrations", "apps.integrations.urls", name="integrations"),
    host("payment", "apps.payment.urls", name="payment"),
    host("erp", "apps.erp.urls", name="erp"),
    host("sales", "apps.sales.urls", name="sales"),
    host("callbacks", "apps.callbacks.urls", name="callbacks"),
    host("(?:search|geometricsearch)", "apps.search.urls", name="search"),
    host("events", "project.event_host_urls", name="events"),
    host("data", "project.data_urls", name="data"),
    host("admin", "project.admin_urls", name="admin"),
    host("www", "project.urls", name="www"),
    host("storefront", "project.storefront_urls", name="storefront"),
    host("nowhere", "project.unknown_host_urls", name="nowhere"),
)
