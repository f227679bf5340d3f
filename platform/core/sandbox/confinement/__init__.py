"""The walls around a process that works on what strangers sent; Python's own library alone.

An engine becomes another program behind them (`launcher`), a job of a `core.sandbox.sandbox.Jail` stays in
Python. Both call `confinement.confine`. A wall that this kernel does not have is left out, so that
the work still goes on; `standing` says which. One that fails for any other reason ends the process.
"""
