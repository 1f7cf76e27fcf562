"""The arguments of what deploy/ runs in Python: they can be checked before anything is installed or built."""

import argparse
import os
import sys

# The exit codes of our programs, whose --help has the table.
USAGE, DEFECT, TEMPORARY = 64, 70, 75


class ArgumentParser(argparse.ArgumentParser):
    """Ends with 64 if the command line is wrong, as our programs do."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")

    def leave_if_only_asked(self):
        """To be called when all of them are known to be right: at first, that is all that deploy/ asks."""
        if os.environ.get("VITALS_ONLY_ARGUMENTS"):
            self.exit(0)
