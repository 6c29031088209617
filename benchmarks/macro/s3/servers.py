"""The servers that s3_bench.py gets objects from: SeaweedFS, and nginx with static files."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

KEY, SECRET, BUCKET = "EVENERBENCH", "only-for-the-benchmark", "bench"
UP_WITHIN = 60


class SeaweedFs:
    """A real S3 server with its data in `folder`."""

    def __init__(self, weed: Path, folder: Path) -> None:
        first = 22000 + os.getpid() % 5000
        ports = {name: first + i for i, name in
                 enumerate(("s3", "filer", "master", "volume", "admin"))}
        (folder / "data").mkdir()
        identity = {"name": "bench", "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
                    "actions": ["Admin", "Read", "Write", "List", "Tagging"]}
        (folder / "identities.json").write_text(json.dumps({"identities": [identity]}))
        command = [str(weed), "mini", f"-dir={folder / 'data'}", "-ip=127.0.0.1",
                   "-ip.bind=127.0.0.1", f"-s3.config={folder / 'identities.json'}",
                   "-admin.ui=false", "-webdav=false", "-s3.port.iceberg=0", "-s3.port.lance=0",
                   "-master.telemetry=false", f"-bucket={BUCKET}"]
        command += [f"-{name}.port={port}" for name, port in ports.items()]
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, cwd=folder)
        self.endpoint = f"http://127.0.0.1:{ports['s3']}"
        end = time.monotonic() + UP_WITHIN
        while b"S3 Endpoint" not in (folder / "log").read_bytes():
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError((folder / "log").read_text())
            time.sleep(0.1)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.log.close()


NGINX = """
daemon off;
{user}
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 256; }}
http {{
  access_log off;
  sendfile on;
  keepalive_requests 1000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    root {folder}/root;
    location ~ ^/{bucket}/?$ {{ default_type application/xml; try_files /listing.xml =404; }}
  }}
}}
"""


class StaticServer:
    """nginx with a bucket of files: `large`, and those of `small` under small/; links, no copies.

    It looks at no signature and has no checksums but an ETag. A listing is one file too.
    """

    def __init__(self, nginx: str, folder: Path, large: Path, small: Path) -> None:
        bucket = folder / "root" / BUCKET
        bucket.mkdir(parents=True)
        os.link(large, bucket / "large")
        shutil.copytree(small, bucket / "small", copy_function=os.link)
        names = sorted(path.name for path in small.iterdir())
        sizes = {name: (small / name).stat().st_size for name in names}
        entries = "".join(f"<Contents><Key>small/{name}</Key><Size>{sizes[name]}</Size></Contents>"
                          for name in names)
        (folder / "root/listing.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{BUCKET}</Name><Prefix>small/</Prefix><KeyCount>{len(names)}</KeyCount>"
            f"<MaxKeys>{len(names)}</MaxKeys><IsTruncated>false</IsTruncated>{entries}"
            "</ListBucketResult>")
        self.names = folder / "names"
        self.names.write_text("".join(f"/{BUCKET}/small/{name}\n" for name in names))
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]
        self.endpoint = f"http://127.0.0.1:{self.port}"
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            NGINX.format(folder=folder, port=self.port, bucket=BUCKET, user=user))
        self.process = subprocess.Popen([nginx, "-p", str(folder), "-e", str(folder / "nginx.log"),
                                         "-c", str(folder / "nginx.conf")])
        end = time.monotonic() + UP_WITHIN
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise RuntimeError((folder / "nginx.log").read_text()) from None
                time.sleep(0.05)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
