"""`mp print`: file to G-code, or to an order."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from manufacturing import Client, ClientError, Failed, Refused
from manufacturing.cli.output import AsJson, awaited, bar, give, say
from manufacturing.cli.request_log import Recorder
from manufacturing.cli.resources import recorded
from manufacturing.request_encoding import Ref, Resource

File = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A part: STL, 3MF, STEP …")]


def print_part(
    file: File,
    *,
    material: Annotated[
        str, typer.Option(help="What it is sliced for; in a shop the name of a material of it.")
    ] = "PLA",
    quantity: Annotated[int, typer.Option(min=1, help="How many.")] = 1,
    infill: Annotated[int | None, typer.Option(min=0, max=100, help="In per cent.")] = None,
    quality: Annotated[str, typer.Option(help="low, standard or fine.")] = "",
    support: Annotated[bool | None, typer.Option(help="Whether supports are printed.")] = None,
    engine: Annotated[str, typer.Option(help="slic3r or cura.")] = "slic3r",
    shop: Annotated[str, typer.Option(help="Order it there: the name or URI of a shop.")] = "",
    confirm: Annotated[bool, typer.Option("--confirm", help="Confirm that order.")] = False,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait, and fetch.")] = False,
    output: Annotated[str, typer.Option("--output", "-o", help="Where the gcode goes.")] = "",
    as_json: AsJson = False,
) -> None:
    """Upload a part, hear the verdict, and have it sliced.

    With --follow it waits for the gcode and fetches it; without, it says where that will be.
    With --shop it is also ordered there, --quantity times: the order waits to be confirmed, unless
    --confirm does that, which makes the pieces and may cost what the shop asks. Without a shop
    nothing is ordered, and --quantity only counts in what is told of time and material.
    """
    wanted = {"material": material, "infill_density": infill, "support": support}
    wanted |= {"print_quality": quality or None}
    parameters = {name: value for name, value in wanted.items() if value is not None}
    with recorded() as (client, recorder):
        ordered_in = shop_named(client, shop) if shop else None
        of = material_named(client, ordered_in, material) if ordered_in else None
        if of:
            parameters["material"] = family(of)
        model = uploaded(client, recorder, file)
        config = client.create("slicing", "/config/curated/", engine=engine, parameters=parameters)
        part = client.create("slicing", "/slice/", model=model, config=config)
        told: Resource = {"model": model["uri"], "slice": part["uri"]}
        if ordered_in:
            told |= order(client, ordered_in, model, config, of, quantity, confirm=confirm)
        if follow:
            part = awaited(client, part, "Slicing")
            told["gcode"] = output or f"{file.stem}.gcode"
            with bar("Fetching the gcode") as moved:
                client.download(part["content"], told["gcode"], progress=moved)
            recorder.fetched(part["content"], told["gcode"])
            say(estimated(part["estimates"], quantity))
        else:
            say("It is being sliced: `mp slice get` fetches the gcode.")
    if as_json:
        give(told)
    else:
        typer.echo("\n".join(f"{name}\t{value}" for name, value in told.items()))


def uploaded(client: Client, recorder: Recorder, file: Path, key: str = "") -> Resource:
    """Upload a file and return its analysed model; raises Failed.

    key : its idempotency key
    """
    recorder.file = str(file)
    with bar(f"Uploading {file.name}") as moved:
        kind = {} if file.suffix.lower() == ".stl" else {"type": file.suffix.lower().lstrip(".")}
        model = client.upload(file, progress=moved, idempotency_key=key, **kind)
    model = awaited(client, model, "Judging it")
    say(verdict(model))
    return model


def verdict(model: Resource) -> str:
    """What was found, in a sentence."""
    if not (size := model["size"]):
        return f"{model['name']} is {model['status']}: {model['uri']}"
    closed = "closed" if model["analyses.manifold"] else "NOT closed: healing may help"
    sides = " x ".join(f"{size[side]:.1f}" for side in "xyz")
    return f"{model['name']}: {sides} mm, {model['polygons']} triangles, {closed}."


def estimated(estimates: Mapping[str, float | None], quantity: int) -> str:
    """Time and material of all pieces, one after another."""
    seconds, volume = estimates["build_time_seconds"], estimates["build_volume_cc"]
    if seconds is None or volume is None:
        return "How long it takes is not known."
    hours, minutes = divmod(round(seconds * quantity / 60), 60)
    each, material = seconds / 60, volume * quantity
    return f"{quantity} x {each:.0f} min: {hours} h {minutes:02} min, {material:.1f} cm³."


def shop_named(client: Client, said: str) -> Resource:
    """A bureau by its name or its URI."""
    if said.startswith("http"):
        return client.get(said)
    return one_of([*client.list("erp", "/bureau/", name=said)], f"a shop called {said!r}")


def material_named(client: Client, bureau: Resource, said: str) -> Resource:
    """A material of a bureau: by its name, or as the only one of such a filament."""
    found = [*client.list("erp", "/material/", bureau=bureau)]
    named = [each for each in found if each["name"] == said]
    alike = [
        each for each in found if said.upper() in (each["filament_type"], each["name"].upper())
    ]
    return one_of(named or alike, f"a material {said!r} in {bureau['name']}")


def family(material: Resource) -> str:
    """What a curated config knows: ABS or PLA."""
    words = f"{material['filament_type'] or ''} {material['name']}".upper()
    return "ABS" if "ABS" in words else "PLA"


def one_of(found: list[Resource], what: str) -> Resource:
    if len(found) != 1:
        number = "more than one" if found else "no"
        raise ClientError(f"There is {number} {what.removeprefix('a ')}: name it by its URI.")
    return found[0]


def line_item(
    bureau: Ref, model: Ref, config: Ref, material: Ref | None, quantity: int
) -> Resource:
    """Return the fields of a line item of one model."""
    return {
        **{"bureau": bureau, "model": model, "config": config},
        **{"quantity": quantity, "materials": {"base": material}},
    }


def order(
    client: Client,
    bureau: Resource,
    model: Resource,
    config: Resource,
    material: Resource | None,
    quantity: int,
    *,
    confirm: bool,
    key: str = "",
) -> Resource:
    """Create an order of one line item, wait for its estimate, and confirm it where wanted.

    The line item is created first: where the platform refuses it, there is no order. What is
    refused or fails afterwards withdraws both.

    key : beginning of the idempotency keys
    """
    fields = line_item(bureau, model, config, material, quantity)
    keys = {what: key and f"{key}-{what}" for what in ("line-item", "order")}
    item = client.create("erp", "/line-item/", idempotency_key=keys["line-item"], **fields)
    created = [item]
    try:
        named = {"bureau": bureau, "name": model["name"], "line_items": [item]}
        made = client.create("erp", "/order/", idempotency_key=keys["order"], **named)
        created.append(made)
        with bar("Estimating the order"):
            item = client.wait(item, until=("pending",))
        if confirm:
            client.change(item, status="confirmed")
    except (Refused, Failed):
        withdraw(client, created)
        raise
    price = item["price"] and f"{item['price']['gross']} {item['price']['currency']}"
    say(f"Ordered of {bureau['name']}: {quantity}, {price or 'without a price'}.")
    return {"order": made["uri"], "line_item": item["uri"], "price": price}


def withdraw(client: Client, resources: list[Resource]) -> None:
    """Delete resources of an order that failed; report those that remain."""
    for each in resources:
        try:
            client.delete(each)
        except ClientError as error:
            say(f"{each['uri']} could not be withdrawn: {error}")
