"""Which words of a motion are read, and how many digits of a number at once."""

READ = "GXYZEFIJR"  # the letters whose numbers are kept
MOST_DIGITS = 15  # that a float holds exactly; so is the power of ten, and their quotient rounded
