"""A PostgreSQL server of its own in a temporary folder, reached by a Unix socket only."""

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from urllib.parse import quote

PASSWORD = "p@ss:w/rd%41'x"  # every letter that a URL or a message could stumble over


def find_program(name):
    """Return the path of one of PostgreSQL's programs, None if it is not there."""
    places = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return places[-1] if places else shutil.which(name)


def reason_to_skip():
    """Return why no server can be started here, None if one can."""
    if find_program("initdb") is None or find_program("pg_ctl") is None:
        return "PostgreSQL is not installed (make postgres)"
    if os.geteuid() == 0:
        if shutil.which("runuser") is None:
            return "PostgreSQL does not run as root, and there is no runuser"
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            return "PostgreSQL does not run as root, and there is no user postgres"
    return None


def _run(*command):
    if os.geteuid() == 0:
        command = ("runuser", "-u", "postgres", "--", *command)
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, cwd="/"
    )
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])


class Server:
    """Addresses of a server: one for everybody on this machine, one that asks for a password."""

    def __init__(self, folder):
        self.folder = folder
        self.url = f"postgresql://postgres@/postgres?host={quote(folder, safe='')}"
        user = f"reader:{quote(PASSWORD, safe='')}"
        self.secret_url = f"postgresql://{user}@/postgres?host={quote(folder, safe='')}"

    def execute(self, *statements):
        """Run statements as the server's owner."""
        import psycopg

        with psycopg.connect(host=self.folder, user="postgres", autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def load(self, name, frame, types):
        """Make a table of a pandas frame; types are those of PostgreSQL."""
        import psycopg

        columns = ", ".join(f'"{n}" {kind}' for n, kind in types.items())
        marks = ", ".join(["%s"] * len(types))
        rows = frame[list(types)].astype(object)
        rows = rows.where(rows.notna(), None).itertuples(index=False, name=None)
        with psycopg.connect(host=self.folder, user="postgres") as connection:
            connection.execute(f'DROP TABLE IF EXISTS "{name}" CASCADE')
            connection.execute(f'CREATE TABLE "{name}" ({columns})')
            connection.cursor().executemany(f'INSERT INTO "{name}" VALUES ({marks})', list(rows))


@contextmanager
def running_server():
    """Start a server, and stop it at the end."""
    # Not in pytest's folder: a socket's path must be short, and the user postgres must reach it.
    folder = tempfile.mkdtemp(prefix="datakin-pg-")
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        data = os.path.join(folder, "data")
        _run(
            find_program("initdb"),
            "-D",
            data,
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        )
        with open(os.path.join(data, "pg_hba.conf"), "w") as file:
            file.write("local all postgres trust\nlocal all all scram-sha-256\n")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        control = find_program("pg_ctl")
        log = os.path.join(folder, "log")
        _run(control, "-D", data, "-l", log, "-w", "-t", "60", "-o", options, "start")
        try:
            server = Server(folder)
            escaped = PASSWORD.replace("'", "''")
            server.execute(
                f"CREATE ROLE reader LOGIN PASSWORD '{escaped}'",
                "GRANT pg_read_all_data TO reader",
            )
            yield server
        finally:
            _run(control, "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
