"""`python -m nimmt.core [FOLDER]`: build the compiled core."""

import sys

from nimmt.core.build import main

raise SystemExit(main(sys.argv[1:]))
