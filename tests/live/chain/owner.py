"""The owner of a new installation sets up a shop with two printers, by the console's pages."""

import re
import shlex

from playwright.sync_api import Locator, expect

from tests.live.chain.page import Person
from tests.live.chain.programs import Programs
from tests.stripe_server import KEY, SECRET

TYPE = "Original Prusa i3 MK3S & MK3S+"
PRINTERS = {"Printer 1": "PLA black", "Printer 2": "PLA white"}  # and what is loaded
SLUG = "nordform"
# Moments that are not mailed unless the shop wants it.
MORE_MAILS = ("In production",)


class Owner(Person):
    """The owner of the shop."""

    def register(self) -> None:
        """Create the account."""
        self.open("register/")
        person = {"Full name": "Ada Nord", "Email": "ada@nordform.example", "Username": "ada"}
        self.fill({**person, "Password": "a long pass phrase"})
        self.press("Create account")
        self.follow("Set up your shop")

    def set_up_shop(self) -> None:
        """A shop with a printer, two materials, and a lot of each; runs are planned."""
        self.fill({"Shop name": "Nordform", "Printer": TYPE, "Material": "PLA black"})
        self.press("Create shop")
        self.see("Shop created.")
        self.send("material/new/", {"Name": "PLA white", "Filament type": "PLA", "Cost": "0.03"})
        self.open("printer-type/")
        self.follow(TYPE)
        self.follow("Edit")
        planning = {"Plan builds automatically": True, "PLA white": True}
        self.fill({**planning, "Print preset": "0.30mm DRAFT @MK3"})
        self.press("Save")
        self.see("Changes saved.")
        for name in PRINTERS.values():
            lot = {"Material": name, "Lot number": name, "Quantity": "1000"}
            self.send("stock/new/", lot)

    def set_up_selling(self) -> str:
        """Prices, limits, card payments, e-mails and the storefront; the webhook's address."""
        self.open("")
        self.follow("Create a price list")
        self.press("Save price list")
        self.see("Price list active.")
        limits = {"Printer type": TYPE, "Process": "FDM", "Customer decides from": "Fault"}
        self.send("process-limits/new/", limits)
        self.open("settings/payments/")
        cards = {"Secret key": KEY, "Signing secret of the webhook": SECRET}
        self.fill({**cards, "Customers can pay by card": True})
        self.press("Save")
        self.press("Test the keys")
        self.see("Stripe accepts the key.")
        webhook = self.main.get_by_label("Address of the webhook").input_value()
        for moment in MORE_MAILS:
            self.open("settings/emails/")
            self.press(f"Switch on {moment}")
        offered = {"Enabled": True, "Review": "No order", "Production starts after payment": True}
        address = {"Address": SLUG, "Heading": "Parts of plastic"}
        self.send("storefront/new/", {**address, **offered, "PLA black": True, "PLA white": True})
        return webhook

    def connect_printers(self, programs: Programs) -> None:
        """Pair an agent, find the hosts of both printers in its network, and connect them."""
        self.open("settings/printers/")
        self.follow("Connection of Printer 1")
        self.fill({"Connection": "OctoPrint", "Agent": "New agent"})
        self.press("Save and test connection")
        self.press("Show pairing code")
        command = self.main.locator("pre", has_text="manufacturing-agent pair").inner_text()
        programs.pair(*shlex.split(command)[1:])
        for name, host in zip(PRINTERS, programs.hosts, strict=True):
            self.open("settings/printers/")
            self.reload_until("Search a network")  # the agent is online
            self.fill({"Addresses": host.url.removeprefix("http://")})
            self.press("Search")
            self.follow(re.compile("^Add"), self._row(host.url))
            if name == "Printer 1":
                self.fill({"Printer": name})
            else:
                self.fill({"Name of the new printer": name})
            self.press("Continue to the key")
            self.fill({"Key": host.key})
            self.press("Save and test connection")
            expect(self.page.locator("#connection-test")).to_contain_text("Test passed")

    def start_automatically(self) -> None:
        """Both printers start prints automatically, each with its lot."""
        for name, lot in PRINTERS.items():
            self.open_printer(name)
            self.follow("Edit printer")
            self.fill({"Start prints automatically": True, f"{lot} · {lot}": True})
            self.press("Save")
            self.see("Changes saved.")

    def open_printer(self, name: str) -> None:
        """The page of a printer."""
        self.open("printer/list/")
        self.follow(name)
        expect(self.page.get_by_role("heading", name=name, level=1)).to_be_visible()

    def confirm_empty_beds(self) -> None:
        for name in PRINTERS:
            self.open_printer(name)
            self.press("Confirm empty bed")
            self.see("Ready")

    def _row(self, text: str) -> Locator:
        return self.main.get_by_role("row").filter(has_text=text)
