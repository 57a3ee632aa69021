"""`python3 tests/check_trace FILE...`: see command.py."""

import sys

from command import main

sys.exit(main())
