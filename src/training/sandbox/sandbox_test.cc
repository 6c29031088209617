#include "training/sandbox/sandbox.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "training/sandbox/sandbox_lab_test.h"

namespace evener::sandbox {
namespace {
namespace fs = std::filesystem;

class Isolated : public ::testing::TestWithParam<Who> {
 protected:
  void check(const std::function<std::string(Lab&)>& body) {
    const std::string text = in_process(GetParam(), [&] {
      Lab lab;
      return body(lab);
    });
    if (text.starts_with("skip: ")) GTEST_SKIP() << text.substr(6);
    EXPECT_EQ(text, "");
  }
};

INSTANTIATE_TEST_SUITE_P(As, Isolated, ::testing::Values(Who::kRoot, Who::kUser),
                         [](const auto& who) {
                           return who.param == Who::kRoot ? "Root" : "User";
                         });

TEST_P(Isolated, EveryHostSeesItsOwnNameAndFindsTheOthers) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(2)); !error.empty()) return error;
    lab.run("algo-2", "hostname; cat /etc/hostname; grep -c algo- /etc/hosts; "
                      "getent hosts algo-2 | cut -d' ' -f1");
    return differ("algo-2", lab.output("algo-2"),
                  "algo-2\nalgo-2\n2\n" + lab.sandbox().address("algo-2") + "\n");
  });
}

TEST_P(Isolated, HostsTalkToEachOtherOnAPort) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(2)); !error.empty()) return error;
    lab.begin("algo-1", "python3 -c \"import socket; s=socket.create_server(('algo-1',6000)); "
                        "print('up',flush=True); c,a=s.accept(); "
                        "print(a[0], c.recv(9).decode())\"");
    if (!lab.await_output("algo-1", "up")) return "no server: " + lab.output("algo-1");
    lab.begin("algo-2", "python3 -c \"import socket; "
                        "socket.create_connection(('algo-1',6000)).send(b'hello')\"");
    const HostEvent first = lab.next();
    const HostEvent second = lab.next();
    if (first.exit_code != 0 || second.exit_code != 0) return lab.output("algo-2");
    return differ("server", lab.output("algo-1"),
                  "up\n" + lab.sandbox().address("algo-2") + " hello\n");
  });
}

TEST_P(Isolated, ThePortsOfOneHostAreFreeOnAnother) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(2)); !error.empty()) return error;
    const std::string serve = "python3 -c \"import socket,time; "
                              "socket.create_server(('',22)); print('up',flush=True); "
                              "time.sleep(100)\"";
    for (const char* host : {"algo-1", "algo-2"}) {
      lab.begin(host, serve);
      if (!lab.await_output(host, "up")) return lab.output(host);
    }
    return "";
  });
}

TEST_P(Isolated, TheRootIsReadOnlyAndOptMlIsEachHostsOwn) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(2)); !error.empty()) return error;
    const std::string script =
        "for d in / /etc /usr /var /sys /proc/sys/kernel /opt/nothing; do "
        "touch $d/evener-probe 2>/dev/null && echo wrote $d; done; "
        "for d in /tmp /run /var/tmp /dev/shm /opt/ml; do touch $d/mine || echo no $d; done; "
        "hostname > /opt/ml/name";
    lab.run("algo-1", script);
    lab.run("algo-2", script);
    std::string error = differ("algo-1", lab.output("algo-1"), "");
    std::ifstream one(lab.sandbox().ml_folder("algo-1") / "name");
    std::ifstream two(lab.sandbox().ml_folder("algo-2") / "name");
    std::string first, second;
    one >> first;
    two >> second;
    return error + differ("files", first + second, "algo-1algo-2");
  });
}

TEST_P(Isolated, MaskedPathsAreEmptyAndRefuseWrites) {
  check([](Lab& lab) -> std::string {
    const fs::path secret = lab.folder() / "secret";
    fs::create_directory(secret);
    std::ofstream(secret / "key") << "key";
    SandboxOptions options = Lab::options(1);
    options.masked_paths = {"/etc/passwd", "/var/lib", "/no/such/path", secret};
    if (std::string error = lab.start(options); !error.empty()) return error;
    lab.run("algo-1", "wc -c < /etc/passwd; ls -A /var/lib | wc -l; "
                      "touch /var/lib/x 2>/dev/null || echo refused; "
                      "umount /var/lib 2>/dev/null || echo kept");
    return differ("masked", lab.output("algo-1"), "0\n0\nrefused\nkept\n");
  });
}

