"""A bundle of presets of a maker that the tests have made up."""

BUNDLE = r"""
# Presets of nobody's printers.
[vendor]
name = Acme & Sons
config_version = 1.2.3

[printer_model:ROUND]
name = Acme Round && Tall
variants = 0.4
technology = FFF

[printer_model:FLAT]
name = Acme Flat
variants = 0.4; 0.6

[printer:*common*]
printer_technology = FFF
gcode_flavor = marlin
nozzle_diameter = 0.4
max_print_height = 180
use_relative_e_distances = 1
layer_gcode = ;LAYER\nG92 E0
start_gcode = G28\nM104 S[first_layer_temperature]\nM109 S[first_layer_temperature]\nG92 E0
end_gcode = M104 S0\nM84
machine_max_acceleration_extruding = 1250,960
machine_max_acceleration_x = 1000
machine_max_acceleration_y = 1000
machine_max_feedrate_x = 200
machine_max_feedrate_y = 200
printer_notes = Do not remove what follows.\nPRINTER_VENDOR_ACME\n

[printer:Acme Flat]
inherits = *common*
printer_model = FLAT
printer_notes = PRINTER_VENDOR_ACME\nPRINTER_MODEL_FLAT
bed_shape = 5x5,205x5,205x155,5x155
default_print_profile = 0.20 mm normal @ACME
default_filament_profile = Acme PLA
thumbnails = 16x16,220x124

[printer:Acme Flat 0.6]
inherits = Acme Flat
nozzle_diameter = 0.6
default_print_profile = no longer there

[printer:Acme Round]
inherits = *common*
printer_model = ROUND
printer_notes = PRINTER_VENDOR_ACME\nPRINTER_MODEL_ROUND
bed_shape = 80x0,56.57x56.57,0x80,-56.57x56.57,-80x0,-56.57x-56.57,0x-80,56.57x-56.57

[printer:Acme Double]
inherits = Acme Flat
nozzle_diameter = 0.4,0.6
extruder_offset = 0x0,18x-2.5
retract_length = 1.5,2.5

[printer:Acme Careless]
inherits = Acme Flat
layer_gcode =

[print:*quick*]
perimeters = 2
perimeter_speed = 45
layer_height = 0.3

[print:*fine*]
layer_height = 0.1
perimeters = 3

[print:0.20 mm normal @ACME]
inherits = *quick*; *fine*
layer_height = 0.2
first_layer_height = 75%
fill_density = 15%
infill_speed = 80
compatible_printers_condition = printer_notes=~/.*PRINTER_VENDOR_ACME.*/ and nozzle_diameter[0]==0.4

[print:0.10 mm fine @ACME]
inherits = *fine*
compatible_printers_condition = printer_model=="FLAT" and ! (nozzle_diameter[0]>0.5)

[print:0.30 mm quick @ACME]
inherits = *quick*
first_layer_height = 0.3
renamed_from = "Fast"
compatible_printers_condition = nozzle_diameter[0]>=0.4 or single_extruder_multi_material

[filament:*PLA*]
filament_type = PLA
filament_diameter = 1.75
filament_density = 1.24
filament_cost = 25
temperature = 205
first_layer_temperature = 215
bed_temperature = 60
first_layer_bed_temperature = 60

[filament:Acme PLA]
inherits = *PLA*
deretract_speed = 0 # as the printer has it
compatible_printers = "Acme Flat";"Acme Flat 0.6"

[filament:Generic PLA @ACME]
inherits = *PLA*
filament_cost =
compatible_printers_condition = printer_notes=~/.*PRINTER_VENDOR_ACME.*/

[filament:Acme PETG]
inherits = *PLA*
filament_type = PETG
temperature = 240
first_layer_temperature = 235
compatible_prints_condition = layer_height<0.3
"""
