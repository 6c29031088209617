"""The rules of tools/tidy.py on small good and bad sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import tidy  # noqa: E402
from tidy_rules import layers, lengths, names  # noqa: E402
from tidy_rules.source import SourceFile, blank_comments_and_strings  # noqa: E402

LAYERS = """
base:
os: base
training/jobs: base
training/store: base os training/jobs
training/store/disk: base
apps: *
"""
FACTS = "// What.\n//\n// Used by:  x.\n// Threads:  x.\n// Fails:    x.\n#pragma once\n"
BASE = {
    "src/base/clock.h": FACTS,
    "src/base/clock.cc": '#include "base/clock.h"\n',
    "src/training/jobs/jobs.h": FACTS,
    "src/training/jobs/spec.h": FACTS,
    "src/training/jobs/job_sample_test.h": FACTS,
    "src/training/store/store.h": FACTS,
}


def rules_of(path: str, text: str, layers_text: str = LAYERS) -> list[str]:
    """The rules that one file breaks in a small tree that breaks none."""
    contents = BASE | {path: text}
    files = [SourceFile(name, content) for name, content in contents.items()]
    return [finding.rule for finding in tidy.check_files(files, layers_text)]


def function_of(lines: int) -> str:
    return "int f() {\n" + "  g();\n" * (lines - 2) + "}\n"


GOOD = {
    "an allowed edge": ("src/training/store/a.cc", '#include "training/jobs/jobs.h"\n'),
    "the module's own private header": ("src/training/jobs/a.cc", '#include "training/jobs/spec.h"\n'),
    "any header of base": ("src/training/jobs/a.cc", '#include "base/clock.h"\n'),
    "apps include every module": ("apps/a.cc", '#include "training/store/store.h"\n'),
    "a header beside an app": ("apps/a.cc", '#include "table.h"\n'),
    "a test looks inside": ("tests/simulation/a.cc", '#include "training/jobs/spec.h"\n'),
    "a function of 60 lines": ("src/base/a.cc", function_of(60)),
    "a file of 500 lines": ("src/base/a.cc", "int x;\n" * 500),
    "the clock in the clock": ("src/base/clock.cc", "auto t = std::chrono::system_clock::now();\n"),
    "the environment in apps": ("apps/a.cc", 'auto h = getenv("HOME");\n'),
    "a clock in a test": ("src/base/a_test.cc", "auto t = steady_clock::now();\n"),
    "a call named in a comment": ("src/base/a.cc", "// not getenv(\"X\") nor rand()\n"),
    "a member named time": ("src/base/a.cc", "auto t = event.time(0);\n"),
    "json in its file": ("src/training/jobs/jobs_json.cc", "#include <nlohmann/json.hpp>\n"),
    "sqlite in the store": ("src/training/store/a.cc", "#include <sqlite3.h>\n"),
    "system headers": ("src/base/a.cc", "#include <sys/wait.h>\n#include <unistd.h>\n#include <map>\n"),
    "a skipped test with its reason": ("tests/a.cc", 'GTEST_SKIP() << "no FUSE here";\n'),
    "tabs in a makefile": ("Makefile", "all:\n\ttrue\n"),
    "a test and a sample of a module below": (
        "src/training/store/a_test.cc", '#include "training/jobs/job_sample_test.h"\n'),
    "a truth as a value": ("src/base/a.h", FACTS + "Value make_boolean(bool value);\n"),
    "functions that answer a truth": (
        "src/base/a.h",
        FACTS + "bool f(std::function<bool(int)> g, std::map<int, bool> m);\nbool operator()();\n"),
    "a loop over what has a name": ("src/base/a.cc", "for (auto& x : *named) f(x);\n"),
    "a loop over a call": ("src/base/a.cc", "for (const int x : a::list(b()).all()) f(x);\n"),
    "a word that holds a banned one": ("src/base/a.cc", "struct Implied {};\nstruct Information {};\n"),
}

BAD = {
    "an edge that is not listed": (
        "src/training/jobs/a.cc", '#include "training/store/store.h"\n', "layer-edge"),
    "a private header of another module": (
        "src/training/store/a.cc", '#include "training/jobs/spec.h"\n', "public-header"),
    "a program and the sample of a test": (
        "src/training/store/a.cc", '#include "training/jobs/job_sample_test.h"\n',
        "public-header"),
    "an app and a private header": ("apps/a.cc", '#include "training/jobs/spec.h"\n', "public-header"),
    "a path that does not start at src": ("src/base/a.cc", '#include "clock.h"\n', "include-path"),
    "a folder in no module": ("src/other/a.cc", "\n".strip() + "int x;\n", "layer-unknown"),
    "a module inside a module": (
        "src/training/store/disk/a.cc", '#include "training/store/store.h"\n', "layer-edge"),
    "a function of 61 lines": ("src/base/a.cc", function_of(61), "function-length"),
    "a python function of 61 lines": (
        "tools/a.py", "def f():\n" + "    g()\n" * 60, "function-length"),
    "a file of 501 lines": ("src/base/a.cc", "int x;\n" * 501, "file-length"),
    "a clock": ("src/base/a.cc", "auto t = steady_clock::now();\n", "outside-world"),
    "a kernel clock": ("src/os/a.cc", "clock_gettime(CLOCK_REALTIME, &t);\n", "outside-world"),
    "time(nullptr)": ("src/base/a.cc", "auto t = time(nullptr);\n", "outside-world"),
    "randomness": ("src/base/a.cc", "std::random_device d;\n", "outside-world"),
    "rand": ("src/base/a.cc", "int x = std::rand();\n", "outside-world"),
    "the environment": ("src/base/a.cc", 'auto h = ::getenv("HOME");\n', "outside-world"),
    "json elsewhere": ("src/training/jobs/jobs.cc", "#include <nlohmann/json.hpp>\n", "third-party"),
    "json in a header": ("src/training/jobs/a_json.h", FACTS + "#include <nlohmann/json.hpp>\n",
                         "third-party"),
    "flags outside apps": ("src/base/a.cc", "#include <CLI/CLI.hpp>\n", "third-party"),
    "sqlite elsewhere": ("src/training/jobs/a.cc", "#include <sqlite3.h>\n", "third-party"),
    "a library of no row": ("src/base/a.cc", "#include <curl/curl.h>\n", "third-party"),
    "gtest in the program": ("src/base/a.cc", "#include <gtest/gtest.h>\n", "third-party"),
    "a public header without its facts": (
        "src/training/store/store.h", "// What.\n#pragma once\n", "header-form"),
    "a private header without its facts": (
        "src/training/store/b.h", "// What.\n#pragma once\n", "header-form"),
    "a header of tests without its facts": (
        "src/training/store/b_test.h", "// What.\n#pragma once\n", "header-form"),
    "a header without a guard": (
        "src/training/store/b.h", FACTS.replace("#pragma once\n", ""), "header-form"),
    "a type that says nothing": ("src/base/a.cc", "class JobManager {};\n", "empty-word"),
    "an alias that says nothing": ("src/base/a.cc", "using FileInfo = int;\n", "empty-word"),
    "a file that says nothing": ("src/base/string_utils.cc", "int x;\n", "empty-word"),
    "a python class that says nothing": ("tools/a.py", "class FrameHandler:\n    x = 1\n", "empty-word"),
    "a bool as a parameter": ("src/base/a.h", FACTS + "void f(int x, bool loud);\n", "bool-parameter"),
    "a bool with a default": (
        "src/base/a.h", FACTS + "void f(const bool loud = true);\n", "bool-parameter"),
    "a bool without a name": (
        "src/base/a.h", FACTS + "void f(\n    std::map<int, int> m, bool);\n", "bool-parameter"),
    "a loop over a call's value": (
        "src/base/a.cc", "for (auto& x :\n     b->list(c()).value()) f(x);\n", "ended-range"),
    "a loop over what a call points to": (
        "tests/a.cc", "for (const auto& x : *b::list(c)) f(x);\n", "ended-range"),
    "an unfinished mark": ("src/base/a.cc", "// TO" + "DO: later\n", "unfinished"),
    "a path of one machine": ("README.md", "see /wo" + "rk/x\n", "machine-path"),
    "white space at a line's end": ("README.md", "text \n", "white-space"),
    "no line end at the end": ("README.md", "text", "white-space"),
    "a skipped test without a reason": ("tests/a.cc", "GTEST_SKIP" + "();\n", "skipped-test"),
    "a test's name in small letters": ("tests/a.cc", "TEST(A, holds_what_it_says) {}\n", "test-name"),
    "a disabled test": ("tests/a.cc", "TEST(A, DISABLED" + "_b) {}\n", "skipped-test"),
}


@pytest.mark.parametrize("path, text", GOOD.values(), ids=GOOD.keys())
def test_accepts(path: str, text: str) -> None:
    assert rules_of(path, text) == []


@pytest.mark.parametrize("path, text, rule", BAD.values(), ids=BAD.keys())
def test_refuses(path: str, text: str, rule: str) -> None:
    assert rules_of(path, text) == [rule]


def test_a_circle_between_modules_is_found() -> None:
    assert layers.find_cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert layers.find_cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert "layer-cycle" in rules_of("src/base/a.cc", "", LAYERS.replace("base:", "base: os"))


def test_an_edge_to_an_unknown_module_is_found() -> None:
    assert rules_of("src/base/a.cc", "", LAYERS + "http: tls\n") == ["layer-unknown"]


FUNCTIONS = """
#define MACRO(x) { x }
namespace a {
struct Options { int x = 0; std::vector<int> y{1, 2}; };
const std::map<int, Call> kTable = {{1, call(2)}, {3, [] { return call(4); }}};
template <class T>
T first(T value, Options options = {}) {
  if (value) { return value; }
  return {};
}
class B : public A<int> {
 public:
  explicit B(int x) : x_{x}, y_(x) {
    go();
  }
  bool operator==(const B& other) const = default;
  bool operator()(int x) const noexcept override { return x > 0; }
 private:
  enum class State { kOn, kOff };
  int x_;
};
auto last() -> Result<int> {
  auto f = [](int y) { return y; };
  return f('{');
}
TEST(Suite, says_so) {
  EXPECT_EQ(1, 1) << "}";
}
}  // namespace a
"""


def test_functions_are_found_by_name_and_lines() -> None:
    found = lengths.cxx_functions(SourceFile("a.cc", FUNCTIONS))
    assert [(one.name, one.first_line, one.last_line) for one in found] == [
        ("first", 6, 10), ("B", 13, 15), ("operator", 17, 17), ("last", 22, 25),
        ("TEST(Suite, says_so)", 26, 28),
    ]


def test_literals_and_comments_are_blanked_in_place() -> None:
    text = 'a("}"); // {\nb(R"x({ " )x"); /* {\n */ c(\'{\', 1\'000);\n'
    blanked = blank_comments_and_strings(text)
    assert len(blanked) == len(text) and blanked.count("\n") == text.count("\n")
    assert "{" not in blanked and "}" not in blanked and "1'000" in blanked


def test_words_of_names() -> None:
    assert names.words_of("JobHTTPManager2") == ["job", "http", "manager", "2"]
    assert names.words_of("file_system_real") == ["file", "system", "real"]


def test_the_command_exits_with_1_and_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/layers.txt").write_text("base:\n")
    (tmp_path / "src/base").mkdir(parents=True)
    bad = tmp_path / "src/base/a.cc"
    command = [sys.executable, str(ROOT / "tools/tidy.py"), "--root", str(tmp_path)]
    bad.write_text("int x;\nint y = rand();\n")
    broken = subprocess.run(command, capture_output=True, text=True, check=False)
    assert broken.returncode == 1 and "src/base/a.cc:2: outside-world:" in broken.stdout
    bad.write_text("int x;\n")
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
