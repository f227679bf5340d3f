"""3D nesting: packing of parts into a build volume or onto a plate.

Nothing is imported here: the voxel packer loads numba, which takes most of a second, and the
rows, the boxes and the certificate do not need it.
"""
