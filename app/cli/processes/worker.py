"""The command `run_worker`; it imports nothing that only other commands need."""

from app.cli.context import start_servers
from app.cli.processes.children import WithParent, terminate_at_end_of_stdin
from app.observability.logs import configure_logging
from app.settings import read_settings
from workers import main as workers


def run_worker(with_parent: WithParent = False) -> None:
    """Run jobs until a signal; SIGTERM finishes the current step and returns its job to the queue."""
    settings = read_settings()
    configure_logging(settings)
    if with_parent:
        terminate_at_end_of_stdin()
    with start_servers(settings) as ready_settings:
        workers.run_workers(ready_settings)
