"""Celery for wake-up calls: a message says only "look for work", so losing all of them loses nothing.

Early acknowledgement, no results, no retries, no ETA: the job row is authoritative (docs/architecture.md).
"""

from celery import Celery

WAKE_TASK_NAME = "citegraph.wake"


def build_celery_broker_url(url: str) -> str:
    """Return the address in the form of kombu, which names a Unix socket redis+socket."""
    return url.replace("unix://", "redis+socket://", 1)


def make_celery(redis_url: str) -> Celery:
    """Return the Celery application for this broker; it connects at first use."""
    app = Celery("citegraph", broker=build_celery_broker_url(redis_url))
    app.conf.update(
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        task_acks_late=False,
        task_publish_retry=False,
        task_serializer="json",
        accept_content=["json"],
        task_default_queue="citegraph",
        worker_prefetch_multiplier=1,
        worker_max_tasks_per_child=1000,
        worker_soft_shutdown_timeout=30.0,
        worker_hijack_root_logger=False,
        # If redirected, lines written to stderr would return as log messages and be dropped there.
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            # A broker that hangs must not delay a request (fault 7).
            "socket_timeout": 1.0,
            "socket_connect_timeout": 1.0,
            "retry_on_timeout": False,
            "visibility_timeout": 3600,
        },
    )
    return app
