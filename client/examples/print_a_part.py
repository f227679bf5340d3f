"""Example: upload, analyse, render and slice a part."""

from manufacturing import Client

client = Client()  # MP_URL and MP_TOKEN, or what `mp login` has kept
model = client.wait(client.models.upload("bracket.stl"))  # Failed, with its errors, if it is bad
print(model["analyses.manifold"], model["size"])
config = client.slicing.curated(engine="slic3r", material="PLA", infill_density=20, support=True)
part = client.wait(client.slicing.slice(model=model, config=config))
client.download(part["content"], "bracket.gcode")
picture = next(client.models.model_snapshots(model))
client.download(client.wait(picture)["content"], "bracket.png")
for order in client.erp.orders(status="new"):  # page by page, as far as one reads
    print(order["name"], order["uri"])
