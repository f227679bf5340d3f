"""Dotted-path hooks: which upper app implements what a lower app must not import."""

import os

# Files of slicers: who sends with a key, (secret, network=) -> their Sender, or by HTTP digest,
# (credentials, realm=, method=, target=, network=) -> their Sender; whether a file of
# theirs is received, (sender, name); who stores it, (sender, name=, path=, sha256=, size=, ...).
SLICER_SENDER_HOOK = "apps.erp.interface.sender_of"
SLICER_DIGEST_HOOK = "apps.erp.interface.sender_of_digest"
EXPECT_SLICER_FILE_HOOK = "apps.erp.interface.require_receivable"
RECEIVE_SLICER_FILE_HOOK = "apps.erp.interface.receive_file"
# Per kind of resource: who knows whether a file is waited for, and who takes it; `place` puts it
# into storage.
EXPECT_CONTENT = {
    "engine-job": "apps.slicing.interface.expect_output",
    "gcode": "apps.slicing.interface.expect_gcode",
    "model": "apps.warehouse.interface.expect_content",
    "operation": "apps.integrations.interface.expect_result",
}
STORE_CONTENT = {
    "engine-job": "apps.slicing.interface.store_output",
    "gcode": "apps.slicing.interface.store_gcode",
    "model": "apps.warehouse.interface.store_content",
    "operation": "apps.integrations.interface.store_result",
}
# Whether a URI names something that an action can be priced at: payment is below what it prices.
IS_SERVICE = "apps.integrations.interface.is_service"
# Whether a token is that of an invitation which can be accepted: (token) -> bool.
IS_INVITATION = "apps.erp.interface.is_invitation"
# The keys of the objects that a user holds a right on: a function (key, namespace, right) of the
# database.
RIGHTS_FUNCTION = "users_held"
# The callbacks that a user gave with resources: (uris, owner_id) -> {uri: {url, method}}.
CALLBACKS_OF = "apps.callbacks.interface.callbacks_of"
# What follows for the callbacks of what is deleted, (uri), and the rights on it, (actor, object).
CANCEL_CALLBACKS_HOOK = "apps.callbacks.interface.cancel_pending"
REVOKE_RIGHTS_HOOK = "apps.users.interface.revoke_all_on"
# Whom a refusal names as able to help: (user, namespace, on) -> URIs.
GRANTERS_HOOK = "apps.users.interface.who_may_grant"
# How much an account has of what is limited: (key of a user) -> a number.
LIMIT_COUNTS = {
    "models_day": "apps.warehouse.interface.made_today",
    "callbacks": "apps.callbacks.interface.waiting_of",
    "subscriptions": "apps.callbacks.interface.subscriptions_of",
    "sinks": "apps.callbacks.interface.sinks_of",
    "groups": "apps.users.interface.groups_joined",
    "tokens": "apps.users.interface.tokens_of",
}
# After a state change, the actors to send, by name: news travels upward without an import.
EVENT_HOOKS = {
    "model.settled": [
        "start_waiting_slices",
        "continue_operations",
        "continue_estimates",
        "use_replacement",
        "picture_packing",
    ],
    "slice.settled": [
        "continue_estimates",
        "continue_runs",
        "learn_speed",
        "refresh_price_tables",
    ],
    "half-minute.over": [
        "show_silent_agents",
        "plan_automatic_prints",
        "check_engine_jobs",
    ],
    "gcode.settled": ["receive_gcode"],
    "hour.over": [
        "end_visits",
        "expire_uploads",
        "expire_gcode_uploads",
        "forget_price_tables",
        "empty_deleted_models",
        "settle_invoices",
        "prune_callbacks",
        "resume_messages",
        "prune_notifications",
        "prune_attempt_readings",
        "prune_camera_pictures",
        "prune_received_files",
        "check_stock_levels",
        "check_maintenance",
    ],
}
# Whether each upload is described for geometric search; otherwise only what is indexed is found.
if os.environ.get("SEARCH_DESCRIBE_UPLOADS", "on") == "on":
    EVENT_HOOKS["model.settled"].append("describe_model")
# What follows for the owner of a job that failed: (owner=, subject=, name=).
JOB_FAILED_HOOK = "apps.users.interface.notify_of_failure"
# Where a person hears what belongs to a bureau: (bureau=, location=, user=) -> Board; callbacks is
# below what it tells of.
EVENT_SCOPE_HOOK = "apps.erp.interface.board_of"
# Whether somebody reads a bureau now: (person, bureau) -> bool, by their keys.
CAN_READ_BUREAU_HOOK = "apps.erp.interface.reads_bureau"
# The keys of the bureaus that a person reads: (person) -> UUIDs.
READABLE_BUREAUS_HOOK = "apps.erp.interface.readable_bureaus"
# The accounts of customers at storefronts: () -> QuerySet with `bureau`, a URI, and `email`, in
# lower case.
STOREFRONT_ACCOUNTS_HOOK = "apps.sales.interface.customer_accounts"
# Who begins the conversion of a file, (uri=, owner=, asked=) -> what its model tells of it or None.
CONVERT_FILE = "apps.integrations.interface.convert_file"
# Whether each upload of another type than STL is converted at once; its owner may say no.
CONVERT_UPLOADS = os.environ.get("CONVERT_UPLOADS", "on") == "on"
# What still needs models and keeps them from being deleted: (URIs) -> {URI: {line item: status}}.
MODELS_IN_USE = "apps.erp.interface.line_items_in_production"
# Type of event -> the JSON schema of what it tells.
EVENTS = "project.event_catalogue.SCHEMAS"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.users.domain.authentication.SessionOrTokenAuthentication"
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["core.api.renderers.Renderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "core.api.renderers.JsonOnlyNegotiation",
    "DEFAULT_PARSER_CLASSES": [
        "core.api.parsers.JSONParser",
        "core.api.parsers.FormParser",
        "core.api.parsers.MultiPartParser",
    ],
    "DEFAULT_SCHEMA_CLASS": "core.api.openapi.schema.Schema",
    "EXCEPTION_HANDLER": "core.api.exception_handler.answer",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "COERCE_DECIMAL_TO_STRING": False,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {},
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [],
    "DISABLE_ERRORS_AND_WARNINGS": False,
}
