"""Confinement of processes that read untrusted input; standard library only.

An engine becomes another program behind them (`launcher`), a job of a sandbox stays in
Python. Both call `confinement.confine`. A wall that this kernel does not have is left out, so that
the work still goes on; `standing` says which. One that fails for any other reason ends the process.
"""
