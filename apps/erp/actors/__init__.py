"""Re-exports the actors of all subjects (Dramatiq finds them here)."""

from apps.erp.automation.actors.automatic_documents import issue_document
from apps.erp.automation.actors.automatic_prints import (
    plan_automatic_prints,
    start_automatic_prints,
)
from apps.erp.automation.actors.received_files import receive_gcode
from apps.erp.inventory.actors.stock_levels import check_stock_levels
from apps.erp.orders.actors.documents import make_document
from apps.erp.orders.actors.estimates import continue_estimates, estimate_line_item
from apps.erp.orders.actors.messages import resume_messages, send_message
from apps.erp.orders.actors.paid_orders import release_paid_order
from apps.erp.orders.actors.print_report_files import make_print_report_file
from apps.erp.orders.actors.print_reports import make_print_report
from apps.erp.price_tables.actors.price_tables import (
    compute_price_table,
    forget_price_tables,
    learn_speed,
    refresh_price_tables,
)
from apps.erp.price_tables.actors.replacements import use_replacement
from apps.erp.price_tables.actors.storefront_orders import confirm_storefront_order
from apps.erp.printing.actors.agents import mark_silent_agents_offline
from apps.erp.printing.actors.cameras import prune_camera_pictures
from apps.erp.printing.actors.readings import prune_attempt_readings
from apps.erp.printing.actors.received_files import prune_received_files
from apps.erp.printing.actors.timelapses import make_timelapse
from apps.erp.production.actors.capacities import count_capacity
from apps.erp.production.actors.maintenance import check_maintenance
from apps.erp.production.actors.packing import continue_runs, pack_run, render_packing

__all__ = [
    "check_maintenance",
    "check_stock_levels",
    "compute_price_table",
    "confirm_storefront_order",
    "continue_estimates",
    "continue_runs",
    "count_capacity",
    "estimate_line_item",
    "forget_price_tables",
    "issue_document",
    "learn_speed",
    "make_document",
    "make_print_report",
    "make_print_report_file",
    "make_timelapse",
    "pack_run",
    "prune_attempt_readings",
    "prune_camera_pictures",
    "prune_received_files",
    "receive_gcode",
    "render_packing",
    "refresh_price_tables",
    "release_paid_order",
    "mark_silent_agents_offline",
    "plan_automatic_prints",
    "start_automatic_prints",
    "resume_messages",
    "send_message",
    "use_replacement",
]
