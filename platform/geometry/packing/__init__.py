"""Packing of pieces into a build volume; import what you need from its modules.

Nothing is imported here: the voxel packer loads numba, which takes most of a second, and the
rows, the boxes and the certificate do not need it.
"""