TEST_P(Isolated, TheNumberOfCpusIsThatOfTheFit) {
  check([](Lab& lab) -> std::string {
    SandboxOptions options = Lab::options(2);
    options.instances[0].visible_cpus = 1;
    options.instances[1].visible_cpus = 12;
    if (std::string error = lab.start(options); !error.empty()) return error;
    const std::string script = "cat /sys/devices/system/cpu/online; "
                               "python3 -c 'import os; print(len(os.sched_getaffinity(0)))'";
    lab.run("algo-1", script);
    lab.run("algo-2", "cat /sys/devices/system/cpu/online");
    return differ("one", lab.output("algo-1"), "0\n1\n") +
           differ("twelve", lab.output("algo-2"), "0-11\n");
  });
}

TEST_P(Isolated, AProgramMayDoWhatAContainersRootMayAndNoMore) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(1)); !error.empty()) return error;
    lab.run("algo-1", "id -u; touch /opt/ml/f && chown 0:0 /opt/ml/f && echo chown; "
                      "mount -t tmpfs none /tmp 2>/dev/null || echo no mount; "
                      "mknod /tmp/disk b 7 0 2>/dev/null || echo no device; "
                      "kill -9 1; hostname other 2>/dev/null || echo no name; "
                      "grep NoNewPrivs /proc/self/status");
    return differ("rights", lab.output("algo-1"),
                  "0\nchown\nno mount\nno device\nno name\nNoNewPrivs:\t1\n");
  });
}

TEST_P(Isolated, WhatAProgramLeavesBehindEndsWithIt) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(1)); !error.empty()) return error;
    const HostEvent event = lab.run("algo-1", "setsid sleep 1000 & setsid sh -c 'sleep 1000 &' ");
    if (event.exit_code != 0) return "exit " + std::to_string(event.exit_code);
    lab.run("algo-1", "ls -d /proc/[0-9]* | wc -l");   // init, sh, ls or a subshell, wc
    const int count = std::stoi(lab.output("algo-1"));
    return count <= 4 ? "" : "processes left: " + lab.output("algo-1");
  });
}

TEST_P(Isolated, ASignalReachesTheProgramAndItsExitCodeComesBack) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(1)); !error.empty()) return error;
    lab.begin("algo-1", "trap 'echo stopped; exit 5' TERM; echo up; while :; do sleep 0.01; done");
    if (!lab.await_output("algo-1", "up")) return "not up";
    if (!lab.sandbox().signal("algo-1", SIGTERM)) return "signal refused";
    const HostEvent event = lab.next();
    return differ("exit", std::to_string(event.exit_code) + lab.output("algo-1"), "5up\nstopped\n");
  });
}

TEST_P(Isolated, AProgramThatIgnoresSigtermIsKilled) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(1)); !error.empty()) return error;
    lab.begin("algo-1", "trap '' TERM; echo up; while :; do sleep 0.01; done");
    if (!lab.await_output("algo-1", "up")) return "not up";
    (void)lab.sandbox().signal("algo-1", SIGTERM);
    if (!lab.sandbox().kill("algo-1")) return "kill refused";
    const HostEvent event = lab.next();
    return differ("exit", std::to_string(event.exit_code) + " " + std::to_string(event.signal),
                  "137 9");
  });
}

TEST_P(Isolated, AProgramThatIsNotThereIsAStartFailure) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(1)); !error.empty()) return error;
    const Status started = lab.sandbox().run("algo-1", {{"python4"}, {"PATH=/usr/bin"}, "/"}, {});
    if (!started) return started.error().message;
    HostEvent event = lab.next();
    if (event.kind != HostEvent::Kind::kStartFailed) return "not a start failure";
    std::string error = differ("text", event.text,
                               "cannot start python4: No such file or directory");
    (void)lab.sandbox().run("algo-1", {{"/bin/true"}, {}, "/nowhere"}, {});
    event = lab.next();
    error += differ("text", event.text, "cannot enter /nowhere: No such file or directory");
    return error + differ("next run", std::to_string(lab.run("algo-1", "exit 3").exit_code), "3");
  });
}

