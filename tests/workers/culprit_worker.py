"""The worker as it is shipped, whose rules go wrong on words; see tests/support/culprits.py."""

from app.settings import Settings
from tests.support.culprits import assemble
from workers.main import run_workers

if __name__ == "__main__":
    run_workers(Settings(), assemble=assemble)
