"""Third-party headers each behind their own files, and the form of our own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tidy_rules.source import Finding, SourceFile


@dataclass(frozen=True)
class Placement:
    """Where the headers of one library may be included, as a pattern on the whole path."""

    headers: str
    files: str
    reason: str


PLACEMENTS = [
    Placement(r"nlohmann/", r".*_json(_\w+)?\.cc|.*_test\.cc|(tests|benchmarks)/.*\.cc",
              "3 s a file: JSON is read and written in *_json.cc only"),
    Placement(r"CLI/", r"apps/.*\.cc", "3 s a file, and flags belong to apps"),
    Placement(r"fmt/", r".*\.cc", "1 s a file: not in headers"),
    Placement(r"sqlite3\.h", r"(src/training/store|tests|benchmarks)/.*\.cc",
              "the store is the only door to the database"),
    Placement(r"archive(_entry)?\.h", r"(src/training/artifacts|tests)/.*\.cc",
              "archives are packed and unpacked in artifacts"),
    Placement(r"(isa-l|igzip_lib|crc)(/\w+)?(\.h)?", r"src/(training/artifacts/.*|storage/s3/checksum|data/transport/crc32c)\.cc|benchmarks/.*\.cc",
              "packing is in artifacts, checksums of objects in storage/s3, of frames in data/transport"),
    Placement(r"zlib\.h", r"(src/training/artifacts|tests|benchmarks)/.*\.cc",
              "packing is in artifacts"),
    Placement(r"csv\.h", r"src/base/csv_records\.cc", "everything else visits records"),
    Placement(r"pugixml\.hpp", r"src/(control_plane/wire|storage/s3)/.*\.cc",
              "XML is read and written in two places"),
    Placement(r"re2/.*", r"src/training/metrics/scanner/scanner\.cc", "patterns of users are at one place"),
    Placement(r"curl/.*", r"src/http/client/.*\.cc", "the only user of the HTTP client library"),
    Placement(r"toml(\+\+|plusplus)/.*", r"(src/advice/catalog|src/data/pipeline|apps)/.*\.cc",
              "the user's overrides, settings and pipelines"),
    Placement(r"boost/.*", r"src/http/server/.*\.(cc|h)",
              "the HTTP server is its only user, and server.h shows nothing of it"),
    Placement(r"openssl/.*", r"src/(http/(sigv4/digest|server/tls(_test)?|client/tls_test)|storage/(s3/checksum|s3_server/seaweed_lock)|data/transport/tls(_test)?)\.cc",
              "hashes, TLS and certificates are at five places"),
    Placement(r"j(peglib|error|morecfg)\.h", r"(src/data/images/jpeg|benchmarks/.*)\.cc",
              "JPEG is decoded at one place"),
    Placement(r"png\.h", r"src/data/images/png\.cc", "PNG is decoded at one place"),
    Placement(r"webp/.*", r"src/data/images/webp\.cc", "WebP is decoded at one place"),
    Placement(r"nanobind/.*|Python\.h", r"python/evener/native/.*\.(cc|h)",
              "the extension module is its only user"),
    Placement(r"tl/expected\.hpp", r"src/base/result\.h", "everything else uses Result<T>"),
    Placement(r"(gtest|gmock)/.*", r".*_test\.(cc|h)|.*/test_\w+\.h|(tests|benchmarks)/.*",
              "test code is not part of the program"),
    Placement(r"(sanitizer/.*|execinfo\.h)", r"cmake/sanitizer_reports\.cc",
              "sanitizers are a choice of the build"),
]

# Headers of the C library and the kernel. C++ standard headers have no dot in their names.
_SYSTEM = re.compile(
    r"(sys|linux|net|netinet|arpa|asm|bits)/.*"
    r"|(cerrno|dirent|dlfcn|endian|errno|fcntl|glob|grp|ifaddrs|limits|netdb|poll|pthread|pty|pwd|"
    r"sched|semaphore|signal|spawn|stdlib|string|syscall|syslog|termios|time|ucontext|unistd|"
    r"utmp|wait|math|stdio|stdint|stddef|ctype|immintrin|x86intrin|mntent|getopt|fnmatch|"
    r"locale|wchar|inttypes)\.h"
)
_INCLUDE = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.MULTILINE)
_FACTS = ("Used by:", "Threads:", "Fails:")


def check_third_party(file: SourceFile) -> list[Finding]:
    if not file.is_cxx:
        return []
    findings = []
    for match in _INCLUDE.finditer(file.text):
        reason = _misplaced(file.path, match.group(1))
        if reason:
            line = file.line_of(match.start())
            findings.append(Finding(file.path, line, "third-party", reason))
    return findings


def _misplaced(path: str, header: str) -> str:
    for placement in PLACEMENTS:
        if re.match(placement.headers, header):
            if re.fullmatch(placement.files, path):
                return ""
            return f"<{header}> may not be included here: {placement.reason}."
    if "." not in header or _SYSTEM.fullmatch(header):
        return ""
    return f"<{header}> is in no row of PLACEMENTS (tools/tidy_rules/headers.py); add one."


def check_form(file: SourceFile) -> list[Finding]:
    """A header says what it is, who uses it, from which threads, how it fails."""
    if file.suffix != ".h" or not file.path.startswith("src/"):
        return []
    findings = []
    if "#pragma once" not in file.text:
        findings.append(Finding(file.path, 1, "header-form", "has no #pragma once."))
    comment = file.text.split("#pragma once", 1)[0]
    missing = [fact for fact in _FACTS if f"// {fact}" not in comment]
    if not comment.startswith("//") or missing:
        reason = "the comment on top lacks " + ", ".join(missing or ["its first line"])
        findings.append(Finding(file.path, 1, "header-form", reason))
    return findings