TEST_P(Isolated, BindsAndOverlaysShowTheirSources) {
  check([](Lab& lab) -> std::string {
    const fs::path source = lab.folder() / "so,ur:ce";
    for (const char* name : {"upper", "work", "so,ur:ce"}) {
      fs::create_directory(lab.folder() / name);
    }
    std::ofstream(source / "data") << "data\n";
    if (std::string error = lab.start_unmounted(Lab::options(1)); !error.empty()) return error;
    std::vector<Mount> mounts(3);
    mounts[0] = {.kind = Mount::Kind::kReadOnlyBind,
                 .target = "/opt/ml/input/data/shown",
                 .source = source};
    mounts[1] = {.kind = Mount::Kind::kBind,
                 .target = "/opt/ml/one/file",
                 .source = source / "data"};
    mounts[2] = {.kind = Mount::Kind::kOverlay,
                 .target = "/opt/ml/over",
                 .lower = source,
                 .upper = lab.folder() / "upper",
                 .work = lab.folder() / "work"};
    if (!lab.sandbox().overlay_possible()) mounts.pop_back();
    const bool overlay = mounts.size() == 3;
    if (Status mounted = lab.sandbox().mount("algo-1", mounts); !mounted) {
      return mounted.error().message;
    }
    lab.run("algo-1", "cat /opt/ml/input/data/shown/data /opt/ml/one/file; "
                      "touch /opt/ml/input/data/shown/x 2>/dev/null || echo refused; " +
                          std::string(overlay ? "rm /opt/ml/over/data; touch /opt/ml/over/new"
                                              : "true"));
    std::string error = differ("seen", lab.output("algo-1"), "data\ndata\nrefused\n");
    if (!fs::exists(source / "data")) error += "; the source was changed";
    if (overlay && !fs::exists(lab.folder() / "upper/new")) error += "; nothing in upper";
    lab.end();
    return error;
  });
}

TEST_P(Isolated, ALinkThatAProgramMadeCannotLeadAMountOutside) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start_unmounted(Lab::options(1)); !error.empty()) return error;
    const fs::path outside = lab.folder() / "outside";
    fs::create_directory(outside);
    fs::create_symlink(outside, lab.sandbox().ml_folder("algo-1") / "link");
    (void)lab.sandbox().mount("algo-1", {{.kind = Mount::Kind::kBind,
                                          .target = "/opt/ml/link/deep",
                                          .source = "/usr"}});
    return fs::is_empty(outside) ? "" : "a folder was made outside the instance";
  });
}

TEST_P(Isolated, WithoutAWayOutsideThereIsNoRoute) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(1)); !error.empty()) return error;
    lab.run("algo-1", "python3 -c \"import socket,errno; s=socket.socket(); "
                      "print(errno.errorcode[s.connect_ex(('192.0.2.1',80))])\"; "
                      "grep -c . /proc/net/route; ls /sys/class/net | tr '\\n' ' '");
    return differ("network", lab.output("algo-1"), "ENETUNREACH\n2\neth0 lo ");
  });
}

TEST_P(Isolated, CountersGrowWithWork) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(1)); !error.empty()) return error;
    const metrics::Counters before = lab.sandbox().counters("algo-1");
    lab.begin("algo-1", "python3 -c \"b=bytearray(50<<20); x=sum(range(3000000)); "
                        "print('up',flush=True); import time; time.sleep(100)\"");
    if (!lab.await_output("algo-1", "up")) return "not up: " + lab.output("algo-1");
    const metrics::Counters during = lab.sandbox().counters("algo-1");
    if (during.cpu_nanos < before.cpu_nanos + 20'000'000) return "CPU time did not grow";
    if (during.memory_bytes < 50U << 20) return "memory not seen";
    (void)lab.sandbox().kill("algo-1");
    lab.next();
    const metrics::Counters after = lab.sandbox().counters("algo-1");
    if (after.cpu_nanos < during.cpu_nanos) return "CPU time went back";
    return after.memory_peak_bytes >= during.memory_bytes ? "" : "no peak";
  });
}

TEST_P(Isolated, AnInitThatIsKilledIsALostInstance) {
  check([](Lab& lab) -> std::string {
    if (std::string error = lab.start(Lab::options(2)); !error.empty()) return error;
    lab.begin("algo-1", "echo up; sleep 1000");
    if (!lab.await_output("algo-1", "up")) return "not up";
    // Its init is the child of this process whose name is evener-init and that started first.
    std::string found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::ifstream stat(entry.path() / "stat");
      std::string pid, name, state;
      pid_t parent = 0;
      if (stat >> pid >> name >> state >> parent && parent == ::getpid() &&
          name == "(evener-init)" && (found.empty() || std::stoi(pid) < std::stoi(found))) {
        found = pid;
      }
    }
    if (found.empty()) return "no init";
    ::kill(std::stoi(found), SIGKILL);
    const HostEvent event = lab.next();
    if (event.kind != HostEvent::Kind::kInstanceLost) return "not lost";
    if (lab.sandbox().run("algo-1", {{"true"}, {}, "/"}, {})) return "runs on a lost instance";
    return differ("host", event.host, "algo-1") +
           differ("the other", std::to_string(lab.run("algo-2", "exit 4").exit_code), "4");
  });
}

}  // namespace
}  // namespace evener::sandbox
