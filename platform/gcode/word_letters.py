"""Word letters that are read, and number precision."""

READ = "GXYZEFIJKRP"  # letters whose numbers are read
MAX_DIGITS = 15  # that a float holds exactly; so is the power of ten, and their quotient rounded
