// All that an instance's init needs to know; it is cloned with a copy of it.
//
// Used by:  sandbox.
// Threads:  a value.
// Fails:    never.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "os/netlink.h"
#include "training/sandbox/sandbox.h"

namespace evener::sandbox {

enum class Rootness {
  kMachine,         // root of the machine: what must not be written has to be covered
  kUserNamespace,   // root of the job's user namespace; the kernel guards the machine
};

// Where control groups are not to be had.
struct ProcessLimits {
  std::uint64_t data_bytes = 0;      // RLIMIT_DATA; 0: none
  std::uint64_t processes = 0;       // RLIMIT_NPROC; 0: none
  int nice = 0;
};

struct InstancePlan {
  std::string host;
  Isolation isolation = Isolation::kNamespaces;
  Rootness rootness = Rootness::kMachine;
  std::string marker;                     // environment entry that names job and folder
  std::filesystem::path ml_folder;        // on the machine
  std::string hosts_text;                 // /etc/hosts
  std::string resolver_text;              // /etc/resolv.conf
  os::Ipv4 address;
  int prefix_bits = 24;
  std::optional<os::Ipv4> gateway;
  std::vector<int> cpus;                  // affinity; empty: as the supervisor's
  int visible_cpus = 1;
  std::uint64_t memory_bytes = 0;         // the instance's limit, or the machine's memory
  std::vector<std::string> masked_paths;
  ProcessLimits limits;
};

}  // namespace evener::sandbox
