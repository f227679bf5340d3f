"""Which words of a motion are read, and how many digits of a number at once."""

READ = "GXYZEFIJKRP"  # letters whose numbers are read
MOST_DIGITS = 15  # that a float holds exactly; so is the power of ten, and their quotient rounded
