"""Puts the dashboard's pages and files into the application."""

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from app.dashboard import ask, auth, documents, graph, home, jobs
from app.dashboard.rendering import STATIC
from app.edge.admission import DASHBOARD

# The last one answers whatever no other page does.
ROUTERS = (auth.router, ask.router, documents.router, graph.router, jobs.router, home.router)


def install(app: FastAPI) -> None:
    """Add every page, and what pages load."""
    app.mount(f"{DASHBOARD}/static", StaticFiles(directory=STATIC), name="static")
    for router in ROUTERS:
        app.include_router(router)
