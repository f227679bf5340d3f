"""A module whose import does not come to its end."""

import time

time.sleep(3600)
