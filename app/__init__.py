"""Citegraph. A process multiplies matrices in one thread, unless OPENBLAS_NUM_THREADS says otherwise.

Those of a few sentences are small: several threads wait for one another at every product, and took five times
the processor time on a busy machine. The setting counts when numpy is imported, so it has to come first.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
