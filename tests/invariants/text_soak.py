"""`make soak-texts`: reads generated texts until somebody stops it; each finding prints a script of it.

python -m tests.invariants.text_soak [--seconds N] [--seed S]
"""

import argparse
import secrets
import sys
import time
from itertools import count

from tests.support.any_text import findings


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=float("inf"))
    arguments.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    options = arguments.parse_args()
    begun, read, found = time.monotonic(), 0, 0
    try:
        for seed, finding in findings(count(options.seed)):
            read += 1
            if finding is not None:
                found += 1
                print(f"# --seed {seed}: {finding.cause}\n{finding.script()}\n{finding.trace}", flush=True)
            if time.monotonic() - begun > options.seconds:
                break
    except KeyboardInterrupt:
        pass
    print(f"{read:,} texts from seed {options.seed}, {found} findings")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
