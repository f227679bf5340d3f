"""Confinement of processes that read untrusted input; standard library only.

`launcher` starts an engine as another program, a sandbox job stays in Python; both call
`confinement.confine`. A mechanism that this kernel lacks is left out, so that the work continues;
`standing` reports which are active. Any other failure ends the process.
"""
