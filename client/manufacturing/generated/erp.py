"""Erp: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

AgentsFilters = TypedDict("AgentsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "location": Filter, "name": Filter, "seen": Filter, "seen_from": Filter, "seen_to": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "version": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Agent = TypedDict("Agent", {
    "uri": str, "created": str, "updated": str, "bureau": str, "location": str, "name": str,
    "version": str | None, "seen": str | None, "status": str,
})
AgentRequest = TypedDict("AgentRequest", {"location": Ref, "name": str})
PairRequest = TypedDict("PairRequest", {"code": str})
Pair = TypedDict("Pair", {"agent": str, "name": str, "token": str})
AgentChange = TypedDict("AgentChange", {"location": Ref, "name": str}, total=False)
Code = TypedDict("Code", {"code": str, "expires": str})
Search = TypedDict("Search", {"addresses": str, "state": str, "requested": str})
Host = TypedDict("Host", {
    "driver": str, "host": str, "name": str | None, "address": str, "discovered_by": str,
    "seen": str,
})
Hosts = TypedDict("Hosts", {"supported": bool, "search": Search | None, "hosts": list[Host]})
SearchRequest = TypedDict("SearchRequest", {"addresses": str})
AttemptsFilters = TypedDict("AttemptsFilters", {
    "began": Filter, "began_from": Filter, "began_to": Filter, "bureau": Filter, "cleared": Filter,
    "cleared_from": Filter, "cleared_to": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "detached": Filter, "ended": Filter, "ended_from": Filter,
    "ended_to": Filter, "estimated_seconds": Filter, "estimated_seconds_from": Filter,
    "estimated_seconds_to": Filter, "loaded": Filter, "name": Filter, "printer": Filter,
    "printing_seconds": Filter, "printing_seconds_from": Filter, "printing_seconds_to": Filter,
    "progress": Filter, "progress_from": Filter, "progress_to": Filter, "run": Filter,
    "status": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "wanted": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Used = TypedDict("Used", {"volume": float, "mass": float | None, "source": str})
Skipped = TypedDict("Skipped", {"piece": str | None, "object": str | None, "how": str | None})
Attempt = TypedDict("Attempt", {
    "uri": str, "created": str, "updated": str, "bureau": str, "run": str, "printer": str,
    "name": str, "status": str, "detached": bool, "began": str | None, "ended": str | None,
    "cleared": str | None, "printing_seconds": float | None, "estimated_seconds": float | None,
    "progress": float | None, "used": Used | None, "wanted": str | None, "skips": list[Skipped],
    "notes": str | None, "evidence": Any, "loaded": list[str],
})
AttemptRequest = TypedDict("AttemptRequest", {
    "printer": Ref, "skip": Ref, "skip_object": str | None, "progress": float | None,
    "run": Required[Ref],
    "status": Literal["planned", "sent", "armed", "printing", "paused", "unclear", "never", "done", "stopped", "failed"],
    "notes": str | None,
}, total=False)
AttemptChange = TypedDict("AttemptChange", {
    "printer": Ref, "skip": Ref, "skip_object": str | None, "progress": float | None, "run": Ref,
    "status": Literal["planned", "sent", "armed", "printing", "paused", "unclear", "never", "done", "stopped", "failed"],
    "notes": str | None,
}, total=False)
EventsFilters = TypedDict("EventsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "sequence": Filter,
    "sequence_from": Filter, "sequence_to": Filter, "type": Filter, "uri": Filter, "sort": str,
    "limit": int,
}, total=False)
Outcome = TypedDict("Outcome", {
    "outcome": str, "count": int, "first": str, "last": str, "milliseconds": int,
    "answer": str | None,
})
Delivery = TypedDict("Delivery", {
    "webhook_id": str, "url": str, "method": str, "subscription": str | None, "state": str,
    "attempts": int, "outcomes": list[Outcome], "error": str | None, "created": str,
    "next_attempt": str | None, "delivered": str | None, "replayed": str | None,
})
Event = TypedDict("Event", {
    "position": int, "type": str, "sequence": int, "created": str, "changes": JsonObject,
    "deliveries": list[Delivery],
})
Error = TypedDict("Error", {
    "code": Required[str], "title": Required[str], "field": str, "details": JsonObject,
}, total=False)
Timelapse = TypedDict("Timelapse", {
    "pictures": int, "status": str | None, "errors": list[Error] | None, "media_type": str | None,
    "content": str | None,
})
ObjectsFilters = TypedDict("ObjectsFilters", {"limit": int}, total=False)
Center = TypedDict("Center", {"x": float, "y": float})
Reason = TypedDict("Reason", {"code": str, "title": str})
PrintedPiece = TypedDict("PrintedPiece", {
    "piece": str | None, "key": str | None, "name": str, "number": int | None, "status": str | None,
    "object": str | None, "center": Center | None, "reason": Reason | None, "skipped": bool,
    "how": str | None,
})
PicturesFilters = TypedDict("PicturesFilters", {"limit": int}, total=False)
AttemptPicture = TypedDict("AttemptPicture", {"status": str, "at": str, "content": str})
Readings = TypedDict("Readings", {
    "interval": int, "seconds": list[int], "progress": list[float | None],
    "nozzle": list[float | None], "bed": list[float | None],
})
BankAccountsFilters = TypedDict("BankAccountsFilters", {
    "account_holder": Filter, "bic": Filter, "bureau": Filter, "created": Filter,
    "created_from": Filter, "created_to": Filter, "iban": Filter, "term_days": Filter,
    "term_days_from": Filter, "term_days_to": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
BankAccount = TypedDict("BankAccount", {
    "uri": str, "created": str, "updated": str, "bureau": str, "account_holder": str, "iban": str,
    "bic": str | None, "term_days": int,
})
BankAccountRequest = TypedDict("BankAccountRequest", {
    "account_holder": str, "iban": str, "bic": NotRequired[str | None], "bureau": Ref,
    "term_days": NotRequired[int],
})
BankAccountChange = TypedDict("BankAccountChange", {
    "account_holder": str, "iban": str, "bic": str | None, "bureau": Ref, "term_days": int,
}, total=False)
BureausFilters = TypedDict("BureausFilters", {
    "accent": Filter, "automatic_invoices": Filter, "automatic_quotes": Filter, "created": Filter,
    "created_from": Filter, "created_to": Filter, "currency": Filter, "electricity_price": Filter,
    "electricity_price_from": Filter, "electricity_price_to": Filter, "email": Filter,
    "group": Filter, "language": Filter, "name": Filter, "order_banner.link": Filter,
    "phone": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "vat_number": Filter, "website": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
BureauOrderBanner = TypedDict("BureauOrderBanner", {"message": str | None, "link": str | None})
Bureau = TypedDict("Bureau", {
    "uri": str, "created": str, "updated": str, "name": str, "description": str | None,
    "group": str, "currency": str, "electricity_price": float | None, "introduction": str | None,
    "email": str | None, "phone": str | None, "address": str | None, "website": str | None,
    "vat_number": str | None, "legal_notice": str | None, "language": str | None,
    "automatic_quotes": bool, "automatic_invoices": str, "accent": str | None,
    "order_banner": BureauOrderBanner, "logo": str | None, "accent_contrast": float | None,
    "style": str | None,
})
BureauOrderBannerRequest = TypedDict("BureauOrderBannerRequest", {
    "message": str | None, "link": str | None,
}, total=False)
BureauRequest = TypedDict("BureauRequest", {
    "accent": str | None, "website": Ref | None, "name": Required[str], "description": str | None,
    "currency": str, "electricity_price": float | None, "introduction": str | None,
    "email": str | None, "phone": str | None, "address": str | None, "vat_number": str | None,
    "legal_notice": str | None, "language": Literal["en", "de"] | None, "automatic_quotes": bool,
    "automatic_invoices": Literal["never", "confirmed", "shipped"],
    "order_banner": BureauOrderBannerRequest,
}, total=False)
BureauChange = TypedDict("BureauChange", {
    "accent": str | None, "website": Ref | None, "name": str, "description": str | None,
    "currency": str, "electricity_price": float | None, "introduction": str | None,
    "email": str | None, "phone": str | None, "address": str | None, "vat_number": str | None,
    "legal_notice": str | None, "language": Literal["en", "de"] | None, "automatic_quotes": bool,
    "automatic_invoices": Literal["never", "confirmed", "shipped"],
    "order_banner": BureauOrderBannerRequest,
}, total=False)
CustomerImportRequest = TypedDict("CustomerImportRequest", {"customers": list[JsonObject]})
RowError = TypedDict("RowError", {"code": str, "title": str, "field": str | None})
ImportResult = TypedDict("ImportResult", {
    "outcome": str, "customer": str | None, "errors": list[RowError],
})
CustomerImport = TypedDict("CustomerImport", {"results": list[ImportResult]})
CustomerAmounts = TypedDict("CustomerAmounts", {
    "currency": str, "revenue": float, "open": float, "overdue": float,
})
CustomerSummary = TypedDict("CustomerSummary", {
    "customer": str, "orders": int, "open_orders": int, "amounts": list[CustomerAmounts] | None,
})
CustomerSummaries = TypedDict("CustomerSummaries", {"summaries": list[CustomerSummary]})
FailureCounts = TypedDict("FailureCounts", {
    "prints": int, "failed": int, "stopped": int, "pieces": int, "rejected": int,
})
PrinterFailures = TypedDict("PrinterFailures", {
    "prints": int, "failed": int, "stopped": int, "pieces": int, "rejected": int,
    "printer": str | None, "name": str | None,
})
MaterialFailures = TypedDict("MaterialFailures", {
    "prints": int, "failed": int, "stopped": int, "pieces": int, "rejected": int,
    "material": str | None, "name": str | None,
})
ProfileFailures = TypedDict("ProfileFailures", {
    "prints": int, "failed": int, "stopped": int, "pieces": int, "rejected": int,
    "config": str | None,
})
FailureRates = TypedDict("FailureRates", {
    "since": str, "total": FailureCounts, "printers": list[PrinterFailures],
    "materials": list[MaterialFailures], "profiles": list[ProfileFailures],
})
SalesWeek = TypedDict("SalesWeek", {"week": str, "net": float})
OpenQuotes = TypedDict("OpenQuotes", {"count": int, "total": float | None})
Punctuality = TypedDict("Punctuality", {"due": int, "late": int, "share": float | None})
Utilisation = TypedDict("Utilisation", {
    "printers": int, "printing_seconds": float, "share": float | None,
})
Scrap = TypedDict("Scrap", {"finished": int, "rejected": int, "share": float | None})
Figures = TypedDict("Figures", {
    "bureau": str, "currency": str, "sales": list[SalesWeek] | None, "quotes": OpenQuotes,
    "on_time": Punctuality, "utilisation": Utilisation, "scrap": Scrap, "orders": dict[str, int],
    "waiting_printers": int,
})
TypeMatch = TypedDict("TypeMatch", {
    "printer_type": str, "name": str, "fits": bool, "named": bool, "reasons": list[Reason],
})
ObjectMatch = TypedDict("ObjectMatch", {
    "name": str, "count": int, "pieces": list[str], "ambiguous": bool,
})
GcodeMatch = TypedDict("GcodeMatch", {
    "gcode": str, "printer_types": list[TypeMatch], "material": str | None,
    "objects": list[ObjectMatch],
})
LogoRequest = TypedDict("LogoRequest", {"content": str})
MessageDraftRequest = TypedDict("MessageDraftRequest", {
    "moment": Required[Literal["received", "priced", "question", "confirmed", "invoice", "payment-received", "in-production", "shipped", "completed", "cancelled", "approval", "declined"]],
    "language": Required[Literal["en", "de"]], "subject": str | None, "text": str | None,
}, total=False)
MessagePreview = TypedDict("MessagePreview", {"subject": str, "text": str})
Message = TypedDict("Message", {
    "uri": str, "created": str, "updated": str, "bureau": str, "order": str | None,
    "channel": str | None, "moment": str, "recipient": str | None, "language": str, "subject": str,
    "text": str, "status": str, "attempts": int, "error": str | None, "refused": bool,
    "next_attempt": str | None, "sent_at": str | None, "message_id": str | None,
})
MessageTextsFilters = TypedDict("MessageTextsFilters", {"limit": int}, total=False)
MessageTextEntry = TypedDict("MessageTextEntry", {
    "moment": str, "language": str, "enabled": bool, "subject": str, "text": str,
    "is_default": bool, "template": str | None,
})
OpenCounts = TypedDict("OpenCounts", {
    "bureau": str, "line_items": int, "printers": int, "orders": int, "materials": int,
})
OpenAmount = TypedDict("OpenAmount", {"currency": str, "net": float})
OrderFigures = TypedDict("OrderFigures", {
    "bureau": str, "open": int, "late": int, "due_today": int, "amounts": list[OpenAmount] | None,
})
OrderSummary = TypedDict("OrderSummary", {
    "order": str, "stage": str, "line_items": int, "pieces": int, "made": int,
    "picture": str | None, "color": str | None, "net": float | None, "gross": float | None,
    "currency": str, "payment": str | None,
})
OrderSummaries = TypedDict("OrderSummaries", {"summaries": list[OrderSummary]})
ScheduledPrint = TypedDict("ScheduledPrint", {
    "run": str, "name": str, "printer": str, "attempt": str | None, "start": str, "end": str,
    "queued": bool,
})
RunWithoutTime = TypedDict("RunWithoutTime", {"run": str, "name": str, "reason": Reason})
Schedule = TypedDict("Schedule", {
    "prints": list[ScheduledPrint], "unscheduled": list[RunWithoutTime],
})
ShortagesFilters = TypedDict("ShortagesFilters", {"limit": int}, total=False)
Shortage = TypedDict("Shortage", {
    "material": str, "name": str, "unit": str, "needed": float, "free": float, "missing": float,
    "runs": list[str], "line_items": list[str],
})
UnitFigures = TypedDict("UnitFigures", {
    "unit": str, "lots": int, "remaining": float, "reserved": float, "used": float,
})
StockFigures = TypedDict("StockFigures", {
    "bureau": str, "currency": str, "value": float, "units": list[UnitFigures],
    "low_materials": list[str],
})
UnscheduledFilters = TypedDict("UnscheduledFilters", {"limit": int}, total=False)
Unscheduled = TypedDict("Unscheduled", {
    "line_item": str, "process_step": str | None, "count": int, "pieces": list[str],
    "priority": int | None, "due_date": str | None, "position": int | None, "hold": bool,
    "name": str | None, "material": str | None, "order": str | None, "order_number": int | None,
    "customer": str | None, "process_type": str | None,
})
CardAccountsFilters = TypedDict("CardAccountsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "enabled": Filter, "error": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
CardAccount = TypedDict("CardAccount", {
    "uri": str, "created": str, "updated": str, "bureau": str, "enabled": bool, "error": str | None,
    "mode": str | None, "signed": bool, "webhook_url": str,
})
CardAccountRequest = TypedDict("CardAccountRequest", {
    "secret_key": Required[str], "webhook_secret": str | None, "bureau": Required[Ref],
    "enabled": bool,
}, total=False)
CardAccountChange = TypedDict("CardAccountChange", {
    "secret_key": str, "webhook_secret": str | None, "bureau": Ref, "enabled": bool,
}, total=False)
CardAccountTest = TypedDict("CardAccountTest", {
    "works": bool, "mode": str | None, "currencies": list[str], "error": str | None,
})
CompanyMembersFilters = TypedDict("CompanyMembersFilters", {
    "bureau": Filter, "company": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "email": Filter, "name": Filter, "role": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
CompanyMember = TypedDict("CompanyMember", {
    "uri": str, "created": str, "updated": str, "bureau": str, "company": str, "email": str,
    "name": str | None, "role": str,
})
CompanyMemberRequest = TypedDict("CompanyMemberRequest", {
    "company": Required[Ref], "email": Required[str], "name": str | None,
    "role": Literal["buyer", "approver"],
}, total=False)
CompanyMemberChange = TypedDict("CompanyMemberChange", {
    "company": Ref, "email": str, "name": str | None, "role": Literal["buyer", "approver"],
}, total=False)
CreateGcodeRunRequest = TypedDict("CreateGcodeRunRequest", {
    "gcode": Required[Ref], "printer_type": Ref | None, "printer": Ref | None,
    "run_name": str | None, "material": Ref | None, "pieces": list[Ref],
}, total=False)
Actuals = TypedDict("Actuals", {
    "start": str | None, "finish": str | None, "printing_seconds": float | None,
})
Place = TypedDict("Place", {"before": int, "seconds": int})
Run = TypedDict("Run", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "operation": str,
    "status": str, "printer": str | None, "printer_type": str | None, "any_of_type": bool,
    "post_processor": str | None, "shipping": str | None, "material": str | None,
    "config": str | None, "slice": str | None, "slicing": str | None, "slicing_errors": Any,
    "gcode": str | None, "model": str | None, "snapshots": Any, "report": Any, "estimates": Any,
    "errors": Any, "progress": float | None, "notes": str | None, "moves": list[str],
    "pieces": list[str], "content_3mf": str | None, "actuals": Actuals, "queue": Place | None,
})
CreateRunsRequest = TypedDict("CreateRunsRequest", {
    "run_name": Required[str], "printer": Required[Ref], "pieces": Required[list[Ref]],
    "do_build_volume_check": bool, "config": Ref | None, "seed": int,
    "budget": Literal["quick", "standard", "thorough"],
}, total=False)
CurrencyConversionsFilters = TypedDict("CurrencyConversionsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "currency": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "value": Filter, "value_from": Filter, "value_to": Filter, "sort": str,
    "limit": int,
}, total=False)
CurrencyConversion = TypedDict("CurrencyConversion", {
    "uri": str, "created": str, "updated": str, "bureau": str, "currency": str, "value": float,
})
CurrencyConversionRequest = TypedDict("CurrencyConversionRequest", {
    "bureau": Ref, "currency": str, "value": float,
})
CurrencyConversionChange = TypedDict("CurrencyConversionChange", {
    "bureau": Ref, "currency": str, "value": float,
}, total=False)
CustomerCompaniesFilters = TypedDict("CustomerCompaniesFilters", {
    "approval_limit": Filter, "approval_limit_from": Filter, "approval_limit_to": Filter,
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "group": Filter, "name": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
CustomerCompany = TypedDict("CustomerCompany", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "approval_limit": float | None, "group": str | None, "notes": str | None,
})
CustomerCompanyRequest = TypedDict("CustomerCompanyRequest", {
    "bureau": Required[Ref], "name": Required[str], "approval_limit": float | None,
    "group": Ref | None, "notes": str | None,
}, total=False)
CustomerCompanyChange = TypedDict("CustomerCompanyChange", {
    "bureau": Ref, "name": str, "approval_limit": float | None, "group": Ref | None,
    "notes": str | None,
}, total=False)
CustomerGroupsFilters = TypedDict("CustomerGroupsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "name": Filter, "price_list": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
CustomerGroup = TypedDict("CustomerGroup", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None, "price_list": str | None,
})
CustomerGroupRequest = TypedDict("CustomerGroupRequest", {
    "bureau": Required[Ref], "name": Required[str], "description": str | None,
    "price_list": Ref | None,
}, total=False)
CustomerGroupChange = TypedDict("CustomerGroupChange", {
    "bureau": Ref, "name": str, "description": str | None, "price_list": Ref | None,
}, total=False)
CustomersFilters = TypedDict("CustomersFilters", {
    "bureau": Filter, "company": Filter, "contact": Filter, "country": Filter, "created": Filter,
    "created_from": Filter, "created_to": Filter, "email": Filter, "group": Filter,
    "language": Filter, "name": Filter, "phone": Filter, "reference": Filter, "segment": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter, "user": Filter,
    "vat_confirmed": Filter, "vat_confirmed_by": Filter, "vat_confirmed_on": Filter,
    "vat_confirmed_on_from": Filter, "vat_confirmed_on_to": Filter, "vat_number": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Customer = TypedDict("Customer", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "reference": str | None,
    "contact": str | None, "email": str | None, "phone": str | None, "address": str | None,
    "country": str | None, "vat_number": str | None, "vat_confirmed": bool,
    "vat_confirmed_by": str | None, "vat_confirmed_on": str | None, "language": str | None,
    "group": str | None, "company": str | None, "user": str | None, "notes": str | None,
})
CustomerRequest = TypedDict("CustomerRequest", {
    "country": str | None, "vat_number": str | None, "bureau": Required[Ref], "name": Required[str],
    "reference": str | None, "contact": str | None, "email": str | None, "phone": str | None,
    "address": str | None, "vat_confirmed": bool, "language": Literal["en", "de"] | None,
    "group": Ref | None, "company": Ref | None, "user": Ref | None, "notes": str | None,
}, total=False)
CustomerChange = TypedDict("CustomerChange", {
    "country": str | None, "vat_number": str | None, "bureau": Ref, "name": str,
    "reference": str | None, "contact": str | None, "email": str | None, "phone": str | None,
    "address": str | None, "vat_confirmed": bool, "language": Literal["en", "de"] | None,
    "group": Ref | None, "company": Ref | None, "user": Ref | None, "notes": str | None,
}, total=False)
DocumentSeriesFilters = TypedDict("DocumentSeriesFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "next": Filter, "next_from": Filter, "next_to": Filter, "prefix": Filter, "type": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter, "year": Filter,
    "year_from": Filter, "year_to": Filter, "yearly": Filter, "sort": str, "limit": int,
}, total=False)
DocumentSeries = TypedDict("DocumentSeries", {
    "uri": str, "created": str, "updated": str, "bureau": str, "type": str, "prefix": str | None,
    "next": int, "yearly": bool, "year": int | None,
})
DocumentSeriesRequest = TypedDict("DocumentSeriesRequest", {
    "prefix": str | None, "bureau": Required[Ref],
    "type": Required[Literal["quote", "confirmation", "invoice", "credit-note", "delivery-note"]],
    "next": int, "yearly": bool,
}, total=False)
DocumentSeriesChange = TypedDict("DocumentSeriesChange", {
    "prefix": str | None, "bureau": Ref,
    "type": Literal["quote", "confirmation", "invoice", "credit-note", "delivery-note"],
    "next": int, "yearly": bool,
}, total=False)
DocumentsFilters = TypedDict("DocumentsFilters", {
    "bureau": Filter, "corrects": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "currency": Filter, "gross": Filter, "gross_from": Filter,
    "gross_to": Filter, "issued_on": Filter, "issued_on_from": Filter, "issued_on_to": Filter,
    "language": Filter, "net": Filter, "net_from": Filter, "net_to": Filter, "number": Filter,
    "order": Filter, "quote": Filter, "shipment": Filter, "status": Filter, "type": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
DocumentLine = TypedDict("DocumentLine", {
    "line_item": str | None, "name": str, "detail": str, "quantity": int, "unit": float | None,
    "net": float | None, "category": str, "rate": float,
})
Tax = TypedDict("Tax", {
    "category": str, "rate": float, "basis": float, "amount": float, "sentence": str | None,
})
Document = TypedDict("Document", {
    "uri": str, "created": str, "updated": str, "bureau": str, "order": str, "type": str,
    "status": str, "number": str | None, "issued_on": str, "language": str, "quote": str | None,
    "corrects": str | None, "shipment": str | None, "currency": str, "net": float | None,
    "gross": float | None, "errors": list[Error] | None, "lines": list[DocumentLine],
    "taxes": list[Tax], "due_on": str | None, "download": str | None,
})
DocumentLineRequest = TypedDict("DocumentLineRequest", {"line_item": Ref, "quantity": int})
DocumentRequest = TypedDict("DocumentRequest", {
    "lines": list[DocumentLineRequest], "order": Required[Ref],
    "type": Required[Literal["quote", "confirmation", "invoice", "credit-note", "delivery-note"]],
    "corrects": Ref | None, "shipment": Ref | None,
}, total=False)
OpenLine = TypedDict("OpenLine", {"line_item": str | None, "name": str, "quantity": int})
OpenLines = TypedDict("OpenLines", {"lines": list[OpenLine]})
FeaturesFilters = TypedDict("FeaturesFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "enabled": Filter, "name": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Feature = TypedDict("Feature", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None, "enabled": bool,
})
FeatureRequest = TypedDict("FeatureRequest", {
    "bureau": Required[Ref], "name": Required[str], "description": str | None, "enabled": bool,
}, total=False)
FeatureChange = TypedDict("FeatureChange", {
    "bureau": Ref, "name": str, "description": str | None, "enabled": bool,
}, total=False)
InvitationsFilters = TypedDict("InvitationsFilters", {
    "accepted_by": Filter, "bureau": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "expires": Filter, "expires_from": Filter, "expires_to": Filter,
    "name": Filter, "role": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Invitation = TypedDict("Invitation", {
    "uri": str, "created": str, "updated": str, "bureau": str, "role": str, "name": str | None,
    "expires": str | None, "accepted_by": str | None,
})
InvitationRequest = TypedDict("InvitationRequest", {
    "bureau": Ref, "role": Literal["owner", "production", "sales", "viewer"],
    "name": NotRequired[str | None],
})
AcceptRequest = TypedDict("AcceptRequest", {"token": str})
Accepted = TypedDict("Accepted", {"bureau": str, "role": str})
InvitationChange = TypedDict("InvitationChange", {
    "bureau": Ref, "role": Literal["owner", "production", "sales", "viewer"], "name": str | None,
}, total=False)
InvitationLink = TypedDict("InvitationLink", {"link": str, "token": str, "expires": str})
LineItemsFilters = TypedDict("LineItemsFilters", {
    "bureau": Filter, "config": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "customer_id": Filter, "hold": Filter, "infill_strategy": Filter,
    "itar": Filter, "layer_thickness": Filter, "layer_thickness_from": Filter,
    "layer_thickness_to": Filter, "materials.base": Filter, "materials.support": Filter,
    "model": Filter, "name": Filter, "no_model_upload": Filter, "order": Filter,
    "orientation": Filter, "position": Filter, "position_from": Filter, "position_to": Filter,
    "priority": Filter, "priority_from": Filter, "priority_to": Filter, "product": Filter,
    "quantity": Filter, "quantity_from": Filter, "quantity_to": Filter, "slice": Filter,
    "status": Filter, "support_strategy": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "workflow": Filter, "search": dict[str, str], "sort": str,
    "limit": int,
}, total=False)
Cost = TypedDict("Cost", {"amount": float | None, "currency": str})
PieceEstimate = TypedDict("PieceEstimate", {
    "print_time": float | None, "material": float | None, "cost": Cost,
})
Term = TypedDict("Term", {
    "name": str, "quantity": float | None, "unit": str, "price": float | None,
    "factor": float | None, "amount": float | None, "reason": str | None, "source": str | None,
})
Converted = TypedDict("Converted", {
    "from": str, "to": str, "factor": float | None, "reason": str | None,
})
SlicedWith = TypedDict("SlicedWith", {
    "config": str, "layer_height": float | None, "supports": NotRequired[bool | None],
    "infill": NotRequired[float | None], "presets": dict[str, str] | None, "time_factor": float,
})
Estimates = TypedDict("Estimates", {
    "print_time": float | None, "material": float | None, "cost": Cost, "per_piece": PieceEstimate,
    "lead_time": float | None, "lead_time_reason": str | None, "terms": list[Term],
    "conversion": Converted | None, "sliced_with": NotRequired[SlicedWith | None],
})
PricePart = TypedDict("PricePart", {"step": str, "sentence": str, "amount": float})
Parcel = TypedDict("Parcel", {"grams": float | None, "longest": float | None})
LinePrice = TypedDict("LinePrice", {
    "net": Required[float], "taxes": list[Tax], "gross": float, "includes_tax": bool, "unit": float,
    "unit_of": int, "currency": Required[str], "terms": Required[list[PricePart]], "basis": str,
    "within": float, "parcel": Parcel, "agreed": str,
}, total=False)
Review = TypedDict("Review", {"code": str, "title": str, "why": NotRequired[str]})
ManualPrice = TypedDict("ManualPrice", {"net": float, "note": str, "by": str})
LineItemMaterials = TypedDict("LineItemMaterials", {"base": str | None, "support": str | None})
LineItem = TypedDict("LineItem", {
    "uri": str, "created": str, "updated": str, "bureau": str, "order": str | None,
    "product": str | None, "model": str | None, "no_model_upload": bool, "name": str | None,
    "status": str, "quantity": int, "workflow": str | None, "layer_thickness": float | None,
    "orientation": str | None, "config": str | None, "support_strategy": str | None,
    "infill_strategy": str | None, "custom_field_values": list[Any], "customer_id": str | None,
    "itar": bool | None, "priority": int | None, "position": int | None, "hold": bool,
    "notes": str | None, "estimates": Estimates | None, "slice": str | None, "errors": Any,
    "price": LinePrice | None, "review": list[Review] | None, "manual_price": ManualPrice | None,
    "materials": LineItemMaterials, "moves": list[str], "snapshot": str | None,
})
ManualPriceRequest = TypedDict("ManualPriceRequest", {
    "net": Required[float], "note": str | None,
}, total=False)
LineItemMaterialsRequest = TypedDict("LineItemMaterialsRequest", {
    "base": Ref | None, "support": Ref | None,
}, total=False)
LineItemRequest = TypedDict("LineItemRequest", {
    "manual_price": ManualPriceRequest | None, "quantity": Required[int], "plate": int,
    "bureau": Required[Ref], "order": Ref | None, "product": Ref | None, "model": Ref | None,
    "no_model_upload": bool, "name": str | None,
    "status": Literal["new", "calculating_estimates", "pending", "confirmed", "queued", "printing", "post-processing", "shipping", "complete", "cancelled", "error"],
    "workflow": Ref | None, "layer_thickness": float | None,
    "orientation": Literal["free", "upright", "as_is"] | None, "config": Ref | None,
    "support_strategy": str | None, "infill_strategy": str | None, "custom_field_values": list[Any],
    "customer_id": str | None, "itar": bool | None, "priority": int | None, "position": int | None,
    "hold": bool, "notes": str | None, "materials": LineItemMaterialsRequest,
}, total=False)
LineItemChangeRequest = TypedDict("LineItemChangeRequest", {
    "uri": Required[Ref], "priority": int | None, "position": int | None, "hold": bool,
}, total=False)
LineItemsRequest = TypedDict("LineItemsRequest", {"line_items": list[LineItemChangeRequest]})
LineItemChange = TypedDict("LineItemChange", {
    "manual_price": ManualPriceRequest | None, "quantity": int, "plate": int, "bureau": Ref,
    "order": Ref | None, "product": Ref | None, "model": Ref | None, "no_model_upload": bool,
    "name": str | None,
    "status": Literal["new", "calculating_estimates", "pending", "confirmed", "queued", "printing", "post-processing", "shipping", "complete", "cancelled", "error"],
    "workflow": Ref | None, "layer_thickness": float | None,
    "orientation": Literal["free", "upright", "as_is"] | None, "config": Ref | None,
    "support_strategy": str | None, "infill_strategy": str | None, "custom_field_values": list[Any],
    "customer_id": str | None, "itar": bool | None, "priority": int | None, "position": int | None,
    "hold": bool, "notes": str | None, "materials": LineItemMaterialsRequest,
}, total=False)
LocationsFilters = TypedDict("LocationsFilters", {
    "attended_from": Filter, "attended_from_from": Filter, "attended_from_to": Filter,
    "attended_until": Filter, "attended_until_from": Filter, "attended_until_to": Filter,
    "bureau": Filter, "contact": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "name": Filter, "phone": Filter, "quiet_from": Filter,
    "quiet_from_from": Filter, "quiet_from_to": Filter, "quiet_until": Filter,
    "quiet_until_from": Filter, "quiet_until_to": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Location = TypedDict("Location", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "phone": str | None,
    "address": str | None, "contact": str | None, "attended_from": int | None,
    "attended_until": int | None, "quiet_from": int | None, "quiet_until": int | None,
})
LocationRequest = TypedDict("LocationRequest", {
    "bureau": Required[Ref], "name": Required[str], "phone": str | None, "address": str | None,
    "contact": Ref | None, "attended_from": int | None, "attended_until": int | None,
    "quiet_from": int | None, "quiet_until": int | None,
}, total=False)
LocationChange = TypedDict("LocationChange", {
    "bureau": Ref, "name": str, "phone": str | None, "address": str | None, "contact": Ref | None,
    "attended_from": int | None, "attended_until": int | None, "quiet_from": int | None,
    "quiet_until": int | None,
}, total=False)
MaintenanceEntriesFilters = TypedDict("MaintenanceEntriesFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "creator": Filter, "grams": Filter, "grams_from": Filter, "grams_to": Filter, "hours": Filter,
    "hours_from": Filter, "hours_to": Filter, "jobs": Filter, "jobs_from": Filter,
    "jobs_to": Filter, "name": Filter, "printer": Filter, "task": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
MaintenanceEntry = TypedDict("MaintenanceEntry", {
    "uri": str, "created": str, "updated": str, "bureau": str, "printer": str, "task": str | None,
    "name": str | None, "notes": str | None, "hours": float, "grams": float, "jobs": int,
    "creator": str,
})
MaintenanceEntryRequest = TypedDict("MaintenanceEntryRequest", {
    "name": str | None, "printer": Required[Ref], "task": Ref | None, "notes": str | None,
}, total=False)
MaintenanceTasksFilters = TypedDict("MaintenanceTasksFilters", {
    "blocks": Filter, "bureau": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "interval.days": Filter, "interval.days_from": Filter,
    "interval.days_to": Filter, "interval.grams": Filter, "interval.grams_from": Filter,
    "interval.grams_to": Filter, "interval.hours": Filter, "interval.hours_from": Filter,
    "interval.hours_to": Filter, "interval.jobs": Filter, "interval.jobs_from": Filter,
    "interval.jobs_to": Filter, "name": Filter, "printer_type": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
MaintenanceTaskInterval = TypedDict("MaintenanceTaskInterval", {
    "hours": float | None, "grams": float | None, "jobs": int | None, "days": int | None,
})
MaintenanceTask = TypedDict("MaintenanceTask", {
    "uri": str, "created": str, "updated": str, "bureau": str, "printer_type": str, "name": str,
    "blocks": bool, "notes": str | None, "interval": MaintenanceTaskInterval,
})
MaintenanceTaskIntervalRequest = TypedDict("MaintenanceTaskIntervalRequest", {
    "hours": float | None, "grams": float | None, "jobs": int | None, "days": int | None,
}, total=False)
MaintenanceTaskRequest = TypedDict("MaintenanceTaskRequest", {
    "bureau": Required[Ref], "printer_type": Required[Ref], "name": Required[str], "blocks": bool,
    "notes": str | None, "interval": MaintenanceTaskIntervalRequest,
}, total=False)
MaintenanceTaskChange = TypedDict("MaintenanceTaskChange", {
    "bureau": Ref, "printer_type": Ref, "name": str, "blocks": bool, "notes": str | None,
    "interval": MaintenanceTaskIntervalRequest,
}, total=False)
ManufacturersFilters = TypedDict("ManufacturersFilters", {
    "bureau": Filter, "contact.name": Filter, "contact.phone": Filter, "created": Filter,
    "created_from": Filter, "created_to": Filter, "name": Filter, "support.name": Filter,
    "support.phone": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
ManufacturerContact = TypedDict("ManufacturerContact", {"name": str | None, "phone": str | None})
ManufacturerSupport = TypedDict("ManufacturerSupport", {"name": str | None, "phone": str | None})
Manufacturer = TypedDict("Manufacturer", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "address": str | None,
    "notes": str | None, "contact": ManufacturerContact, "support": ManufacturerSupport,
})
ManufacturerContactRequest = TypedDict("ManufacturerContactRequest", {
    "name": str | None, "phone": str | None,
}, total=False)
ManufacturerSupportRequest = TypedDict("ManufacturerSupportRequest", {
    "name": str | None, "phone": str | None,
}, total=False)
ManufacturerRequest = TypedDict("ManufacturerRequest", {
    "bureau": Required[Ref], "name": Required[str], "address": str | None, "notes": str | None,
    "contact": ManufacturerContactRequest, "support": ManufacturerSupportRequest,
}, total=False)
ManufacturerChange = TypedDict("ManufacturerChange", {
    "bureau": Ref, "name": str, "address": str | None, "notes": str | None,
    "contact": ManufacturerContactRequest, "support": ManufacturerSupportRequest,
}, total=False)
MaterialsFilters = TypedDict("MaterialsFilters", {
    "bureau": Filter, "color": Filter, "cost": Filter, "cost_from": Filter, "cost_to": Filter,
    "created": Filter, "created_from": Filter, "created_to": Filter, "density": Filter,
    "density_from": Filter, "density_to": Filter, "filament_type": Filter, "manufacturer": Filter,
    "name": Filter, "post_processing_seconds": Filter, "post_processing_seconds_from": Filter,
    "post_processing_seconds_to": Filter, "powder_density": Filter, "powder_density_from": Filter,
    "powder_density_to": Filter, "reorder_point": Filter, "reorder_point_from": Filter,
    "reorder_point_to": Filter, "stock_level": Filter, "third_party_fulfillment": Filter,
    "type": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Material = TypedDict("Material", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None, "color": str | None, "type": str, "filament_type": str | None,
    "manufacturer": str | None, "density": float | None, "powder_density": float | None,
    "cost": float | None, "post_processing_seconds": float | None, "third_party_fulfillment": bool,
    "reorder_point": float | None, "stock_level": str,
})
MaterialRequest = TypedDict("MaterialRequest", {
    "bureau": Required[Ref], "name": Required[str], "description": str | None, "color": str | None,
    "type": Literal["base", "support"], "filament_type": str | None, "manufacturer": Ref | None,
    "density": float | None, "powder_density": float | None, "cost": float | None,
    "post_processing_seconds": float | None, "third_party_fulfillment": bool,
    "reorder_point": float | None,
}, total=False)
MaterialChange = TypedDict("MaterialChange", {
    "bureau": Ref, "name": str, "description": str | None, "color": str | None,
    "type": Literal["base", "support"], "filament_type": str | None, "manufacturer": Ref | None,
    "density": float | None, "powder_density": float | None, "cost": float | None,
    "post_processing_seconds": float | None, "third_party_fulfillment": bool,
    "reorder_point": float | None,
}, total=False)
MembershipBureausFilters = TypedDict("MembershipBureausFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter, "user": Filter,
    "sort": str, "limit": int,
}, total=False)
MembershipBureau = TypedDict("MembershipBureau", {
    "uri": str, "created": str, "updated": str, "bureau": str, "user": str,
})
MembershipBureauRequest = TypedDict("MembershipBureauRequest", {"bureau": Ref, "user": Ref})
MembershipBureauChange = TypedDict("MembershipBureauChange", {
    "bureau": Ref, "user": Ref,
}, total=False)
MembershipLocationsFilters = TypedDict("MembershipLocationsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "location": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "user": Filter, "sort": str, "limit": int,
}, total=False)
MembershipLocation = TypedDict("MembershipLocation", {
    "uri": str, "created": str, "updated": str, "bureau": str, "user": str, "location": str,
})
MembershipLocationRequest = TypedDict("MembershipLocationRequest", {"user": Ref, "location": Ref})
MembershipLocationChange = TypedDict("MembershipLocationChange", {
    "user": Ref, "location": Ref,
}, total=False)
MessageTemplatesFilters = TypedDict("MessageTemplatesFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "enabled": Filter, "language": Filter, "moment": Filter, "subject": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
MessageTemplate = TypedDict("MessageTemplate", {
    "uri": str, "created": str, "updated": str, "bureau": str, "moment": str, "language": str,
    "enabled": bool, "subject": str | None, "text": str | None,
})
MessageTemplateRequest = TypedDict("MessageTemplateRequest", {
    "bureau": Required[Ref],
    "moment": Required[Literal["received", "priced", "question", "confirmed", "invoice", "payment-received", "in-production", "shipped", "completed", "cancelled", "approval", "declined"]],
    "language": Required[Literal["en", "de"]], "enabled": bool, "subject": str | None,
    "text": str | None,
}, total=False)
MessageTemplateChange = TypedDict("MessageTemplateChange", {
    "bureau": Ref,
    "moment": Literal["received", "priced", "question", "confirmed", "invoice", "payment-received", "in-production", "shipped", "completed", "cancelled", "approval", "declined"],
    "language": Literal["en", "de"], "enabled": bool, "subject": str | None, "text": str | None,
}, total=False)
MessagesFilters = TypedDict("MessagesFilters", {
    "attempts": Filter, "attempts_from": Filter, "attempts_to": Filter, "bureau": Filter,
    "channel": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "error": Filter, "language": Filter, "message_id": Filter, "moment": Filter,
    "next_attempt": Filter, "next_attempt_from": Filter, "next_attempt_to": Filter, "order": Filter,
    "recipient": Filter, "refused": Filter, "sent_at": Filter, "sent_at_from": Filter,
    "sent_at_to": Filter, "status": Filter, "subject": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
ModelLibrariesFilters = TypedDict("ModelLibrariesFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "material": Filter, "model": Filter, "name": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "workflow": Filter, "search": dict[str, str], "sort": str,
    "limit": int,
}, total=False)
ModelLibrary = TypedDict("ModelLibrary", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None, "model": str, "material": str | None, "workflow": str | None,
})
ModelLibraryRequest = TypedDict("ModelLibraryRequest", {
    "bureau": Required[Ref], "name": Required[str], "description": str | None,
    "model": Required[Ref], "material": Ref | None, "workflow": Ref | None,
}, total=False)
ModelLibraryChange = TypedDict("ModelLibraryChange", {
    "bureau": Ref, "name": str, "description": str | None, "model": Ref, "material": Ref | None,
    "workflow": Ref | None,
}, total=False)
NotificationChannelsFilters = TypedDict("NotificationChannelsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "enabled": Filter, "error": Filter, "last_sent": Filter, "last_sent_from": Filter,
    "last_sent_to": Filter, "masked_url": Filter, "name": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
NotificationChannel = TypedDict("NotificationChannel", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "masked_url": str,
    "moments": list[str], "enabled": bool, "last_sent": str | None, "error": str | None,
})
NotificationChannelRequest = TypedDict("NotificationChannelRequest", {
    "url": str,
    "moments": list[Literal["order-received", "order-review", "quote-accepted", "approval-declined", "document-not-issued", "print-decision", "printer-attention", "bed-to-clear", "material-low", "maintenance-due"]],
    "bureau": Ref, "name": str, "enabled": NotRequired[bool],
})
NotificationChannelChange = TypedDict("NotificationChannelChange", {
    "url": str,
    "moments": list[Literal["order-received", "order-review", "quote-accepted", "approval-declined", "document-not-issued", "print-decision", "printer-attention", "bed-to-clear", "material-low", "maintenance-due"]],
    "bureau": Ref, "name": str, "enabled": bool,
}, total=False)
OrderApprovalsFilters = TypedDict("OrderApprovalsFilters", {
    "amount": Filter, "amount_from": Filter, "amount_to": Filter, "bureau": Filter,
    "company": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "email": Filter, "order": Filter, "person": Filter, "step": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
OrderApproval = TypedDict("OrderApproval", {
    "uri": str, "created": str, "updated": str, "bureau": str, "order": str, "company": str,
    "step": str, "person": str | None, "email": str | None, "amount": float | None,
    "note": str | None,
})
OrderPaymentsFilters = TypedDict("OrderPaymentsFilters", {
    "amount": Filter, "amount_from": Filter, "amount_to": Filter, "bureau": Filter,
    "created": Filter, "created_from": Filter, "created_to": Filter, "currency": Filter,
    "method": Filter, "order": Filter, "paid_on": Filter, "paid_on_from": Filter,
    "paid_on_to": Filter, "reference": Filter, "refunds": Filter, "reverses": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter, "sort": str,
    "limit": int,
}, total=False)
OrderPayment = TypedDict("OrderPayment", {
    "uri": str, "created": str, "updated": str, "bureau": str, "order": str, "amount": float,
    "paid_on": str, "note": str | None, "reverses": str | None, "refunds": str | None,
    "method": str, "currency": str | None, "reference": str | None,
})
OrderPaymentRequest = TypedDict("OrderPaymentRequest", {
    "amount": float, "paid_on": str, "order": Required[Ref], "note": str | None,
    "reverses": Ref | None,
}, total=False)
OrdersFilters = TypedDict("OrdersFilters", {
    "bureau": Filter, "business_segment": Filter, "channel_representative": Filter,
    "created": Filter, "created_from": Filter, "created_to": Filter, "currency": Filter,
    "customer": Filter, "customer_email": Filter, "customer_name": Filter, "customer_po": Filter,
    "due_date": Filter, "due_date_from": Filter, "due_date_to": Filter, "ip_sensitivity": Filter,
    "name": Filter, "number": Filter, "number_from": Filter, "number_to": Filter,
    "order_owner": Filter, "order_type": Filter, "price_list": Filter, "priority": Filter,
    "priority_from": Filter, "priority_to": Filter, "quote_number": Filter, "region": Filter,
    "sales_representative": Filter, "sales_status": Filter, "shipping.name": Filter,
    "shipping.tracking": Filter, "shipping.uri": Filter, "status": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
OrderShipping = TypedDict("OrderShipping", {
    "address": str | None, "name": str | None, "tracking": str | None, "uri": str | None,
})
Totals = TypedDict("Totals", {
    "parts": float | None, "charges": float | None, "net": float | None, "taxes": list[Tax],
    "gross": float | None, "currency": str,
})
PaymentState = TypedDict("PaymentState", {"status": str, "paid": float, "open": float | None})
Fulfilment = TypedDict("Fulfilment", {
    "line_item": str, "name": str, "quantity": int, "ready": int, "packed": int, "shipped": int,
})
Order = TypedDict("Order", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "number": int,
    "status": str, "due_date": str | None, "ip_sensitivity": str | None, "priority": int | None,
    "currency": str | None, "customer_email": str | None, "customer_name": str | None,
    "customer_po": str | None, "notes": str | None, "order_owner": str | None,
    "order_type": str | None, "quote_number": str | None, "region": str | None,
    "business_segment": str | None, "channel_representative": str | None,
    "sales_representative": str | None, "sales_status": str | None, "customer": str | None,
    "price_list": str | None, "shipping": OrderShipping, "line_items": list[str],
    "quote": str | None, "totals": Totals | None, "payment": PaymentState | None,
    "fulfilment": list[Fulfilment] | None,
})
OrderShippingRequest = TypedDict("OrderShippingRequest", {
    "address": str | None, "name": str | None, "tracking": str | None, "uri": Ref | None,
}, total=False)
OrderRequest = TypedDict("OrderRequest", {
    "line_items": list[Ref],
    "status": Literal["new", "confirmed", "in-progress", "complete", "cancelled"],
    "bureau": Required[Ref], "name": Required[str], "due_date": str | None,
    "ip_sensitivity": Literal["high", "medium", "low"] | None, "priority": int | None,
    "currency": str | None, "customer_email": str | None, "customer_name": str | None,
    "customer_po": str | None, "notes": str | None, "order_owner": str | None,
    "order_type": str | None, "quote_number": str | None, "region": str | None,
    "business_segment": str | None, "channel_representative": str | None,
    "sales_representative": str | None, "sales_status": str | None, "customer": Ref | None,
    "price_list": Ref | None, "shipping": OrderShippingRequest,
}, total=False)
OrderChange = TypedDict("OrderChange", {
    "line_items": list[Ref],
    "status": Literal["new", "confirmed", "in-progress", "complete", "cancelled"], "bureau": Ref,
    "name": str, "due_date": str | None, "ip_sensitivity": Literal["high", "medium", "low"] | None,
    "priority": int | None, "currency": str | None, "customer_email": str | None,
    "customer_name": str | None, "customer_po": str | None, "notes": str | None,
    "order_owner": str | None, "order_type": str | None, "quote_number": str | None,
    "region": str | None, "business_segment": str | None, "channel_representative": str | None,
    "sales_representative": str | None, "sales_status": str | None, "customer": Ref | None,
    "price_list": Ref | None, "shipping": OrderShippingRequest,
}, total=False)
ReportFile = TypedDict("ReportFile", {
    "status": str, "errors": list[Error] | None, "content": str | None,
})
PermissionBureausFilters = TypedDict("PermissionBureausFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "right": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "user": Filter, "sort": str, "limit": int,
}, total=False)
PermissionBureau = TypedDict("PermissionBureau", {
    "uri": str, "created": str, "updated": str, "bureau": str, "user": str, "right": str,
})
PermissionBureauRequest = TypedDict("PermissionBureauRequest", {
    "bureau": Ref, "user": Ref,
    "right": Literal["currency_conversion.all", "location.all", "manufacturer.all", "material.all", "post_processor_type.all", "printer_type.all", "service_provider.all", "shipping.all", "third_party.all", "bureau.permission.all", "customer.all", "price.all"],
})
PermissionBureauChange = TypedDict("PermissionBureauChange", {
    "bureau": Ref, "user": Ref,
    "right": Literal["currency_conversion.all", "location.all", "manufacturer.all", "material.all", "post_processor_type.all", "printer_type.all", "service_provider.all", "shipping.all", "third_party.all", "bureau.permission.all", "customer.all", "price.all"],
}, total=False)
PermissionLocationsFilters = TypedDict("PermissionLocationsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "location": Filter, "right": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "user": Filter, "sort": str, "limit": int,
}, total=False)
PermissionLocation = TypedDict("PermissionLocation", {
    "uri": str, "created": str, "updated": str, "bureau": str, "user": str, "location": str,
    "right": str,
})
PermissionLocationRequest = TypedDict("PermissionLocationRequest", {
    "user": Ref, "location": Ref,
    "right": Literal["post_processor.all", "printer.all", "stock.all", "location.permission.all"],
})
PermissionLocationChange = TypedDict("PermissionLocationChange", {
    "user": Ref, "location": Ref,
    "right": Literal["post_processor.all", "printer.all", "stock.all", "location.permission.all"],
}, total=False)
PiecesFilters = TypedDict("PiecesFilters", {
    "bureau": Filter, "config": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "line_item": Filter, "model": Filter, "number": Filter,
    "number_from": Filter, "number_to": Filter, "order": Filter, "process_step": Filter,
    "replica_of": Filter, "run": Filter, "status": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
PieceActuals = TypedDict("PieceActuals", {"start": str | None, "finish": str | None})
Piece = TypedDict("Piece", {
    "uri": str, "created": str, "updated": str, "bureau": str, "line_item": str, "number": int,
    "status": str, "model": str | None, "config": str | None, "replica_of": str | None,
    "notes": str | None, "moves": list[str], "process_step": str | None, "run": str | None,
    "transform": Any, "actuals": PieceActuals,
})
PieceChangeRequest = TypedDict("PieceChangeRequest", {
    "uri": Required[Ref],
    "status": Literal["created", "queued", "in-progress", "complete", "error", "cancelled"],
    "notes": str | None,
}, total=False)
PiecesRequest = TypedDict("PiecesRequest", {"pieces": list[PieceChangeRequest]})
PieceChange = TypedDict("PieceChange", {
    "status": Literal["created", "queued", "in-progress", "complete", "error", "cancelled"],
    "notes": str | None,
}, total=False)
PostProcessorTypesFilters = TypedDict("PostProcessorTypesFilters", {
    "bureau": Filter, "cost": Filter, "cost_from": Filter, "cost_to": Filter, "created": Filter,
    "created_from": Filter, "created_to": Filter, "duration": Filter, "duration_from": Filter,
    "duration_to": Filter, "manufacturer": Filter, "materials": Filter, "name": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
PostProcessorType = TypedDict("PostProcessorType", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None, "manufacturer": str | None, "cost": float | None,
    "duration": float | None, "materials": list[str],
})
PostProcessorTypeRequest = TypedDict("PostProcessorTypeRequest", {
    "bureau": Required[Ref], "name": Required[str], "description": str | None,
    "manufacturer": Ref | None, "cost": float | None, "duration": float | None,
    "materials": list[Ref],
}, total=False)
PostProcessorTypeChange = TypedDict("PostProcessorTypeChange", {
    "bureau": Ref, "name": str, "description": str | None, "manufacturer": Ref | None,
    "cost": float | None, "duration": float | None, "materials": list[Ref],
}, total=False)
PostProcessorsFilters = TypedDict("PostProcessorsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "duration": Filter, "duration_from": Filter, "duration_to": Filter, "location": Filter,
    "name": Filter, "post_processor_type": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
PostProcessor = TypedDict("PostProcessor", {
    "uri": str, "created": str, "updated": str, "bureau": str, "location": str,
    "post_processor_type": str, "name": str, "duration": float | None,
})
PostProcessorRequest = TypedDict("PostProcessorRequest", {
    "location": Ref, "post_processor_type": Ref, "name": str, "duration": NotRequired[float | None],
})
PostProcessorChange = TypedDict("PostProcessorChange", {
    "location": Ref, "post_processor_type": Ref, "name": str, "duration": float | None,
}, total=False)
PriceListsFilters = TypedDict("PriceListsFilters", {
    "ask_above": Filter, "ask_above_from": Filter, "ask_above_to": Filter, "bureau": Filter,
    "calendar": Filter, "country": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "hours_per_build": Filter, "hours_per_build_from": Filter,
    "hours_per_build_to": Filter, "includes_tax": Filter, "is_default": Filter, "language": Filter,
    "least_total": Filter, "least_total_from": Filter, "least_total_to": Filter, "max_size": Filter,
    "max_size_from": Filter, "max_size_to": Filter, "max_weight": Filter, "max_weight_from": Filter,
    "max_weight_to": Filter, "most_hours": Filter, "most_hours_from": Filter,
    "most_hours_to": Filter, "most_quantity": Filter, "most_quantity_from": Filter,
    "most_quantity_to": Filter, "most_total": Filter, "most_total_from": Filter,
    "most_total_to": Filter, "name": Filter, "percentages": Filter, "seconds_per_layer": Filter,
    "seconds_per_layer_from": Filter, "seconds_per_layer_to": Filter, "sell_estimates": Filter,
    "since": Filter, "since_from": Filter, "since_to": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
Tried = TypedDict("Tried", {
    "part": str, "quantity": int, "net": float | None, "before": float | None, "review": list[str],
})
ListWarning = TypedDict("ListWarning", {"term": str | None, "part": str, "title": str})
PriceList = TypedDict("PriceList", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None, "country": str | None, "language": str, "is_default": bool,
    "calendar": str | None, "least_total": float | None, "most_total": float | None,
    "ask_above": float | None, "most_quantity": int | None, "most_hours": float | None,
    "max_size": float | None, "max_weight": float | None, "includes_tax": bool, "percentages": str,
    "since": str | None, "sell_estimates": bool, "hours_per_build": float | None,
    "seconds_per_layer": float | None, "tried": list[Tried], "warnings": list[ListWarning],
})
PriceListRequest = TypedDict("PriceListRequest", {
    "country": str | None, "since": str | None, "bureau": Required[Ref], "name": Required[str],
    "description": str | None, "language": Literal["en", "de", "fr"], "is_default": bool,
    "calendar": Ref | None, "least_total": float | None, "most_total": float | None,
    "ask_above": float | None, "most_quantity": int | None, "most_hours": float | None,
    "max_size": float | None, "max_weight": float | None, "includes_tax": bool,
    "percentages": Literal["multiply", "add"], "sell_estimates": bool,
    "hours_per_build": float | None, "seconds_per_layer": float | None,
}, total=False)
PriceListChange = TypedDict("PriceListChange", {
    "country": str | None, "since": str | None, "bureau": Ref, "name": str,
    "description": str | None, "language": Literal["en", "de", "fr"], "is_default": bool,
    "calendar": Ref | None, "least_total": float | None, "most_total": float | None,
    "ask_above": float | None, "most_quantity": int | None, "most_hours": float | None,
    "max_size": float | None, "max_weight": float | None, "includes_tax": bool,
    "percentages": Literal["multiply", "add"], "sell_estimates": bool,
    "hours_per_build": float | None, "seconds_per_layer": float | None,
}, total=False)
ListDocument = TypedDict("ListDocument", {
    "name": str, "currency": str, "includes_tax": bool, "percentages": str, "since": str | None,
    "max_size": float | None, "max_weight": float | None, "terms": list[JsonObject],
})
ListDocumentRequest = TypedDict("ListDocumentRequest", {
    "includes_tax": bool, "percentages": Literal["multiply", "add"], "since": str | None,
    "max_size": float | None, "max_weight": float | None, "terms": Required[list[JsonObject]],
}, total=False)
PriceTablesFilters = TypedDict("PriceTablesFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "customer": Filter, "model": Filter, "status": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
CellTerm = TypedDict("CellTerm", {"sentence": str, "amount": float})
Cell = TypedDict("Cell", {
    "model": str, "material": str, "quantity": int, "finish": list[str], "due": str | None,
    "unit": float | None, "unit_of": int | None, "includes_tax": NotRequired[bool],
    "net": float | None, "tax": float | None, "gross": float | None, "terms": list[CellTerm],
    "ready": str | None, "basis": str | None, "within": float | None, "nested": int,
    "review": list[Review] | None,
})
PriceTable = TypedDict("PriceTable", {
    "uri": str, "created": str, "updated": str, "bureau": str, "status": str, "currency": str,
    "customer": str | None, "printer_type": str | None, "support_strategy": str | None,
    "infill_strategy": str | None, "layer_thickness": float | None, "orientation": str | None,
    "cells": list[Cell], "line_items": list[str], "errors": list[Error] | None, "expires": str,
})
PriceTableRequest = TypedDict("PriceTableRequest", {
    "bureau": Required[Ref], "models": Required[list[Ref]], "materials": Required[list[Ref]],
    "quantities": Required[list[int]], "finishes": list[list[Ref]], "due": list[str | None],
    "customer": Ref | None, "country": str | None, "vat_number": str | None, "currency": str,
    "nested": bool, "printer_type": Ref | None,
    "support_strategy": Literal["auto", "on", "off"] | None, "infill_strategy": str | None,
    "layer_thickness": float | None, "orientation": Literal["free", "upright", "as_is"] | None,
    "order": Ref, "cells": list[int],
}, total=False)
PriceTableChange = TypedDict("PriceTableChange", {
    "bureau": Ref, "models": list[Ref], "materials": list[Ref], "quantities": list[int],
    "finishes": list[list[Ref]], "due": list[str | None], "customer": Ref | None,
    "country": str | None, "vat_number": str | None, "currency": str, "nested": bool,
    "printer_type": Ref | None, "support_strategy": Literal["auto", "on", "off"] | None,
    "infill_strategy": str | None, "layer_thickness": float | None,
    "orientation": Literal["free", "upright", "as_is"] | None, "order": Ref, "cells": list[int],
}, total=False)
PriceTermsFilters = TypedDict("PriceTermsFilters", {
    "amount": Filter, "amount_from": Filter, "amount_to": Filter, "bureau": Filter, "by": Filter,
    "created": Filter, "created_from": Filter, "created_to": Filter, "customer_groups": Filter,
    "factor": Filter, "factor_from": Filter, "factor_to": Filter, "kind_of_break": Filter,
    "least": Filter, "least_from": Filter, "least_to": Filter, "materials": Filter,
    "may_fall": Filter, "most": Filter, "most_from": Filter, "most_to": Filter, "name": Filter,
    "on": Filter, "position": Filter, "position_from": Filter, "position_to": Filter,
    "post_processor_types": Filter, "price_list": Filter, "printer_types": Filter,
    "rounding": Filter, "shippings": Filter, "step": Filter, "unit": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
PriceTerm = TypedDict("PriceTerm", {
    "uri": str, "created": str, "updated": str, "bureau": str, "price_list": str, "step": str,
    "position": int, "name": str, "unit": str | None, "amount": float | None,
    "factor": float | None, "formula": str | None, "when": str | None, "on": str | None,
    "by": str | None, "breaks": list[dict[str, float]], "kind_of_break": str, "may_fall": bool,
    "rounding": str, "countries": list[str], "least": float | None, "most": float | None,
    "sentence": dict[str, str], "materials": list[str], "printer_types": list[str],
    "post_processor_types": list[str], "shippings": list[str], "customer_groups": list[str],
})
PriceTermRequest = TypedDict("PriceTermRequest", {
    "breaks": list[JsonObject], "countries": list[str], "sentence": dict[str, str],
    "price_list": Required[Ref],
    "step": Required[Literal["piece", "break", "build", "line", "finish", "minimum", "group", "rush", "rounding", "order"]],
    "position": int, "name": Required[str], "unit": str | None, "amount": float | None,
    "factor": float | None, "formula": str | None, "when": str | None, "on": str | None,
    "by": str | None, "kind_of_break": Literal["graduated", "whole", "capped"], "may_fall": bool,
    "rounding": Literal["nearest", "half_up", "up", "ending"], "least": float | None,
    "most": float | None, "materials": list[Ref], "printer_types": list[Ref],
    "post_processor_types": list[Ref], "shippings": list[Ref], "customer_groups": list[Ref],
}, total=False)
PriceTermChange = TypedDict("PriceTermChange", {
    "breaks": list[JsonObject], "countries": list[str], "sentence": dict[str, str],
    "price_list": Ref,
    "step": Literal["piece", "break", "build", "line", "finish", "minimum", "group", "rush", "rounding", "order"],
    "position": int, "name": str, "unit": str | None, "amount": float | None,
    "factor": float | None, "formula": str | None, "when": str | None, "on": str | None,
    "by": str | None, "kind_of_break": Literal["graduated", "whole", "capped"], "may_fall": bool,
    "rounding": Literal["nearest", "half_up", "up", "ending"], "least": float | None,
    "most": float | None, "materials": list[Ref], "printer_types": list[Ref],
    "post_processor_types": list[Ref], "shippings": list[Ref], "customer_groups": list[Ref],
}, total=False)
PrintDecisionsFilters = TypedDict("PrintDecisionsFilters", {
    "bureau": Filter, "by_customer": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "decision": Filter, "model": Filter, "name": Filter,
    "print_report": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Finding = TypedDict("Finding", {
    "kind": str, "severity": str, "limit": float | None, "value": float | None,
    "at": list[float] | None, "length": float | None, "places": int, "mark": list[float] | None,
    "change": str | None, "accepted": bool,
})
PrintDecision = TypedDict("PrintDecision", {
    "uri": str, "created": str, "updated": str, "bureau": str, "print_report": str, "decision": str,
    "name": str | None, "text": str | None, "findings": list[Finding], "model": str | None,
    "by_customer": bool,
})
PrintDecisionRequest = TypedDict("PrintDecisionRequest", {
    "name": str, "print_report": Ref, "decision": Literal["as-is", "replaced", "ask"],
    "text": NotRequired[str | None],
})
PrintReportsFilters = TypedDict("PrintReportsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "line_item": Filter, "model": Filter, "needs_decision": Filter, "order": Filter,
    "status": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "verdict": Filter, "sort": str, "limit": int,
}, total=False)
ReportLimits = TypedDict("ReportLimits", {
    "process": str, "wall_fault": float, "wall_risk": float, "gap_risk": float, "shell_risk": float,
    "decision_from": str | None,
})
PrintReport = TypedDict("PrintReport", {
    "uri": str, "created": str, "updated": str, "bureau": str, "line_item": str, "order": str,
    "model": str, "status": str, "limits": ReportLimits, "findings": list[Finding],
    "not_checked": list[str], "gone": list[Finding], "verdict": str | None, "needs_decision": bool,
    "errors": list[Error] | None,
})
PrinterTypesFilters = TypedDict("PrinterTypesFilters", {
    "allowed_orientations": Filter, "build_packer_type": Filter, "build_volume.x": Filter,
    "build_volume.x_from": Filter, "build_volume.x_to": Filter, "build_volume.y": Filter,
    "build_volume.y_from": Filter, "build_volume.y_to": Filter, "build_volume.z": Filter,
    "build_volume.z_from": Filter, "build_volume.z_to": Filter, "bureau": Filter, "config": Filter,
    "constant_overhead": Filter, "constant_overhead_from": Filter, "constant_overhead_to": Filter,
    "created": Filter, "created_from": Filter, "created_to": Filter, "engine": Filter,
    "firmware": Filter, "infill": Filter, "infill_from": Filter, "infill_to": Filter,
    "layer_height": Filter, "layer_height_from": Filter, "layer_height_to": Filter,
    "manufacturer": Filter, "material_cost_scale_factor": Filter,
    "material_cost_scale_factor_from": Filter, "material_cost_scale_factor_to": Filter,
    "materials": Filter, "minimum_packing_distance": Filter,
    "minimum_packing_distance_from": Filter, "minimum_packing_distance_to": Filter, "name": Filter,
    "packing_mode": Filter, "plan_runs": Filter, "power": Filter, "power_from": Filter,
    "power_to": Filter, "preset": Filter, "print_cost_scale_factor": Filter,
    "print_cost_scale_factor_from": Filter, "print_cost_scale_factor_to": Filter,
    "print_preset": Filter, "printer_gcode": Filter, "refresh_ratio": Filter,
    "refresh_ratio_from": Filter, "refresh_ratio_to": Filter, "running_cost_per_hour": Filter,
    "running_cost_per_hour_from": Filter, "running_cost_per_hour_to": Filter, "slice_runs": Filter,
    "supports": Filter, "technology": Filter, "time_factor": Filter, "time_factor_from": Filter,
    "time_factor_to": Filter, "time_per_run": Filter, "time_per_run_from": Filter,
    "time_per_run_to": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
PrinterTypeBuildVolume = TypedDict("PrinterTypeBuildVolume", {"x": float, "y": float, "z": float})
PrinterType = TypedDict("PrinterType", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None, "manufacturer": str | None, "technology": str | None,
    "build_packer_type": str, "minimum_packing_distance": float, "allowed_orientations": str,
    "packing_mode": str, "config": str | None, "preset": str | None, "print_preset": str | None,
    "printer_gcode": str | None, "engine": str | None, "filaments": list[Any],
    "firmware": str | None, "slice_runs": bool, "plan_runs": bool, "refresh_ratio": float | None,
    "time_factor": float, "time_per_run": float, "supports": str, "infill": float | None,
    "layer_height": float | None, "power": float | None, "running_cost_per_hour": float | None,
    "material_cost_scale_factor": float, "print_cost_scale_factor": float,
    "constant_overhead": float | None, "materials": list[str],
    "build_volume": PrinterTypeBuildVolume,
})
BuildVolumeRequest = TypedDict("BuildVolumeRequest", {"x": float, "y": float, "z": float})
FilamentRequest = TypedDict("FilamentRequest", {"material": Ref, "preset": Ref})
PrinterTypeRequest = TypedDict("PrinterTypeRequest", {
    "build_volume": BuildVolumeRequest, "filaments": list[FilamentRequest], "bureau": Required[Ref],
    "name": Required[str], "description": str | None, "manufacturer": Ref | None,
    "technology": str | None, "build_packer_type": Literal["box_packer", "premium_packer"],
    "minimum_packing_distance": float, "allowed_orientations": Literal["free", "upright", "as_is"],
    "packing_mode": Literal["volume", "plate"], "config": Ref | None, "preset": Ref | None,
    "print_preset": Ref | None, "printer_gcode": Ref | None, "engine": Ref | None,
    "firmware": Literal["marlin", "klipper", "none"] | None, "slice_runs": bool, "plan_runs": bool,
    "refresh_ratio": float | None, "time_factor": float, "time_per_run": float,
    "supports": Literal["auto", "on", "off"], "infill": float | None, "layer_height": float | None,
    "power": float | None, "running_cost_per_hour": float | None,
    "material_cost_scale_factor": float, "print_cost_scale_factor": float,
    "constant_overhead": float | None, "materials": list[Ref],
}, total=False)
PrinterTypeChange = TypedDict("PrinterTypeChange", {
    "build_volume": BuildVolumeRequest, "filaments": list[FilamentRequest], "bureau": Ref,
    "name": str, "description": str | None, "manufacturer": Ref | None, "technology": str | None,
    "build_packer_type": Literal["box_packer", "premium_packer"], "minimum_packing_distance": float,
    "allowed_orientations": Literal["free", "upright", "as_is"],
    "packing_mode": Literal["volume", "plate"], "config": Ref | None, "preset": Ref | None,
    "print_preset": Ref | None, "printer_gcode": Ref | None, "engine": Ref | None,
    "firmware": Literal["marlin", "klipper", "none"] | None, "slice_runs": bool, "plan_runs": bool,
    "refresh_ratio": float | None, "time_factor": float, "time_per_run": float,
    "supports": Literal["auto", "on", "off"], "infill": float | None, "layer_height": float | None,
    "power": float | None, "running_cost_per_hour": float | None,
    "material_cost_scale_factor": float, "print_cost_scale_factor": float,
    "constant_overhead": float | None, "materials": list[Ref],
}, total=False)
Print = TypedDict("Print", {
    "attempt": str, "ended": str, "estimated_seconds": float, "printing_seconds": float,
})
Parts = TypedDict("Parts", {"material": str | None, "good": int, "printed": int})
ActualsOfType = TypedDict("ActualsOfType", {
    "time_factor": float, "time_factor_seen": float | None, "prints": list[Print],
    "parts": list[Parts],
})
Capacity = TypedDict("Capacity", {
    "at_least": int, "at_most": int, "exact": bool, "reason": str, "status": str,
})
QueueFilters = TypedDict("QueueFilters", {"limit": int}, total=False)
Waiting = TypedDict("Waiting", {
    "run": str, "name": str, "printer": str | None, "reason": Reason | None,
})
PrintersFilters = TypedDict("PrintersFilters", {
    "agent": Filter, "auto_start": Filter, "bureau": Filter, "created": Filter,
    "created_from": Filter, "created_to": Filter, "driver": Filter, "loaded": Filter,
    "location": Filter, "maintenance": Filter, "modeler": Filter, "name": Filter, "plate": Filter,
    "printer_type": Filter, "status": Filter, "timelapse": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
Heater = TypedDict("Heater", {"heater": str, "actual": float, "target": float | None})
Tray = TypedDict("Tray", {
    "slot": str, "material": str, "color": str | None, "remaining": float | None, "is_active": bool,
})
Details = TypedDict("Details", {
    "layer": int | None, "layers": int | None, "seconds_left": float | None, "speed": float | None,
    "has_filament": bool | None,
})
Sight = TypedDict("Sight", {
    "state": str, "job": str | None, "progress": float | None, "text": str | None,
    "temperatures": list[Heater], "trays": list[Tray], "details": Details | None,
    "address": str | None, "host": str | None, "seen": str | None,
})
DueTask = TypedDict("DueTask", {"task": str, "name": str, "since": str})
Camera = TypedDict("Camera", {"content": str, "at": str})
Printer = TypedDict("Printer", {
    "uri": str, "created": str, "updated": str, "bureau": str, "location": str, "printer_type": str,
    "name": str, "status": str, "modeler": str | None, "driver": str | None, "agent": str | None,
    "plate": str, "maintenance": bool, "auto_start": bool, "timelapse": bool, "loaded": list[str],
    "attempt": str | None, "machine": Sight | None, "due_maintenance": list[DueTask],
    "camera": Camera | None,
})
PrinterRequest = TypedDict("PrinterRequest", {
    "location": Required[Ref], "printer_type": Required[Ref], "name": Required[str],
    "status": Literal["idle", "offline", "error", "printing", "unknown"], "modeler": str | None,
    "driver": Literal["manual", "octoprint", "moonraker", "prusalink", "bambu", "elegoo"] | None,
    "agent": Ref | None, "maintenance": bool, "auto_start": bool, "timelapse": bool,
    "loaded": list[Ref],
}, total=False)
PrinterChange = TypedDict("PrinterChange", {
    "location": Ref, "printer_type": Ref, "name": str,
    "status": Literal["idle", "offline", "error", "printing", "unknown"], "modeler": str | None,
    "driver": Literal["manual", "octoprint", "moonraker", "prusalink", "bambu", "elegoo"] | None,
    "agent": Ref | None, "maintenance": bool, "auto_start": bool, "timelapse": bool,
    "loaded": list[Ref],
}, total=False)
RejectRequest = TypedDict("RejectRequest", {
    "piece": Required[Ref], "notes": str | None,
}, total=False)
ClearRequest = TypedDict("ClearRequest", {
    "rejected": list[RejectRequest], "again": bool,
}, total=False)
TestStep = TypedDict("TestStep", {"step": str, "result": str, "text": str, "problem": str | None})
ConnectionTest = TypedDict("ConnectionTest", {
    "printer": str, "driver": str, "address": str, "state": str, "steps": list[TestStep],
    "host": str | None, "created": str, "ended": str | None,
})
Counters = TypedDict("Counters", {"hours": float, "grams": float, "jobs": int})
Measure = TypedDict("Measure", {"interval": float, "used": float, "remaining": float})
TaskState = TypedDict("TaskState", {
    "task": str, "name": str, "notes": str | None, "blocks": bool, "due": bool, "last": str | None,
    "done": str | None, "hours": Measure | None, "grams": Measure | None, "jobs": Measure | None,
    "days": Measure | None,
})
Maintenance = TypedDict("Maintenance", {
    "printer": str, "counters": Counters, "tasks": list[TaskState],
})
ConnectionTestRequest = TypedDict("ConnectionTestRequest", {
    "address": str, "key": str | None,
}, total=False)
Watch = TypedDict("Watch", {"until": str})
ProcessLimitsFilters = TypedDict("ProcessLimitsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "decision_from": Filter, "gap_risk": Filter, "gap_risk_from": Filter, "gap_risk_to": Filter,
    "printer_type": Filter, "process": Filter, "shell_risk": Filter, "shell_risk_from": Filter,
    "shell_risk_to": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "wall_fault": Filter, "wall_fault_from": Filter, "wall_fault_to": Filter,
    "wall_risk": Filter, "wall_risk_from": Filter, "wall_risk_to": Filter, "sort": str,
    "limit": int,
}, total=False)
ProcessLimits = TypedDict("ProcessLimits", {
    "uri": str, "created": str, "updated": str, "bureau": str, "printer_type": str | None,
    "process": str, "wall_fault": float | None, "wall_risk": float | None, "gap_risk": float | None,
    "shell_risk": float | None, "decision_from": str | None,
})
ProcessLimitsRequest = TypedDict("ProcessLimitsRequest", {
    "bureau": Required[Ref], "printer_type": Ref | None,
    "process": Literal["fdm", "sla", "sls", "mjf", "metal"], "wall_fault": float | None,
    "wall_risk": float | None, "gap_risk": float | None, "shell_risk": float | None,
    "decision_from": Literal["risk", "fault"] | None,
}, total=False)
ProcessLimitsChange = TypedDict("ProcessLimitsChange", {
    "bureau": Ref, "printer_type": Ref | None,
    "process": Literal["fdm", "sla", "sls", "mjf", "metal"], "wall_fault": float | None,
    "wall_risk": float | None, "gap_risk": float | None, "shell_risk": float | None,
    "decision_from": Literal["risk", "fault"] | None,
}, total=False)
ProcessStepsFilters = TypedDict("ProcessStepsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "process_type": Filter, "step_position": Filter, "step_position_from": Filter,
    "step_position_to": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "workflow": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
ProcessStep = TypedDict("ProcessStep", {
    "uri": str, "created": str, "updated": str, "bureau": str, "workflow": str,
    "step_position": int, "notes": str | None, "process_type": str,
})
ProcessStepRequest = TypedDict("ProcessStepRequest", {
    "process_type": Ref, "workflow": Ref, "step_position": int, "notes": NotRequired[str | None],
})
ProcessStepChange = TypedDict("ProcessStepChange", {
    "process_type": Ref, "workflow": Ref, "step_position": int, "notes": str | None,
}, total=False)
ProductsFilters = TypedDict("ProductsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "model_library": Filter, "name": Filter, "order": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
Product = TypedDict("Product", {
    "uri": str, "created": str, "updated": str, "bureau": str, "order": str, "model_library": str,
    "name": str | None,
})
ProductRequest = TypedDict("ProductRequest", {
    "order": Ref, "model_library": Ref, "name": NotRequired[str | None],
})
ProductChange = TypedDict("ProductChange", {
    "order": Ref, "model_library": Ref, "name": str | None,
}, total=False)
QuotesFilters = TypedDict("QuotesFilters", {
    "accepted": Filter, "accepted_from": Filter, "accepted_to": Filter, "accepted_by": Filter,
    "amount": Filter, "amount_from": Filter, "amount_to": Filter, "bureau": Filter,
    "created": Filter, "created_from": Filter, "created_to": Filter, "currency": Filter,
    "expires": Filter, "expires_from": Filter, "expires_to": Filter, "gross": Filter,
    "gross_from": Filter, "gross_to": Filter, "lead_time": Filter, "lead_time_from": Filter,
    "lead_time_to": Filter, "net": Filter, "net_from": Filter, "net_to": Filter, "order": Filter,
    "status": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "sort": str, "limit": int,
}, total=False)
LineMaterials = TypedDict("LineMaterials", {"base": str | None, "support": str | None})
Line = TypedDict("Line", {
    "line_item": str | None, "name": str, "quantity": int, "model": str | None,
    "materials": LineMaterials, "workflow": str | None, "config": str | None,
    "amount": float | None, "lead_time": float | None, "lead_time_reason": str | None,
    "terms": list[Term], "conversion": Converted | None, "price": LinePrice | None,
    "review": list[Review] | None,
})
Quote = TypedDict("Quote", {
    "uri": str, "created": str, "updated": str, "bureau": str, "order": str, "status": str,
    "amount": float | None, "currency": str, "net": float | None, "taxes": list[Tax],
    "gross": float | None, "lines": list[Line], "lead_time": float | None, "expires": str,
    "accepted": str | None, "accepted_by": str | None, "moves": list[str], "totals": Totals,
})
QuoteRequest = TypedDict("QuoteRequest", {
    "valid_days": int, "order": Required[Ref], "status": Literal["open", "accepted", "withdrawn"],
}, total=False)
QuoteChange = TypedDict("QuoteChange", {
    "valid_days": int, "order": Ref, "status": Literal["open", "accepted", "withdrawn"],
}, total=False)
RecallFilters = TypedDict("RecallFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "order": Filter, "status": Filter, "uri": Filter, "config": Filter, "format": Filter,
    "material": Filter, "model": Filter, "printer": Filter, "run": Filter, "stock": Filter,
    "sort": str, "limit": int,
}, total=False)
RecalledPiece = TypedDict("RecalledPiece", {
    "uri": str, "created": str, "updated": str, "status": str, "number": int, "quantity": int,
    "model": str | None, "config": str | None, "line_item": str, "line_item_name": str | None,
    "customer_id": str | None, "order": str | None, "order_name": str | None,
    "customer_name": str | None, "customer_email": str | None, "customer_po": str | None,
    "bureau": str,
})
ReceivedFilesFilters = TypedDict("ReceivedFilesFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "gcode": Filter, "model": Filter, "name": Filter, "print_requested": Filter, "run": Filter,
    "slicer": Filter, "slicer_key": Filter, "status": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
ReceivedFile = TypedDict("ReceivedFile", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "status": str,
    "slicer_key": str | None, "slicer": str | None, "print_requested": bool, "gcode": str | None,
    "model": str | None, "run": str | None, "errors": list[Any] | None,
})
RolesFilters = TypedDict("RolesFilters", {
    "bureau": Filter, "role": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
Role = TypedDict("Role", {
    "uri": str, "bureau": str, "location": str | None, "username": str, "role": str,
})
RunsFilters = TypedDict("RunsFilters", {
    "any_of_type": Filter, "bureau": Filter, "config": Filter, "created": Filter,
    "created_from": Filter, "created_to": Filter, "gcode": Filter, "material": Filter,
    "model": Filter, "name": Filter, "operation": Filter, "post_processor": Filter,
    "printer": Filter, "printer_type": Filter, "progress": Filter, "progress_from": Filter,
    "progress_to": Filter, "shipping": Filter, "slice": Filter, "slicing": Filter, "status": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter, "queue": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
RunRequest = TypedDict("RunRequest", {
    "pieces": Required[list[Ref]], "name": Required[str],
    "operation": Literal["printing", "post-processing", "shipping"],
    "status": Literal["created", "calculating", "calculated", "queued", "in-progress", "complete", "error"],
    "any_of_type": bool, "post_processor": Ref | None, "shipping": Ref | None, "config": Ref | None,
    "slice": Ref | None, "slicing": Literal["queued", "processing", "processed", "error"] | None,
    "gcode": Ref | None, "notes": str | None,
}, total=False)
RunChange = TypedDict("RunChange", {
    "pieces": list[Ref], "name": str,
    "operation": Literal["printing", "post-processing", "shipping"],
    "status": Literal["created", "calculating", "calculated", "queued", "in-progress", "complete", "error"],
    "any_of_type": bool, "post_processor": Ref | None, "shipping": Ref | None, "config": Ref | None,
    "slice": Ref | None, "slicing": Literal["queued", "processing", "processed", "error"] | None,
    "gcode": Ref | None, "notes": str | None,
}, total=False)
CandidatesFilters = TypedDict("CandidatesFilters", {"limit": int}, total=False)
Candidate = TypedDict("Candidate", {
    "printer": str, "name": str, "fits": bool, "reasons": list[Reason],
})
UnpackingFilters = TypedDict("UnpackingFilters", {"limit": int}, total=False)
Corner = TypedDict("Corner", {"x": float, "y": float, "z": float})
Box = TypedDict("Box", {"low": Corner, "high": Corner})
BedOffset = TypedDict("BedOffset", {"x": float, "y": float})
Unpacking = TypedDict("Unpacking", {
    "position": int, "piece": str, "name": str, "number": int,
    "transform": list[list[float]] | None, "box": Box | None, "bed_offset": BedOffset | None,
    "direction": str | None,
})
ServiceProvidersFilters = TypedDict("ServiceProvidersFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "name": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
ServiceProvider = TypedDict("ServiceProvider", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None,
})
ServiceProviderRequest = TypedDict("ServiceProviderRequest", {
    "bureau": Ref, "name": str, "description": NotRequired[str | None],
})
ServiceProviderChange = TypedDict("ServiceProviderChange", {
    "bureau": Ref, "name": str, "description": str | None,
}, total=False)
ShareLinksFilters = TypedDict("ShareLinksFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "expires": Filter, "expires_from": Filter, "expires_to": Filter, "order": Filter,
    "revoked": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "sort": str, "limit": int,
}, total=False)
ShareLink = TypedDict("ShareLink", {
    "uri": str, "created": str, "updated": str, "bureau": str, "order": str, "expires": str | None,
    "revoked": bool,
})
ShareLinkRequest = TypedDict("ShareLinkRequest", {
    "order": Required[Ref], "expires": str | None, "revoked": bool,
}, total=False)
ShareLinkChange = TypedDict("ShareLinkChange", {
    "order": Ref, "expires": str | None, "revoked": bool,
}, total=False)
ShareLinkToken = TypedDict("ShareLinkToken", {"link": str, "token": str})
ShipmentsFilters = TypedDict("ShipmentsFilters", {
    "bureau": Filter, "carrier": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "number": Filter, "number_from": Filter, "number_to": Filter,
    "order": Filter, "shipped": Filter, "shipped_from": Filter, "shipped_to": Filter,
    "status": Filter, "tracking_number": Filter, "tracking_url": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
ShipmentLine = TypedDict("ShipmentLine", {"line_item": str, "name": str, "quantity": int})
DeliveryNote = TypedDict("DeliveryNote", {"uri": str, "number": str, "download": str | None})
Shipment = TypedDict("Shipment", {
    "uri": str, "created": str, "updated": str, "bureau": str, "order": str, "number": int,
    "status": str, "carrier": str | None, "tracking_number": str | None, "tracking_url": str | None,
    "address": str | None, "shipped": str | None, "moves": list[str], "lines": list[ShipmentLine],
    "delivery_note": DeliveryNote | None,
})
ShipmentLineRequest = TypedDict("ShipmentLineRequest", {"line_item": Ref, "quantity": int})
ShipmentRequest = TypedDict("ShipmentRequest", {
    "lines": list[ShipmentLineRequest], "tracking_url": str | None, "order": Required[Ref],
    "status": Literal["open", "shipped", "cancelled"], "carrier": str | None,
    "tracking_number": str | None,
}, total=False)
ShipmentChange = TypedDict("ShipmentChange", {
    "lines": list[ShipmentLineRequest], "tracking_url": str | None, "order": Ref,
    "status": Literal["open", "shipped", "cancelled"], "carrier": str | None,
    "tracking_number": str | None,
}, total=False)
ShippingsFilters = TypedDict("ShippingsFilters", {
    "bureau": Filter, "cost": Filter, "cost_from": Filter, "cost_to": Filter, "created": Filter,
    "created_from": Filter, "created_to": Filter, "name": Filter, "region": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Shipping = TypedDict("Shipping", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None, "region": str | None, "cost": float | None,
})
ShippingRequest = TypedDict("ShippingRequest", {
    "bureau": Required[Ref], "name": Required[str], "description": str | None, "region": str | None,
    "cost": float | None,
}, total=False)
ShippingChange = TypedDict("ShippingChange", {
    "bureau": Ref, "name": str, "description": str | None, "region": str | None,
    "cost": float | None,
}, total=False)
SlicerKeysFilters = TypedDict("SlicerKeysFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "last_used": Filter, "last_used_from": Filter, "last_used_to": Filter, "name": Filter,
    "printer_type": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
SlicerKey = TypedDict("SlicerKey", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "printer_type": str | None, "last_used": str | None,
})
SlicerKeyRequest = TypedDict("SlicerKeyRequest", {
    "bureau": Ref, "name": str, "printer_type": NotRequired[Ref | None],
})
SlicerKeyChange = TypedDict("SlicerKeyChange", {
    "bureau": Ref, "name": str, "printer_type": Ref | None,
}, total=False)
SlicerSecret = TypedDict("SlicerSecret", {"host": str, "user": str, "secret": str})
StaffNotificationsFilters = TypedDict("StaffNotificationsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "moment": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "sort": str, "limit": int,
}, total=False)
StaffNotification = TypedDict("StaffNotification", {
    "uri": str, "created": str, "updated": str, "bureau": str, "moment": str,
})
StaffNotificationRequest = TypedDict("StaffNotificationRequest", {
    "bureau": Ref, "moment": Literal["order-review", "quote-accepted"],
})
StockMovementsFilters = TypedDict("StockMovementsFilters", {
    "amount": Filter, "amount_from": Filter, "amount_to": Filter, "attempt": Filter,
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "kind": Filter, "run": Filter, "source": Filter, "stock": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
StockMovement = TypedDict("StockMovement", {
    "uri": str, "created": str, "updated": str, "bureau": str, "stock": str, "kind": str,
    "amount": float, "run": str | None, "attempt": str | None, "source": str, "notes": str | None,
})
StockMovementRequest = TypedDict("StockMovementRequest", {
    "amount": float, "left": float, "stock": Required[Ref],
    "kind": Required[Literal["receipt", "use", "reject", "correction", "return"]],
    "notes": str | None,
}, total=False)
StocksFilters = TypedDict("StocksFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "expires": Filter, "expires_from": Filter, "expires_to": Filter, "initial": Filter,
    "initial_from": Filter, "initial_to": Filter, "level": Filter, "location": Filter,
    "lot": Filter, "material": Filter, "opened": Filter, "opened_from": Filter, "opened_to": Filter,
    "price": Filter, "price_from": Filter, "price_to": Filter, "quantity": Filter,
    "quantity_from": Filter, "quantity_to": Filter, "received": Filter, "received_from": Filter,
    "received_to": Filter, "remaining": Filter, "remaining_from": Filter, "remaining_to": Filter,
    "reserved": Filter, "reserved_from": Filter, "reserved_to": Filter, "spoolman_id": Filter,
    "spoolman_id_from": Filter, "spoolman_id_to": Filter, "status": Filter, "supplier": Filter,
    "unit": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "sort": str, "limit": int,
}, total=False)
Stock = TypedDict("Stock", {
    "uri": str, "created": str, "updated": str, "bureau": str, "location": str, "material": str,
    "status": str | None, "quantity": float, "lot": str | None, "supplier": str | None,
    "received": str | None, "opened": str | None, "expires": str | None, "price": float | None,
    "unit": str, "initial": float | None, "remaining": float | None, "reserved": float,
    "spoolman_id": int | None, "level": str,
})
StockRequest = TypedDict("StockRequest", {
    "location": Required[Ref], "material": Required[Ref], "status": str | None, "quantity": float,
    "lot": str | None, "supplier": str | None, "received": str | None, "opened": str | None,
    "expires": str | None, "price": float | None, "unit": Literal["g", "ml"],
    "initial": float | None, "spoolman_id": int | None,
}, total=False)
StockChange = TypedDict("StockChange", {
    "location": Ref, "material": Ref, "status": str | None, "quantity": float, "lot": str | None,
    "supplier": str | None, "received": str | None, "opened": str | None, "expires": str | None,
    "price": float | None, "unit": Literal["g", "ml"], "initial": float | None,
    "spoolman_id": int | None,
}, total=False)
StorefrontsFilters = TypedDict("StorefrontsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "days_kept": Filter, "days_kept_from": Filter, "days_kept_to": Filter, "enabled": Filter,
    "materials": Filter, "max_files": Filter, "max_files_from": Filter, "max_files_to": Filter,
    "max_megabytes": Filter, "max_megabytes_from": Filter, "max_megabytes_to": Filter,
    "post_processor_types": Filter, "prepayment": Filter, "price_list": Filter, "review": Filter,
    "review_above": Filter, "review_above_from": Filter, "review_above_to": Filter, "slug": Filter,
    "title": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "visits_per_hour": Filter, "visits_per_hour_from": Filter, "visits_per_hour_to": Filter,
    "sort": str, "limit": int,
}, total=False)
Storefront = TypedDict("Storefront", {
    "uri": str, "created": str, "updated": str, "bureau": str, "slug": str, "title": str | None,
    "text": str | None, "enabled": bool, "price_list": str, "support_strategies": list[str],
    "infill_strategies": list[str], "layer_thicknesses": list[float], "review": str,
    "review_above": float | None, "prepayment": bool, "max_files": int, "max_megabytes": int,
    "visits_per_hour": int, "days_kept": int, "origins": list[str], "materials": list[str],
    "post_processor_types": list[str],
})
StorefrontRequest = TypedDict("StorefrontRequest", {
    "slug": Required[str], "support_strategies": list[Literal["auto", "on", "off"]],
    "infill_strategies": list[str], "layer_thicknesses": list[float], "origins": list[str],
    "bureau": Required[Ref], "title": str | None, "text": str | None, "enabled": bool,
    "price_list": Required[Ref], "review": Literal["instant", "above", "always"],
    "review_above": float | None, "prepayment": bool, "max_files": int, "max_megabytes": int,
    "visits_per_hour": int, "days_kept": int, "materials": list[Ref],
    "post_processor_types": list[Ref],
}, total=False)
StorefrontChange = TypedDict("StorefrontChange", {
    "slug": str, "support_strategies": list[Literal["auto", "on", "off"]],
    "infill_strategies": list[str], "layer_thicknesses": list[float], "origins": list[str],
    "bureau": Ref, "title": str | None, "text": str | None, "enabled": bool, "price_list": Ref,
    "review": Literal["instant", "above", "always"], "review_above": float | None,
    "prepayment": bool, "max_files": int, "max_megabytes": int, "visits_per_hour": int,
    "days_kept": int, "materials": list[Ref], "post_processor_types": list[Ref],
}, total=False)
TaxRulesFilters = TypedDict("TaxRulesFilters", {
    "bureau": Filter, "category": Filter, "country": Filter, "created": Filter,
    "created_from": Filter, "created_to": Filter, "name": Filter, "oss": Filter, "rate": Filter,
    "rate_from": Filter, "rate_to": Filter, "since": Filter, "since_from": Filter,
    "since_to": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter,
    "uri": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
TaxRule = TypedDict("TaxRule", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "category": str,
    "country": str | None, "rate": float, "oss": bool, "since": str | None,
    "sentence": dict[str, str],
})
TaxRuleRequest = TypedDict("TaxRuleRequest", {
    "country": str | None, "rate": float, "since": str | None, "sentence": dict[str, str],
    "bureau": Required[Ref], "name": Required[str],
    "category": Required[Literal["S", "Z", "E", "K", "AE", "G", "O"]], "oss": bool,
}, total=False)
TaxRuleChange = TypedDict("TaxRuleChange", {
    "country": str | None, "rate": float, "since": str | None, "sentence": dict[str, str],
    "bureau": Ref, "name": str, "category": Literal["S", "Z", "E", "K", "AE", "G", "O"],
    "oss": bool,
}, total=False)
ThirdPartiesFilters = TypedDict("ThirdPartiesFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "name": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
ThirdParty = TypedDict("ThirdParty", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str,
    "description": str | None,
})
ThirdPartyRequest = TypedDict("ThirdPartyRequest", {
    "bureau": Ref, "name": str, "description": NotRequired[str | None],
})
ThirdPartyChange = TypedDict("ThirdPartyChange", {
    "bureau": Ref, "name": str, "description": str | None,
}, total=False)
Node = TypedDict("Node", {
    "uri": str, "kind": str, "name": str, "status": str | None, "facts": JsonObject,
})
Link = TypedDict("Link", {"from": str, "to": str, "relation": str})
Chain = TypedDict("Chain", {
    "file": list[str], "settings": list[str], "part": list[str], "run": list[str],
    "order": list[str], "money": list[str],
})
Trace = TypedDict("Trace", {
    "uri": str, "nodes": list[Node], "links": list[Link], "truncated": bool, "chain": Chain | None,
})
WorkflowsFilters = TypedDict("WorkflowsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "name": Filter, "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Workflow = TypedDict("Workflow", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "steps": list[str],
})
WorkflowRequest = TypedDict("WorkflowRequest", {"bureau": Ref, "name": str})
WorkflowChange = TypedDict("WorkflowChange", {"bureau": Ref, "name": str}, total=False)
WorkingCalendarsFilters = TypedDict("WorkingCalendarsFilters", {
    "bureau": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "cut_off": Filter, "cut_off_from": Filter, "cut_off_to": Filter, "hours_a_day": Filter,
    "hours_a_day_from": Filter, "hours_a_day_to": Filter, "name": Filter, "shipping_days": Filter,
    "shipping_days_from": Filter, "shipping_days_to": Filter, "time_zone": Filter,
    "updated": Filter, "updated_from": Filter, "updated_to": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
WorkingCalendar = TypedDict("WorkingCalendar", {
    "uri": str, "created": str, "updated": str, "bureau": str, "name": str, "time_zone": str,
    "cut_off": int, "weekdays": list[int], "holidays": list[str], "hours_a_day": float,
    "shipping_days": int,
})
WorkingCalendarRequest = TypedDict("WorkingCalendarRequest", {
    "time_zone": str, "cut_off": int, "weekdays": list[int], "holidays": list[str],
    "bureau": Required[Ref], "name": Required[str], "hours_a_day": float, "shipping_days": int,
}, total=False)
WorkingCalendarChange = TypedDict("WorkingCalendarChange", {
    "time_zone": str, "cut_off": int, "weekdays": list[int], "holidays": list[str], "bureau": Ref,
    "name": str, "hours_a_day": float, "shipping_days": int,
}, total=False)


class Erp(Methods):
    """Manufacturing: bureaus, orders, prices, runs, printers, materials."""

    NAME = "erp"

    def agents(self, **filters: Unpack[AgentsFilters]) -> Iterator[Agent]:
        """List agents."""
        return self._list(self._at("/agent/"), filters)

    def agent(self, **fields: Unpack[AgentRequest]) -> Agent:
        """Create an agent."""
        return self._post(self._at("/agent/"), fields)

    def pair(self, **fields: Unpack[PairRequest]) -> Pair:
        """Pair a program with an agent by its pairing code."""
        return self._post(self._at("/agent/pair/"), fields)

    def get_agent(self, agent: Ref) -> Agent:
        """Get an agent."""
        return self._get(agent)

    def change_agent(self, agent: Ref, /, **fields: Unpack[AgentChange]) -> None:
        """Update an agent."""
        self._put(agent, fields)

    def delete_agent(self, agent: Ref) -> None:
        """Delete an agent."""
        self._client.delete(agent)

    def agent_code(self, agent: Ref) -> Code:
        """Renew the pairing code and revoke the agent's token."""
        return self._post(self._at("code/", agent), {})

    def agent_hosts(self, agent: Ref) -> Hosts:
        """List hosts in the network of an agent."""
        return self._get(self._at("hosts/", agent))

    def agent_search(self, agent: Ref, /, **fields: Unpack[SearchRequest]) -> Hosts:
        """Search the network of an agent for hosts."""
        return self._post(self._at("search/", agent), fields)

    def attempts(self, **filters: Unpack[AttemptsFilters]) -> Iterator[Attempt]:
        """List attempts."""
        return self._list(self._at("/attempt/"), filters)

    def attempt(self, **fields: Unpack[AttemptRequest]) -> Attempt:
        """Create an attempt."""
        return self._post(self._at("/attempt/"), fields)

    def get_attempt(self, attempt: Ref) -> Attempt:
        """Get an attempt."""
        return self._get(attempt)

    def change_attempt(self, attempt: Ref, /, **fields: Unpack[AttemptChange]) -> None:
        """Update an attempt."""
        self._put(attempt, fields)

    def attempt_events(self, attempt: Ref, /, **filters: Unpack[EventsFilters]) -> Iterator[Event]:
        """List events of an attempt."""
        return self._list(self._at("events/", attempt), filters)

    def attempt_events_replay(self, attempt: Ref, seq: object) -> Event:
        """Replay an event of an attempt."""
        return self._post(self._at("events/{}/replay/", attempt, seq), {})

    def attempt_make_timelapse(self, attempt: Ref) -> Timelapse:
        """Make a video of the pictures of an attempt."""
        return self._post(self._at("make-timelapse/", attempt), {})

    def attempt_objects(
        self, attempt: Ref, /, **filters: Unpack[ObjectsFilters],
    ) -> Iterator[PrintedPiece]:
        """List the objects of an attempt for exclusion."""
        return self._list(self._at("objects/", attempt), filters)

    def attempt_pictures(
        self, attempt: Ref, /, **filters: Unpack[PicturesFilters],
    ) -> Iterator[AttemptPicture]:
        """List pictures taken when an attempt paused or ended."""
        return self._list(self._at("pictures/", attempt), filters)

    def attempt_readings(self, attempt: Ref) -> Readings:
        """Get temperatures and progress of an attempt."""
        return self._get(self._at("readings/", attempt))

    def attempt_timelapse(self, attempt: Ref) -> Timelapse:
        """Get the timelapse of an attempt."""
        return self._get(self._at("timelapse/", attempt))

    def bank_accounts(self, **filters: Unpack[BankAccountsFilters]) -> Iterator[BankAccount]:
        """List bank accounts."""
        return self._list(self._at("/bank-account/"), filters)

    def bank_account(self, **fields: Unpack[BankAccountRequest]) -> BankAccount:
        """Create a bank account."""
        return self._post(self._at("/bank-account/"), fields)

    def get_bank_account(self, bank_account: Ref) -> BankAccount:
        """Get a bank account."""
        return self._get(bank_account)

    def change_bank_account(
        self, bank_account: Ref, /, **fields: Unpack[BankAccountChange],
    ) -> None:
        """Update a bank account."""
        self._put(bank_account, fields)

    def delete_bank_account(self, bank_account: Ref) -> None:
        """Delete a bank account."""
        self._client.delete(bank_account)

    def bureaus(self, **filters: Unpack[BureausFilters]) -> Iterator[Bureau]:
        """List bureaus."""
        return self._list(self._at("/bureau/"), filters)

    def bureau(self, **fields: Unpack[BureauRequest]) -> Bureau:
        """Create a bureau."""
        return self._post(self._at("/bureau/"), fields)

    def get_bureau(self, bureau: Ref) -> Bureau:
        """Get a bureau."""
        return self._get(bureau)

    def change_bureau(self, bureau: Ref, /, **fields: Unpack[BureauChange]) -> None:
        """Update a bureau."""
        self._put(bureau, fields)

    def delete_bureau(self, bureau: Ref) -> None:
        """Delete a bureau."""
        self._client.delete(bureau)

    def bureau_customer_import(
        self, bureau: Ref, /, **fields: Unpack[CustomerImportRequest],
    ) -> CustomerImport:
        """Import customers."""
        return self._post(self._at("customer-import/", bureau), fields)

    def try_bureau_customer_import(
        self, bureau: Ref, /, **fields: Unpack[CustomerImportRequest],
    ) -> CustomerImport:
        """Import customers, as a dry run: nothing is created."""
        return self._post(self._at("customer-import/", bureau) + "?dry_run=true", fields)

    def bureau_customer_summaries(
        self, bureau: Ref, *, customers: Filter = None,
    ) -> CustomerSummaries:
        """Summarise customers of a bureau."""
        return self._get(self._at("customer-summaries/", bureau), customers=customers)

    def bureau_failure_rates(self, bureau: Ref) -> FailureRates:
        """Get failed prints and rejected pieces of a bureau."""
        return self._get(self._at("failure-rates/", bureau))

    def bureau_figures(self, bureau: Ref) -> Figures:
        """Get key figures of a bureau."""
        return self._get(self._at("figures/", bureau))

    def bureau_gcode_match(self, bureau: Ref, *, gcode: Filter = None) -> GcodeMatch:
        """Match G-code to printer types, a material and pieces."""
        return self._get(self._at("gcode-match/", bureau), gcode=gcode)

    def change_bureau_logo(self, bureau: Ref, /, **fields: Unpack[LogoRequest]) -> None:
        """Set the logo of a bureau."""
        self._put(self._at("logo/", bureau), fields)

    def delete_bureau_logo(self, bureau: Ref) -> None:
        """Delete the logo of a bureau."""
        self._client.delete(self._at("logo/", bureau))

    def bureau_message_preview(
        self, bureau: Ref, /, **fields: Unpack[MessageDraftRequest],
    ) -> MessagePreview:
        """Preview a message text."""
        return self._post(self._at("message-preview/", bureau), fields)

    def bureau_message_test(self, bureau: Ref, /, **fields: Unpack[MessageDraftRequest]) -> Message:
        """Send a test mail of a message text."""
        return self._post(self._at("message-test/", bureau), fields)

    def bureau_message_texts(
        self, bureau: Ref, /, **filters: Unpack[MessageTextsFilters],
    ) -> Iterator[MessageTextEntry]:
        """List the message texts of a bureau."""
        return self._list(self._at("message-texts/", bureau), filters)

    def bureau_open_counts(self, bureau: Ref) -> OpenCounts:
        """Count the open work of a bureau."""
        return self._get(self._at("open-counts/", bureau))

    def bureau_order_figures(self, bureau: Ref) -> OrderFigures:
        """Return the open orders of a bureau in figures."""
        return self._get(self._at("order-figures/", bureau))

    def bureau_order_summaries(self, bureau: Ref, *, orders: Filter = None) -> OrderSummaries:
        """Summarise orders of a bureau."""
        return self._get(self._at("order-summaries/", bureau), orders=orders)

    def bureau_schedule(self, bureau: Ref) -> Schedule:
        """Predict when the queued runs of a bureau are printed."""
        return self._get(self._at("schedule/", bureau))

    def bureau_shortages(
        self, bureau: Ref, /, **filters: Unpack[ShortagesFilters],
    ) -> Iterator[Shortage]:
        """List material shortages of a bureau."""
        return self._list(self._at("shortages/", bureau), filters)

    def bureau_stock_figures(self, bureau: Ref) -> StockFigures:
        """Return the inventory of a bureau in figures."""
        return self._get(self._at("stock-figures/", bureau))

    def bureau_unscheduled(
        self, bureau: Ref, /, **filters: Unpack[UnscheduledFilters],
    ) -> Iterator[Unscheduled]:
        """List line items with unscheduled pieces, in order."""
        return self._list(self._at("unscheduled/", bureau), filters)

    def card_accounts(self, **filters: Unpack[CardAccountsFilters]) -> Iterator[CardAccount]:
        """List card accounts."""
        return self._list(self._at("/card-account/"), filters)

    def card_account(self, **fields: Unpack[CardAccountRequest]) -> CardAccount:
        """Create a card account."""
        return self._post(self._at("/card-account/"), fields)

    def get_card_account(self, card_account: Ref) -> CardAccount:
        """Get a card account."""
        return self._get(card_account)

    def change_card_account(
        self, card_account: Ref, /, **fields: Unpack[CardAccountChange],
    ) -> None:
        """Update a card account."""
        self._put(card_account, fields)

    def delete_card_account(self, card_account: Ref) -> None:
        """Delete a card account."""
        self._client.delete(card_account)

    def card_account_test(self, card_account: Ref) -> CardAccountTest:
        """Test the keys of a Stripe account."""
        return self._post(self._at("test/", card_account), {})

    def company_members(self, **filters: Unpack[CompanyMembersFilters]) -> Iterator[CompanyMember]:
        """List company members."""
        return self._list(self._at("/company-member/"), filters)

    def company_member(self, **fields: Unpack[CompanyMemberRequest]) -> CompanyMember:
        """Create a company member."""
        return self._post(self._at("/company-member/"), fields)

    def get_company_member(self, company_member: Ref) -> CompanyMember:
        """Get a company member."""
        return self._get(company_member)

    def change_company_member(
        self, company_member: Ref, /, **fields: Unpack[CompanyMemberChange],
    ) -> None:
        """Update a company member."""
        self._put(company_member, fields)

    def delete_company_member(self, company_member: Ref) -> None:
        """Delete a company member."""
        self._client.delete(company_member)

    def create_gcode_run(self, **fields: Unpack[CreateGcodeRunRequest]) -> Run:
        """Create a run that prints uploaded G-code."""
        return self._post(self._at("/create-gcode-run/"), fields)

    def create_runs(self, **fields: Unpack[CreateRunsRequest]) -> Run:
        """Pack pieces into runs for a printer."""
        return self._post(self._at("/create-runs/"), fields)

    def currency_conversions(
        self, **filters: Unpack[CurrencyConversionsFilters],
    ) -> Iterator[CurrencyConversion]:
        """List currency conversions."""
        return self._list(self._at("/currency-conversion/"), filters)

    def currency_conversion(
        self, **fields: Unpack[CurrencyConversionRequest],
    ) -> CurrencyConversion:
        """Create a currency conversion."""
        return self._post(self._at("/currency-conversion/"), fields)

    def get_currency_conversion(self, currency_conversion: Ref) -> CurrencyConversion:
        """Get a currency conversion."""
        return self._get(currency_conversion)

    def change_currency_conversion(
        self, currency_conversion: Ref, /, **fields: Unpack[CurrencyConversionChange],
    ) -> None:
        """Update a currency conversion."""
        self._put(currency_conversion, fields)

    def delete_currency_conversion(self, currency_conversion: Ref) -> None:
        """Delete a currency conversion."""
        self._client.delete(currency_conversion)

    def customer_companies(
        self, **filters: Unpack[CustomerCompaniesFilters],
    ) -> Iterator[CustomerCompany]:
        """List customer companies."""
        return self._list(self._at("/customer-company/"), filters)

    def customer_company(self, **fields: Unpack[CustomerCompanyRequest]) -> CustomerCompany:
        """Create a customer company."""
        return self._post(self._at("/customer-company/"), fields)

    def get_customer_company(self, customer_company: Ref) -> CustomerCompany:
        """Get a customer company."""
        return self._get(customer_company)

    def change_customer_company(
        self, customer_company: Ref, /, **fields: Unpack[CustomerCompanyChange],
    ) -> None:
        """Update a customer company."""
        self._put(customer_company, fields)

    def delete_customer_company(self, customer_company: Ref) -> None:
        """Delete a customer company."""
        self._client.delete(customer_company)

    def customer_groups(self, **filters: Unpack[CustomerGroupsFilters]) -> Iterator[CustomerGroup]:
        """List customer groups."""
        return self._list(self._at("/customer-group/"), filters)

    def customer_group(self, **fields: Unpack[CustomerGroupRequest]) -> CustomerGroup:
        """Create a customer group."""
        return self._post(self._at("/customer-group/"), fields)

    def get_customer_group(self, customer_group: Ref) -> CustomerGroup:
        """Get a customer group."""
        return self._get(customer_group)

    def change_customer_group(
        self, customer_group: Ref, /, **fields: Unpack[CustomerGroupChange],
    ) -> None:
        """Update a customer group."""
        self._put(customer_group, fields)

    def delete_customer_group(self, customer_group: Ref) -> None:
        """Delete a customer group."""
        self._client.delete(customer_group)

    def customers(self, **filters: Unpack[CustomersFilters]) -> Iterator[Customer]:
        """List customers."""
        return self._list(self._at("/customer/"), filters)

    def customer(self, **fields: Unpack[CustomerRequest]) -> Customer:
        """Create a customer."""
        return self._post(self._at("/customer/"), fields)

    def get_customer(self, customer: Ref) -> Customer:
        """Get a customer."""
        return self._get(customer)

    def change_customer(self, customer: Ref, /, **fields: Unpack[CustomerChange]) -> None:
        """Update a customer."""
        self._put(customer, fields)

    def delete_customer(self, customer: Ref) -> None:
        """Delete a customer."""
        self._client.delete(customer)

    def document_series(self, **filters: Unpack[DocumentSeriesFilters]) -> Iterator[DocumentSeries]:
        """List number series of documents."""
        return self._list(self._at("/document-series/"), filters)

    def document_serie(self, **fields: Unpack[DocumentSeriesRequest]) -> DocumentSeries:
        """Create a number series of documents."""
        return self._post(self._at("/document-series/"), fields)

    def get_document_serie(self, document_serie: Ref) -> DocumentSeries:
        """Get a number series of documents."""
        return self._get(document_serie)

    def change_document_serie(
        self, document_serie: Ref, /, **fields: Unpack[DocumentSeriesChange],
    ) -> None:
        """Change a number series of documents."""
        self._put(document_serie, fields)

    def delete_document_serie(self, document_serie: Ref) -> None:
        """Delete a number series of documents."""
        self._client.delete(document_serie)

    def documents(self, **filters: Unpack[DocumentsFilters]) -> Iterator[Document]:
        """List documents."""
        return self._list(self._at("/document/"), filters)

    def document(self, **fields: Unpack[DocumentRequest]) -> Document:
        """Issue a document."""
        return self._post(self._at("/document/"), fields)

    def get_document(self, document: Ref) -> Document:
        """Get a document."""
        return self._get(document)

    def document_events(
        self, document: Ref, /, **filters: Unpack[EventsFilters],
    ) -> Iterator[Event]:
        """List events of a document."""
        return self._list(self._at("events/", document), filters)

    def document_events_replay(self, document: Ref, seq: object) -> Event:
        """Replay an event of a document."""
        return self._post(self._at("events/{}/replay/", document, seq), {})

    def document_open_lines(self, document: Ref) -> OpenLines:
        """List what of an invoice is not credited."""
        return self._get(self._at("open-lines/", document))

    def document_retry(self, document: Ref) -> None:
        """Make the PDF of a document again."""
        self._post(self._at("retry/", document), {})

    def features(self, **filters: Unpack[FeaturesFilters]) -> Iterator[Feature]:
        """List features."""
        return self._list(self._at("/feature/"), filters)

    def feature(self, **fields: Unpack[FeatureRequest]) -> Feature:
        """Create a feature."""
        return self._post(self._at("/feature/"), fields)

    def get_feature(self, feature: Ref) -> Feature:
        """Get a feature."""
        return self._get(feature)

    def change_feature(self, feature: Ref, /, **fields: Unpack[FeatureChange]) -> None:
        """Update a feature."""
        self._put(feature, fields)

    def delete_feature(self, feature: Ref) -> None:
        """Delete a feature."""
        self._client.delete(feature)

    def invitations(self, **filters: Unpack[InvitationsFilters]) -> Iterator[Invitation]:
        """List invitations."""
        return self._list(self._at("/invitation/"), filters)

    def invitation(self, **fields: Unpack[InvitationRequest]) -> Invitation:
        """Create an invitation."""
        return self._post(self._at("/invitation/"), fields)

    def accept(self, **fields: Unpack[AcceptRequest]) -> Accepted:
        """Accept the invitation of a link."""
        return self._post(self._at("/invitation/accept/"), fields)

    def get_invitation(self, invitation: Ref) -> Invitation:
        """Get an invitation."""
        return self._get(invitation)

    def change_invitation(self, invitation: Ref, /, **fields: Unpack[InvitationChange]) -> None:
        """Update an invitation."""
        self._put(invitation, fields)

    def delete_invitation(self, invitation: Ref) -> None:
        """Delete an invitation."""
        self._client.delete(invitation)

    def invitation_link(self, invitation: Ref) -> InvitationLink:
        """Create a new link of an invitation."""
        return self._post(self._at("link/", invitation), {})

    def line_items(self, **filters: Unpack[LineItemsFilters]) -> Iterator[LineItem]:
        """List line items."""
        return self._list(self._at("/line-item/"), filters)

    def line_item(self, **fields: Unpack[LineItemRequest]) -> LineItem:
        """Create a line item."""
        return self._post(self._at("/line-item/"), fields)

    def try_line_item(self, **fields: Unpack[LineItemRequest]) -> LineItem:
        """Create a line item, as a dry run: nothing is created."""
        return self._post(self._at("/line-item/") + "?dry_run=true", fields)

    def change_line_items(self, **fields: Unpack[LineItemsRequest]) -> None:
        """Update many line items, all or none."""
        self._put(self._at("/line-item/"), fields)

    def get_line_item(self, line_item: Ref) -> LineItem:
        """Get a line item."""
        return self._get(line_item)

    def change_line_item(self, line_item: Ref, /, **fields: Unpack[LineItemChange]) -> None:
        """Update a line item."""
        self._put(line_item, fields)

    def delete_line_item(self, line_item: Ref) -> None:
        """Delete a line item."""
        self._client.delete(line_item)

    def line_item_events(
        self, line_item: Ref, /, **filters: Unpack[EventsFilters],
    ) -> Iterator[Event]:
        """List events of a line item."""
        return self._list(self._at("events/", line_item), filters)

    def line_item_events_replay(self, line_item: Ref, seq: object) -> Event:
        """Replay an event of a line item."""
        return self._post(self._at("events/{}/replay/", line_item, seq), {})

    def locations(self, **filters: Unpack[LocationsFilters]) -> Iterator[Location]:
        """List locations."""
        return self._list(self._at("/location/"), filters)

    def location(self, **fields: Unpack[LocationRequest]) -> Location:
        """Create a location."""
        return self._post(self._at("/location/"), fields)

    def get_location(self, location: Ref) -> Location:
        """Get a location."""
        return self._get(location)

    def change_location(self, location: Ref, /, **fields: Unpack[LocationChange]) -> None:
        """Update a location."""
        self._put(location, fields)

    def delete_location(self, location: Ref) -> None:
        """Delete a location."""
        self._client.delete(location)

    def maintenance_entries(
        self, **filters: Unpack[MaintenanceEntriesFilters],
    ) -> Iterator[MaintenanceEntry]:
        """List maintenance entries."""
        return self._list(self._at("/maintenance-entry/"), filters)

    def maintenance_entry(self, **fields: Unpack[MaintenanceEntryRequest]) -> MaintenanceEntry:
        """Create a maintenance entry."""
        return self._post(self._at("/maintenance-entry/"), fields)

    def get_maintenance_entry(self, maintenance_entry: Ref) -> MaintenanceEntry:
        """Get a maintenance entry."""
        return self._get(maintenance_entry)

    def maintenance_tasks(
        self, **filters: Unpack[MaintenanceTasksFilters],
    ) -> Iterator[MaintenanceTask]:
        """List maintenance tasks."""
        return self._list(self._at("/maintenance-task/"), filters)

    def maintenance_task(self, **fields: Unpack[MaintenanceTaskRequest]) -> MaintenanceTask:
        """Create a maintenance task."""
        return self._post(self._at("/maintenance-task/"), fields)

    def get_maintenance_task(self, maintenance_task: Ref) -> MaintenanceTask:
        """Get a maintenance task."""
        return self._get(maintenance_task)

    def change_maintenance_task(
        self, maintenance_task: Ref, /, **fields: Unpack[MaintenanceTaskChange],
    ) -> None:
        """Update a maintenance task."""
        self._put(maintenance_task, fields)

    def delete_maintenance_task(self, maintenance_task: Ref) -> None:
        """Delete a maintenance task."""
        self._client.delete(maintenance_task)

    def manufacturers(self, **filters: Unpack[ManufacturersFilters]) -> Iterator[Manufacturer]:
        """List manufacturers."""
        return self._list(self._at("/manufacturer/"), filters)

    def manufacturer(self, **fields: Unpack[ManufacturerRequest]) -> Manufacturer:
        """Create a manufacturer."""
        return self._post(self._at("/manufacturer/"), fields)

    def get_manufacturer(self, manufacturer: Ref) -> Manufacturer:
        """Get a manufacturer."""
        return self._get(manufacturer)

    def change_manufacturer(
        self, manufacturer: Ref, /, **fields: Unpack[ManufacturerChange],
    ) -> None:
        """Update a manufacturer."""
        self._put(manufacturer, fields)

    def delete_manufacturer(self, manufacturer: Ref) -> None:
        """Delete a manufacturer."""
        self._client.delete(manufacturer)

    def materials(self, **filters: Unpack[MaterialsFilters]) -> Iterator[Material]:
        """List materials."""
        return self._list(self._at("/material/"), filters)

    def material(self, **fields: Unpack[MaterialRequest]) -> Material:
        """Create a material."""
        return self._post(self._at("/material/"), fields)

    def get_material(self, material: Ref) -> Material:
        """Get a material."""
        return self._get(material)

    def change_material(self, material: Ref, /, **fields: Unpack[MaterialChange]) -> None:
        """Update a material."""
        self._put(material, fields)

    def delete_material(self, material: Ref) -> None:
        """Delete a material."""
        self._client.delete(material)

    def membership_bureaus(
        self, **filters: Unpack[MembershipBureausFilters],
    ) -> Iterator[MembershipBureau]:
        """List bureau memberships."""
        return self._list(self._at("/membership-bureau/"), filters)

    def membership_bureau(self, **fields: Unpack[MembershipBureauRequest]) -> MembershipBureau:
        """Create a bureau membership."""
        return self._post(self._at("/membership-bureau/"), fields)

    def get_membership_bureau(self, membership_bureau: Ref) -> MembershipBureau:
        """Get a bureau membership."""
        return self._get(membership_bureau)

    def change_membership_bureau(
        self, membership_bureau: Ref, /, **fields: Unpack[MembershipBureauChange],
    ) -> None:
        """Update a bureau membership."""
        self._put(membership_bureau, fields)

    def delete_membership_bureau(self, membership_bureau: Ref) -> None:
        """Delete a bureau membership."""
        self._client.delete(membership_bureau)

    def membership_locations(
        self, **filters: Unpack[MembershipLocationsFilters],
    ) -> Iterator[MembershipLocation]:
        """List location memberships."""
        return self._list(self._at("/membership-location/"), filters)

    def membership_location(
        self, **fields: Unpack[MembershipLocationRequest],
    ) -> MembershipLocation:
        """Create a location membership."""
        return self._post(self._at("/membership-location/"), fields)

    def get_membership_location(self, membership_location: Ref) -> MembershipLocation:
        """Get a location membership."""
        return self._get(membership_location)

    def change_membership_location(
        self, membership_location: Ref, /, **fields: Unpack[MembershipLocationChange],
    ) -> None:
        """Update a location membership."""
        self._put(membership_location, fields)

    def delete_membership_location(self, membership_location: Ref) -> None:
        """Delete a location membership."""
        self._client.delete(membership_location)

    def message_templates(
        self, **filters: Unpack[MessageTemplatesFilters],
    ) -> Iterator[MessageTemplate]:
        """List message templates."""
        return self._list(self._at("/message-template/"), filters)

    def message_template(self, **fields: Unpack[MessageTemplateRequest]) -> MessageTemplate:
        """Create a message template."""
        return self._post(self._at("/message-template/"), fields)

    def get_message_template(self, message_template: Ref) -> MessageTemplate:
        """Get a message template."""
        return self._get(message_template)

    def change_message_template(
        self, message_template: Ref, /, **fields: Unpack[MessageTemplateChange],
    ) -> None:
        """Update a message template."""
        self._put(message_template, fields)

    def delete_message_template(self, message_template: Ref) -> None:
        """Delete a message template."""
        self._client.delete(message_template)

    def messages(self, **filters: Unpack[MessagesFilters]) -> Iterator[Message]:
        """List messages to customers."""
        return self._list(self._at("/message/"), filters)

    def get_message(self, message: Ref) -> Message:
        """Get a message to a customer."""
        return self._get(message)

    def message_send(self, message: Ref) -> Message:
        """Send a message again."""
        return self._post(self._at("send/", message), {})

    def model_libraries(self, **filters: Unpack[ModelLibrariesFilters]) -> Iterator[ModelLibrary]:
        """List model libraries."""
        return self._list(self._at("/model-library/"), filters)

    def model_library(self, **fields: Unpack[ModelLibraryRequest]) -> ModelLibrary:
        """Create a model library."""
        return self._post(self._at("/model-library/"), fields)

    def get_model_library(self, model_library: Ref) -> ModelLibrary:
        """Get a model library."""
        return self._get(model_library)

    def change_model_library(
        self, model_library: Ref, /, **fields: Unpack[ModelLibraryChange],
    ) -> None:
        """Update a model library."""
        self._put(model_library, fields)

    def delete_model_library(self, model_library: Ref) -> None:
        """Delete a model library."""
        self._client.delete(model_library)

    def notification_channels(
        self, **filters: Unpack[NotificationChannelsFilters],
    ) -> Iterator[NotificationChannel]:
        """List notification channels."""
        return self._list(self._at("/notification-channel/"), filters)

    def notification_channel(
        self, **fields: Unpack[NotificationChannelRequest],
    ) -> NotificationChannel:
        """Create a notification channel."""
        return self._post(self._at("/notification-channel/"), fields)

    def get_notification_channel(self, notification_channel: Ref) -> NotificationChannel:
        """Get a notification channel."""
        return self._get(notification_channel)

    def change_notification_channel(
        self, notification_channel: Ref, /, **fields: Unpack[NotificationChannelChange],
    ) -> None:
        """Update a notification channel."""
        self._put(notification_channel, fields)

    def delete_notification_channel(self, notification_channel: Ref) -> None:
        """Delete a notification channel."""
        self._client.delete(notification_channel)

    def notification_channel_test(self, notification_channel: Ref) -> Message:
        """Send a test message to a channel."""
        return self._post(self._at("test/", notification_channel), {})

    def order_approvals(self, **filters: Unpack[OrderApprovalsFilters]) -> Iterator[OrderApproval]:
        """List order approvals."""
        return self._list(self._at("/order-approval/"), filters)

    def get_order_approval(self, order_approval: Ref) -> OrderApproval:
        """Get an order approval."""
        return self._get(order_approval)

    def order_payments(self, **filters: Unpack[OrderPaymentsFilters]) -> Iterator[OrderPayment]:
        """List order payments."""
        return self._list(self._at("/order-payment/"), filters)

    def order_payment(self, **fields: Unpack[OrderPaymentRequest]) -> OrderPayment:
        """Create an order payment."""
        return self._post(self._at("/order-payment/"), fields)

    def get_order_payment(self, order_payment: Ref) -> OrderPayment:
        """Get an order payment."""
        return self._get(order_payment)

    def order_payment_events(
        self, order_payment: Ref, /, **filters: Unpack[EventsFilters],
    ) -> Iterator[Event]:
        """List events of an order payment."""
        return self._list(self._at("events/", order_payment), filters)

    def order_payment_events_replay(self, order_payment: Ref, seq: object) -> Event:
        """Replay an event of an order payment."""
        return self._post(self._at("events/{}/replay/", order_payment, seq), {})

    def orders(self, **filters: Unpack[OrdersFilters]) -> Iterator[Order]:
        """List orders."""
        return self._list(self._at("/order/"), filters)

    def order(self, **fields: Unpack[OrderRequest]) -> Order:
        """Create an order."""
        return self._post(self._at("/order/"), fields)

    def get_order(self, order: Ref) -> Order:
        """Get an order."""
        return self._get(order)

    def change_order(self, order: Ref, /, **fields: Unpack[OrderChange]) -> None:
        """Update an order."""
        self._put(order, fields)

    def delete_order(self, order: Ref) -> None:
        """Delete an order."""
        self._client.delete(order)

    def order_events(self, order: Ref, /, **filters: Unpack[EventsFilters]) -> Iterator[Event]:
        """List events of an order."""
        return self._list(self._at("events/", order), filters)

    def order_events_replay(self, order: Ref, seq: object) -> Event:
        """Replay an event of an order."""
        return self._post(self._at("events/{}/replay/", order, seq), {})

    def order_open_lines(self, order: Ref) -> OpenLines:
        """List what of an order is not invoiced."""
        return self._get(self._at("open-lines/", order))

    def order_print_reports(self, order: Ref) -> ReportFile:
        """Get the print reports of an order as PDF."""
        return self._get(self._at("print-reports/", order))

    def order_traveller(self, order: Ref) -> bytes:
        """Get the labels of an order's pieces."""
        return self._read(self._at("traveller/", order))

    def permission_bureaus(
        self, **filters: Unpack[PermissionBureausFilters],
    ) -> Iterator[PermissionBureau]:
        """List bureau permissions."""
        return self._list(self._at("/permission-bureau/"), filters)

    def permission_bureau(self, **fields: Unpack[PermissionBureauRequest]) -> PermissionBureau:
        """Create a bureau permission."""
        return self._post(self._at("/permission-bureau/"), fields)

    def get_permission_bureau(self, permission_bureau: Ref) -> PermissionBureau:
        """Get a bureau permission."""
        return self._get(permission_bureau)

    def change_permission_bureau(
        self, permission_bureau: Ref, /, **fields: Unpack[PermissionBureauChange],
    ) -> None:
        """Update a bureau permission."""
        self._put(permission_bureau, fields)

    def delete_permission_bureau(self, permission_bureau: Ref) -> None:
        """Delete a bureau permission."""
        self._client.delete(permission_bureau)

    def permission_locations(
        self, **filters: Unpack[PermissionLocationsFilters],
    ) -> Iterator[PermissionLocation]:
        """List location permissions."""
        return self._list(self._at("/permission-location/"), filters)

    def permission_location(
        self, **fields: Unpack[PermissionLocationRequest],
    ) -> PermissionLocation:
        """Create a location permission."""
        return self._post(self._at("/permission-location/"), fields)

    def get_permission_location(self, permission_location: Ref) -> PermissionLocation:
        """Get a location permission."""
        return self._get(permission_location)

    def change_permission_location(
        self, permission_location: Ref, /, **fields: Unpack[PermissionLocationChange],
    ) -> None:
        """Update a location permission."""
        self._put(permission_location, fields)

    def delete_permission_location(self, permission_location: Ref) -> None:
        """Delete a location permission."""
        self._client.delete(permission_location)

    def pieces(self, **filters: Unpack[PiecesFilters]) -> Iterator[Piece]:
        """List pieces."""
        return self._list(self._at("/piece/"), filters)

    def change_pieces(self, **fields: Unpack[PiecesRequest]) -> None:
        """Update many pieces, all or none."""
        self._put(self._at("/piece/"), fields)

    def get_piece(self, piece: Ref) -> Piece:
        """Get a piece."""
        return self._get(piece)

    def change_piece(self, piece: Ref, /, **fields: Unpack[PieceChange]) -> None:
        """Update a piece."""
        self._put(piece, fields)

    def piece_events(self, piece: Ref, /, **filters: Unpack[EventsFilters]) -> Iterator[Event]:
        """List events of a piece."""
        return self._list(self._at("events/", piece), filters)

    def piece_events_replay(self, piece: Ref, seq: object) -> Event:
        """Replay an event of a piece."""
        return self._post(self._at("events/{}/replay/", piece, seq), {})

    def piece_label(self, piece: Ref, *, format: Filter = None) -> bytes:
        """Get the label of a piece."""
        return self._read(self._at("label/", piece), format=format)

    def post_processor_types(
        self, **filters: Unpack[PostProcessorTypesFilters],
    ) -> Iterator[PostProcessorType]:
        """List post processor types."""
        return self._list(self._at("/post-processor-type/"), filters)

    def post_processor_type(self, **fields: Unpack[PostProcessorTypeRequest]) -> PostProcessorType:
        """Create a post processor type."""
        return self._post(self._at("/post-processor-type/"), fields)

    def get_post_processor_type(self, post_processor_type: Ref) -> PostProcessorType:
        """Get a post processor type."""
        return self._get(post_processor_type)

    def change_post_processor_type(
        self, post_processor_type: Ref, /, **fields: Unpack[PostProcessorTypeChange],
    ) -> None:
        """Update a post processor type."""
        self._put(post_processor_type, fields)

    def delete_post_processor_type(self, post_processor_type: Ref) -> None:
        """Delete a post processor type."""
        self._client.delete(post_processor_type)

    def post_processors(self, **filters: Unpack[PostProcessorsFilters]) -> Iterator[PostProcessor]:
        """List post processors."""
        return self._list(self._at("/post-processor/"), filters)

    def post_processor(self, **fields: Unpack[PostProcessorRequest]) -> PostProcessor:
        """Create a post processor."""
        return self._post(self._at("/post-processor/"), fields)

    def get_post_processor(self, post_processor: Ref) -> PostProcessor:
        """Get a post processor."""
        return self._get(post_processor)

    def change_post_processor(
        self, post_processor: Ref, /, **fields: Unpack[PostProcessorChange],
    ) -> None:
        """Update a post processor."""
        self._put(post_processor, fields)

    def delete_post_processor(self, post_processor: Ref) -> None:
        """Delete a post processor."""
        self._client.delete(post_processor)

    def price_lists(self, **filters: Unpack[PriceListsFilters]) -> Iterator[PriceList]:
        """List price lists."""
        return self._list(self._at("/price-list/"), filters)

    def price_list(self, **fields: Unpack[PriceListRequest]) -> PriceList:
        """Create a price list."""
        return self._post(self._at("/price-list/"), fields)

    def get_price_list(self, price_list: Ref) -> PriceList:
        """Get a price list."""
        return self._get(price_list)

    def change_price_list(self, price_list: Ref, /, **fields: Unpack[PriceListChange]) -> None:
        """Update a price list."""
        self._put(price_list, fields)

    def delete_price_list(self, price_list: Ref) -> None:
        """Delete a price list."""
        self._client.delete(price_list)

    def price_list_document(self, price_list: Ref) -> ListDocument:
        """Export a price list as one document."""
        return self._get(self._at("document/", price_list))

    def change_price_list_document(
        self, price_list: Ref, /, **fields: Unpack[ListDocumentRequest],
    ) -> None:
        """Import a price list from its document."""
        self._put(self._at("document/", price_list), fields)

    def price_tables(self, **filters: Unpack[PriceTablesFilters]) -> Iterator[PriceTable]:
        """List price tables."""
        return self._list(self._at("/price-table/"), filters)

    def price_table(self, **fields: Unpack[PriceTableRequest]) -> PriceTable:
        """Create a price table."""
        return self._post(self._at("/price-table/"), fields)

    def get_price_table(self, price_table: Ref) -> PriceTable:
        """Get a price table."""
        return self._get(price_table)

    def change_price_table(self, price_table: Ref, /, **fields: Unpack[PriceTableChange]) -> None:
        """Update a price table."""
        self._put(price_table, fields)

    def delete_price_table(self, price_table: Ref) -> None:
        """Delete a price table."""
        self._client.delete(price_table)

    def price_table_events(
        self, price_table: Ref, /, **filters: Unpack[EventsFilters],
    ) -> Iterator[Event]:
        """List events of a price table."""
        return self._list(self._at("events/", price_table), filters)

    def price_table_events_replay(self, price_table: Ref, seq: object) -> Event:
        """Replay an event of a price table."""
        return self._post(self._at("events/{}/replay/", price_table, seq), {})

    def price_terms(self, **filters: Unpack[PriceTermsFilters]) -> Iterator[PriceTerm]:
        """List price terms."""
        return self._list(self._at("/price-term/"), filters)

    def price_term(self, **fields: Unpack[PriceTermRequest]) -> PriceTerm:
        """Create a price term."""
        return self._post(self._at("/price-term/"), fields)

    def get_price_term(self, price_term: Ref) -> PriceTerm:
        """Get a price term."""
        return self._get(price_term)

    def change_price_term(self, price_term: Ref, /, **fields: Unpack[PriceTermChange]) -> None:
        """Update a price term."""
        self._put(price_term, fields)

    def delete_price_term(self, price_term: Ref) -> None:
        """Delete a price term."""
        self._client.delete(price_term)

    def print_decisions(self, **filters: Unpack[PrintDecisionsFilters]) -> Iterator[PrintDecision]:
        """List print decisions."""
        return self._list(self._at("/print-decision/"), filters)

    def print_decision(self, **fields: Unpack[PrintDecisionRequest]) -> PrintDecision:
        """Create a print decision."""
        return self._post(self._at("/print-decision/"), fields)

    def get_print_decision(self, print_decision: Ref) -> PrintDecision:
        """Get a print decision."""
        return self._get(print_decision)

    def print_decision_events(
        self, print_decision: Ref, /, **filters: Unpack[EventsFilters],
    ) -> Iterator[Event]:
        """List events of a print decision."""
        return self._list(self._at("events/", print_decision), filters)

    def print_decision_events_replay(self, print_decision: Ref, seq: object) -> Event:
        """Replay an event of a print decision."""
        return self._post(self._at("events/{}/replay/", print_decision, seq), {})

    def print_reports(self, **filters: Unpack[PrintReportsFilters]) -> Iterator[PrintReport]:
        """List print reports."""
        return self._list(self._at("/print-report/"), filters)

    def get_print_report(self, print_report: Ref) -> PrintReport:
        """Get a print report."""
        return self._get(print_report)

    def print_report_events(
        self, print_report: Ref, /, **filters: Unpack[EventsFilters],
    ) -> Iterator[Event]:
        """List events of a print report."""
        return self._list(self._at("events/", print_report), filters)

    def print_report_events_replay(self, print_report: Ref, seq: object) -> Event:
        """Replay an event of a print report."""
        return self._post(self._at("events/{}/replay/", print_report, seq), {})

    def printer_types(self, **filters: Unpack[PrinterTypesFilters]) -> Iterator[PrinterType]:
        """List printer types."""
        return self._list(self._at("/printer-type/"), filters)

    def printer_type(self, **fields: Unpack[PrinterTypeRequest]) -> PrinterType:
        """Create a printer type."""
        return self._post(self._at("/printer-type/"), fields)

    def get_printer_type(self, printer_type: Ref) -> PrinterType:
        """Get a printer type."""
        return self._get(printer_type)

    def change_printer_type(
        self, printer_type: Ref, /, **fields: Unpack[PrinterTypeChange],
    ) -> None:
        """Update a printer type."""
        self._put(printer_type, fields)

    def delete_printer_type(self, printer_type: Ref) -> None:
        """Delete a printer type."""
        self._client.delete(printer_type)

    def printer_type_actuals(self, printer_type: Ref) -> ActualsOfType:
        """Get actual print times and good parts of a printer type."""
        return self._get(self._at("actuals/", printer_type))

    def printer_type_capacity(self, printer_type: Ref, *, model: Filter = None) -> Capacity:
        """Get the capacity of a printer type for a model."""
        return self._get(self._at("capacity/", printer_type), model=model)

    def printer_type_queue(
        self, printer_type: Ref, /, **filters: Unpack[QueueFilters],
    ) -> Iterator[Waiting]:
        """List the print queue of a printer type."""
        return self._list(self._at("queue/", printer_type), filters)

    def printers(self, **filters: Unpack[PrintersFilters]) -> Iterator[Printer]:
        """List printers."""
        return self._list(self._at("/printer/"), filters)

    def printer(self, **fields: Unpack[PrinterRequest]) -> Printer:
        """Create a printer."""
        return self._post(self._at("/printer/"), fields)

    def get_printer(self, printer: Ref) -> Printer:
        """Get a printer."""
        return self._get(printer)

    def change_printer(self, printer: Ref, /, **fields: Unpack[PrinterChange]) -> None:
        """Update a printer."""
        self._put(printer, fields)

    def delete_printer(self, printer: Ref) -> None:
        """Delete a printer."""
        self._client.delete(printer)

    def printer_camera(self, printer: Ref) -> Camera:
        """Get the newest picture of a printer's camera."""
        return self._get(self._at("camera/", printer))

    def printer_clear(self, printer: Ref, /, **fields: Unpack[ClearRequest]) -> Printer:
        """Mark the bed as cleared and reject pieces."""
        return self._post(self._at("clear/", printer), fields)

    def printer_connection_test(self, printer: Ref) -> ConnectionTest:
        """Get the last connection test of a printer."""
        return self._get(self._at("connection-test/", printer))

    def printer_maintenance(self, printer: Ref) -> Maintenance:
        """Get the maintenance plan of a printer."""
        return self._get(self._at("maintenance/", printer))

    def printer_test_connection(
        self, printer: Ref, /, **fields: Unpack[ConnectionTestRequest],
    ) -> ConnectionTest:
        """Test the connection of a printer by its agent."""
        return self._post(self._at("test-connection/", printer), fields)

    def printer_watch(self, printer: Ref) -> Watch:
        """Watch a printer: its agent reports it every 2 s."""
        return self._post(self._at("watch/", printer), {})

    def process_limits(self, **filters: Unpack[ProcessLimitsFilters]) -> Iterator[ProcessLimits]:
        """List limits of processes."""
        return self._list(self._at("/process-limits/"), filters)

    def process_limit(self, **fields: Unpack[ProcessLimitsRequest]) -> ProcessLimits:
        """Set limits of a process."""
        return self._post(self._at("/process-limits/"), fields)

    def get_process_limit(self, process_limit: Ref) -> ProcessLimits:
        """Get limits of a process."""
        return self._get(process_limit)

    def change_process_limit(
        self, process_limit: Ref, /, **fields: Unpack[ProcessLimitsChange],
    ) -> None:
        """Change limits of a process."""
        self._put(process_limit, fields)

    def delete_process_limit(self, process_limit: Ref) -> None:
        """Delete limits of a process."""
        self._client.delete(process_limit)

    def process_steps(self, **filters: Unpack[ProcessStepsFilters]) -> Iterator[ProcessStep]:
        """List process steps."""
        return self._list(self._at("/process-step/"), filters)

    def process_step(self, **fields: Unpack[ProcessStepRequest]) -> ProcessStep:
        """Create a process step."""
        return self._post(self._at("/process-step/"), fields)

    def get_process_step(self, process_step: Ref) -> ProcessStep:
        """Get a process step."""
        return self._get(process_step)

    def change_process_step(
        self, process_step: Ref, /, **fields: Unpack[ProcessStepChange],
    ) -> None:
        """Update a process step."""
        self._put(process_step, fields)

    def delete_process_step(self, process_step: Ref) -> None:
        """Delete a process step."""
        self._client.delete(process_step)

    def products(self, **filters: Unpack[ProductsFilters]) -> Iterator[Product]:
        """List products."""
        return self._list(self._at("/product/"), filters)

    def product(self, **fields: Unpack[ProductRequest]) -> Product:
        """Create a product."""
        return self._post(self._at("/product/"), fields)

    def get_product(self, product: Ref) -> Product:
        """Get a product."""
        return self._get(product)

    def change_product(self, product: Ref, /, **fields: Unpack[ProductChange]) -> None:
        """Update a product."""
        self._put(product, fields)

    def delete_product(self, product: Ref) -> None:
        """Delete a product."""
        self._client.delete(product)

    def quotes(self, **filters: Unpack[QuotesFilters]) -> Iterator[Quote]:
        """List quotes."""
        return self._list(self._at("/quote/"), filters)

    def quote(self, **fields: Unpack[QuoteRequest]) -> Quote:
        """Create a quote."""
        return self._post(self._at("/quote/"), fields)

    def get_quote(self, quote: Ref) -> Quote:
        """Get a quote."""
        return self._get(quote)

    def change_quote(self, quote: Ref, /, **fields: Unpack[QuoteChange]) -> None:
        """Update a quote."""
        self._put(quote, fields)

    def delete_quote(self, quote: Ref) -> None:
        """Delete a quote."""
        self._client.delete(quote)

    def recall(self, **filters: Unpack[RecallFilters]) -> Iterator[RecalledPiece]:
        """List recalled pieces, or export them as CSV."""
        return self._list(
            self._at("/recall/"), filters, "config", "format", "material", "model", "printer",
            "run", "stock",
        )

    def received_files(self, **filters: Unpack[ReceivedFilesFilters]) -> Iterator[ReceivedFile]:
        """List received files."""
        return self._list(self._at("/received-file/"), filters)

    def get_received_file(self, received_file: Ref) -> ReceivedFile:
        """Get a received file."""
        return self._get(received_file)

    def delete_received_file(self, received_file: Ref) -> None:
        """Delete a received file."""
        self._client.delete(received_file)

    def roles(self, **filters: Unpack[RolesFilters]) -> Iterator[Role]:
        """List roles."""
        return self._list(self._at("/role/"), filters)

    def get_role(self, role: Ref) -> Role:
        """Get a role."""
        return self._get(role)

    def runs(self, **filters: Unpack[RunsFilters]) -> Iterator[Run]:
        """List runs."""
        return self._list(self._at("/run/"), filters, "queue")

    def run(self, **fields: Unpack[RunRequest]) -> Run:
        """Create a run."""
        return self._post(self._at("/run/"), fields)

    def get_run(self, run: Ref) -> Run:
        """Get a run."""
        return self._get(run)

    def change_run(self, run: Ref, /, **fields: Unpack[RunChange]) -> None:
        """Update a run."""
        self._put(run, fields)

    def delete_run(self, run: Ref) -> None:
        """Delete a run."""
        self._client.delete(run)

    def run_candidates(
        self, run: Ref, /, **filters: Unpack[CandidatesFilters],
    ) -> Iterator[Candidate]:
        """List candidate printers of a run, with reasons."""
        return self._list(self._at("candidates/", run), filters)

    def run_events(self, run: Ref, /, **filters: Unpack[EventsFilters]) -> Iterator[Event]:
        """List events of a run."""
        return self._list(self._at("events/", run), filters)

    def run_events_replay(self, run: Ref, seq: object) -> Event:
        """Replay an event of a run."""
        return self._post(self._at("events/{}/replay/", run, seq), {})

    def run_labels(self, run: Ref) -> bytes:
        """Get the labels of a run's pieces."""
        return self._read(self._at("labels/", run))

    def run_unpacking(
        self, run: Ref, /, **filters: Unpack[UnpackingFilters],
    ) -> Iterator[Unpacking]:
        """List the pieces of a run in unpacking order."""
        return self._list(self._at("unpacking/", run), filters)

    def service_providers(
        self, **filters: Unpack[ServiceProvidersFilters],
    ) -> Iterator[ServiceProvider]:
        """List service providers."""
        return self._list(self._at("/service-provider/"), filters)

    def service_provider(self, **fields: Unpack[ServiceProviderRequest]) -> ServiceProvider:
        """Create a service provider."""
        return self._post(self._at("/service-provider/"), fields)

    def get_service_provider(self, service_provider: Ref) -> ServiceProvider:
        """Get a service provider."""
        return self._get(service_provider)

    def change_service_provider(
        self, service_provider: Ref, /, **fields: Unpack[ServiceProviderChange],
    ) -> None:
        """Update a service provider."""
        self._put(service_provider, fields)

    def delete_service_provider(self, service_provider: Ref) -> None:
        """Delete a service provider."""
        self._client.delete(service_provider)

    def share_links(self, **filters: Unpack[ShareLinksFilters]) -> Iterator[ShareLink]:
        """List share links."""
        return self._list(self._at("/share-link/"), filters)

    def share_link(self, **fields: Unpack[ShareLinkRequest]) -> ShareLink:
        """Create a share link."""
        return self._post(self._at("/share-link/"), fields)

    def get_share_link(self, share_link: Ref) -> ShareLink:
        """Get a share link."""
        return self._get(share_link)

    def change_share_link(self, share_link: Ref, /, **fields: Unpack[ShareLinkChange]) -> None:
        """Update a share link."""
        self._put(share_link, fields)

    def delete_share_link(self, share_link: Ref) -> None:
        """Delete a share link."""
        self._client.delete(share_link)

    def share_link_link(self, share_link: Ref) -> ShareLinkToken:
        """Create the address of a share link."""
        return self._post(self._at("link/", share_link), {})

    def shipments(self, **filters: Unpack[ShipmentsFilters]) -> Iterator[Shipment]:
        """List shipments."""
        return self._list(self._at("/shipment/"), filters)

    def shipment(self, **fields: Unpack[ShipmentRequest]) -> Shipment:
        """Create a shipment."""
        return self._post(self._at("/shipment/"), fields)

    def get_shipment(self, shipment: Ref) -> Shipment:
        """Get a shipment."""
        return self._get(shipment)

    def change_shipment(self, shipment: Ref, /, **fields: Unpack[ShipmentChange]) -> None:
        """Update a shipment."""
        self._put(shipment, fields)

    def shipment_events(
        self, shipment: Ref, /, **filters: Unpack[EventsFilters],
    ) -> Iterator[Event]:
        """List events of a shipment."""
        return self._list(self._at("events/", shipment), filters)

    def shipment_events_replay(self, shipment: Ref, seq: object) -> Event:
        """Replay an event of a shipment."""
        return self._post(self._at("events/{}/replay/", shipment, seq), {})

    def shippings(self, **filters: Unpack[ShippingsFilters]) -> Iterator[Shipping]:
        """List shipping."""
        return self._list(self._at("/shipping/"), filters)

    def shipping(self, **fields: Unpack[ShippingRequest]) -> Shipping:
        """Create a shipping."""
        return self._post(self._at("/shipping/"), fields)

    def get_shipping(self, shipping: Ref) -> Shipping:
        """Get a shipping."""
        return self._get(shipping)

    def change_shipping(self, shipping: Ref, /, **fields: Unpack[ShippingChange]) -> None:
        """Update a shipping."""
        self._put(shipping, fields)

    def delete_shipping(self, shipping: Ref) -> None:
        """Delete a shipping."""
        self._client.delete(shipping)

    def slicer_keys(self, **filters: Unpack[SlicerKeysFilters]) -> Iterator[SlicerKey]:
        """List slicer keys."""
        return self._list(self._at("/slicer-key/"), filters)

    def slicer_key(self, **fields: Unpack[SlicerKeyRequest]) -> SlicerKey:
        """Create a slicer key."""
        return self._post(self._at("/slicer-key/"), fields)

    def get_slicer_key(self, slicer_key: Ref) -> SlicerKey:
        """Get a slicer key."""
        return self._get(slicer_key)

    def change_slicer_key(self, slicer_key: Ref, /, **fields: Unpack[SlicerKeyChange]) -> None:
        """Update a slicer key."""
        self._put(slicer_key, fields)

    def delete_slicer_key(self, slicer_key: Ref) -> None:
        """Delete a slicer key."""
        self._client.delete(slicer_key)

    def slicer_key_secret(self, slicer_key: Ref) -> SlicerSecret:
        """Create the secret of a slicer key; the last one ends."""
        return self._post(self._at("secret/", slicer_key), {})

    def staff_notifications(
        self, **filters: Unpack[StaffNotificationsFilters],
    ) -> Iterator[StaffNotification]:
        """List staff notifications."""
        return self._list(self._at("/staff-notification/"), filters)

    def staff_notification(self, **fields: Unpack[StaffNotificationRequest]) -> StaffNotification:
        """Create a staff notification."""
        return self._post(self._at("/staff-notification/"), fields)

    def get_staff_notification(self, staff_notification: Ref) -> StaffNotification:
        """Get a staff notification."""
        return self._get(staff_notification)

    def delete_staff_notification(self, staff_notification: Ref) -> None:
        """Delete a staff notification."""
        self._client.delete(staff_notification)

    def stock_movements(self, **filters: Unpack[StockMovementsFilters]) -> Iterator[StockMovement]:
        """List stock movements."""
        return self._list(self._at("/stock-movement/"), filters)

    def stock_movement(self, **fields: Unpack[StockMovementRequest]) -> StockMovement:
        """Create a stock movement."""
        return self._post(self._at("/stock-movement/"), fields)

    def get_stock_movement(self, stock_movement: Ref) -> StockMovement:
        """Get a stock movement."""
        return self._get(stock_movement)

    def stocks(self, **filters: Unpack[StocksFilters]) -> Iterator[Stock]:
        """List stocks."""
        return self._list(self._at("/stock/"), filters)

    def stock(self, **fields: Unpack[StockRequest]) -> Stock:
        """Create a stock."""
        return self._post(self._at("/stock/"), fields)

    def get_stock(self, stock: Ref) -> Stock:
        """Get a stock."""
        return self._get(stock)

    def change_stock(self, stock: Ref, /, **fields: Unpack[StockChange]) -> None:
        """Update a stock."""
        self._put(stock, fields)

    def delete_stock(self, stock: Ref) -> None:
        """Delete a stock."""
        self._client.delete(stock)

    def storefronts(self, **filters: Unpack[StorefrontsFilters]) -> Iterator[Storefront]:
        """List storefronts."""
        return self._list(self._at("/storefront/"), filters)

    def storefront(self, **fields: Unpack[StorefrontRequest]) -> Storefront:
        """Create a storefront."""
        return self._post(self._at("/storefront/"), fields)

    def get_storefront(self, storefront: Ref) -> Storefront:
        """Get a storefront."""
        return self._get(storefront)

    def change_storefront(self, storefront: Ref, /, **fields: Unpack[StorefrontChange]) -> None:
        """Update a storefront."""
        self._put(storefront, fields)

    def delete_storefront(self, storefront: Ref) -> None:
        """Delete a storefront."""
        self._client.delete(storefront)

    def tax_rules(self, **filters: Unpack[TaxRulesFilters]) -> Iterator[TaxRule]:
        """List tax rules."""
        return self._list(self._at("/tax-rule/"), filters)

    def tax_rule(self, **fields: Unpack[TaxRuleRequest]) -> TaxRule:
        """Create a tax rule."""
        return self._post(self._at("/tax-rule/"), fields)

    def get_tax_rule(self, tax_rule: Ref) -> TaxRule:
        """Get a tax rule."""
        return self._get(tax_rule)

    def change_tax_rule(self, tax_rule: Ref, /, **fields: Unpack[TaxRuleChange]) -> None:
        """Update a tax rule."""
        self._put(tax_rule, fields)

    def delete_tax_rule(self, tax_rule: Ref) -> None:
        """Delete a tax rule."""
        self._client.delete(tax_rule)

    def third_parties(self, **filters: Unpack[ThirdPartiesFilters]) -> Iterator[ThirdParty]:
        """List third parties."""
        return self._list(self._at("/third-party/"), filters)

    def third_party(self, **fields: Unpack[ThirdPartyRequest]) -> ThirdParty:
        """Create a third party."""
        return self._post(self._at("/third-party/"), fields)

    def get_third_party(self, third_party: Ref) -> ThirdParty:
        """Get a third party."""
        return self._get(third_party)

    def change_third_party(self, third_party: Ref, /, **fields: Unpack[ThirdPartyChange]) -> None:
        """Update a third party."""
        self._put(third_party, fields)

    def delete_third_party(self, third_party: Ref) -> None:
        """Delete a third party."""
        self._client.delete(third_party)

    def trace(self, *, uri: Filter = None) -> Trace:
        """Trace the provenance of a resource."""
        return self._get(self._at("/trace/"), uri=uri)

    def workflows(self, **filters: Unpack[WorkflowsFilters]) -> Iterator[Workflow]:
        """List workflows."""
        return self._list(self._at("/workflow/"), filters)

    def workflow(self, **fields: Unpack[WorkflowRequest]) -> Workflow:
        """Create a workflow."""
        return self._post(self._at("/workflow/"), fields)

    def get_workflow(self, workflow: Ref) -> Workflow:
        """Get a workflow."""
        return self._get(workflow)

    def change_workflow(self, workflow: Ref, /, **fields: Unpack[WorkflowChange]) -> None:
        """Update a workflow."""
        self._put(workflow, fields)

    def delete_workflow(self, workflow: Ref) -> None:
        """Delete a workflow."""
        self._client.delete(workflow)

    def working_calendars(
        self, **filters: Unpack[WorkingCalendarsFilters],
    ) -> Iterator[WorkingCalendar]:
        """List working calendars."""
        return self._list(self._at("/working-calendar/"), filters)

    def working_calendar(self, **fields: Unpack[WorkingCalendarRequest]) -> WorkingCalendar:
        """Create a working calendar."""
        return self._post(self._at("/working-calendar/"), fields)

    def get_working_calendar(self, working_calendar: Ref) -> WorkingCalendar:
        """Get a working calendar."""
        return self._get(working_calendar)

    def change_working_calendar(
        self, working_calendar: Ref, /, **fields: Unpack[WorkingCalendarChange],
    ) -> None:
        """Update a working calendar."""
        self._put(working_calendar, fields)

    def delete_working_calendar(self, working_calendar: Ref) -> None:
        """Delete a working calendar."""
        self._client.delete(working_calendar)
