"""manage.py check_price_lists: prices sample parts and recent line items with every price list."""

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from apps.erp.orders.models.prices import PriceList
from apps.erp.orders.services import price_lists
from core.errors import InvalidFields


class Command(BaseCommand):
    help = "Price sample parts with every price list; name the terms that give no price."

    def add_arguments(self, parser):
        parser.add_argument("--bureau", help="the name of one bureau")

    def handle(self, *, bureau: str | None = None, **options):
        rows = PriceList.objects.select_related("bureau").order_by("bureau__name", "name", "pk")
        broken = warned = 0
        for row in rows.filter(bureau__name=bureau) if bureau else rows:
            title = f"{row.bureau.name}: {row.name}"
            try:
                with transaction.atomic():
                    price_lists.retry(row)
            except InvalidFields as rejection:
                broken += 1
                words = " ".join(fault.title for fault in rejection.faults)
                self.stdout.write(self.style.ERROR(f"{title}: {words}"))
                continue
            warned += len(row.warnings)
            self.stdout.write(f"{title}: {len(row.tried)} prices, {len(row.warnings)} warnings")
            for each in row.warnings:
                self.stdout.write(self.style.WARNING(f"  {each['term'] or '-'}: {each['title']}"))
        if broken or warned:
            raise CommandError(f"{broken} lists cannot mean a price, {warned} warnings.")
        self.stdout.write("Every list gives a price for every part.")
