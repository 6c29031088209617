#include "training/backends/local/supervisor/instance_setup.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "os/process.h"
#include "training/backends/local/supervisor/copy_tree.h"

namespace evener::backends {
namespace {

constexpr std::string_view kLayerTarget = "/opt/ml/.requirements";

std::uint64_t memory_limit(const jobs::InstanceShape& shape) {
  constexpr double kBytesPerGib = 1024.0 * 1024.0 * 1024.0;
  return shape.known ? static_cast<std::uint64_t>(shape.memory_gib * kBytesPerGib) : 0;
}

std::optional<double> cpu_quota(const jobs::JobSpec& spec, const jobs::InstanceShape& shape) {
  switch (spec.fit) {
    case jobs::Fit::kShare: return std::nullopt;
    case jobs::Fit::kStrict: return shape.vcpus;
    case jobs::Fit::kScaled: return shape.vcpus * spec.fit_scale;
  }
  return std::nullopt;
}

// The first executable `python3`, else `python`, in the PATH of the host image.
std::string find_python(const std::map<std::string, std::string>& environment) {
  const auto path = environment.find("PATH");
  const std::string folders = path == environment.end() ? "/usr/bin:/bin" : path->second;
  for (const std::string_view name : {"python3", "python"}) {
    std::size_t begin = 0;
    while (begin <= folders.size()) {
      const std::size_t end = std::min(folders.find(':', begin), folders.size());
      const std::filesystem::path candidate =
          std::filesystem::path(folders.substr(begin, end - begin)) / name;
      if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0) {
        return candidate.string();
      }
      begin = end + 1;
    }
  }
  return "python3";
}

}  // namespace

int count_machine_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (::sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
  return std::max(1, CPU_COUNT(&cpus));
}

int visible_cpus(const jobs::JobSpec& spec, const jobs::InstanceGroup& group, int machine_cpus) {
  double cpus = group.shape.vcpus;
  if (spec.fit == jobs::Fit::kScaled) cpus = std::ceil(cpus * spec.fit_scale);
  return std::clamp(static_cast<int>(cpus), 1, std::max(1, machine_cpus));
}

double usable_cpus(const jobs::JobSpec& spec, const jobs::InstanceGroup& group, int machine_cpus) {
  const double visible = visible_cpus(spec, group, machine_cpus);
  return std::min(visible, cpu_quota(spec, group.shape).value_or(visible));
}

sandbox::SandboxOptions sandbox_options(const Plan& plan, const JobFolder& folder,
                                        int machine_cpus) {
  const jobs::JobSpec& spec = plan.job.spec;
  sandbox::SandboxOptions options;
  options.job = spec.name;
  options.folder = folder.instances();
  options.isolation = plan.isolation;
  options.reach_outside = !spec.network_isolation;
  if (!spec.network_isolation) options.host_services = plan.host_services;
  options.masked_paths = plan.masked_paths;
  for (const jobs::Instance& instance : plan.job.instances) {
    const jobs::InstanceGroup& group = jobs::group_of(spec, instance.placement);
    sandbox::InstanceOptions one;
    one.host = instance.placement.host;
    one.cpu_weight = std::max(1, group.shape.vcpus);
    one.cpu_quota = cpu_quota(spec, group.shape);
    one.visible_cpus = visible_cpus(spec, group, machine_cpus);
    one.memory_limit_bytes = memory_limit(group.shape);
    options.instances.push_back(std::move(one));
  }
  return options;
}

std::map<std::string, std::string> own_variables(Random& random) {
  std::map<std::string, std::string> variables;
  // Of a program that was replaced while it runs only /proc knows, and only its own.
  if (const auto self = os::self_executable(); self && !self->starts_with("/proc/"))
    variables["EVENER_BINARY"] = *self;
  variables["EVENER_DATA_TOKEN"] = random_suffix(random, kTokenLength);
  return variables;
}

std::filesystem::path code_folder(const Plan& plan, const JobFolder& folder,
                                  const sandbox::Sandbox& instances) {
  if (plan.job.instances.size() > 1) return folder.shared_code();
  return instances.ml_folder(plan.job.instances.front().placement.host) / "code";
}

std::string layer_path(const Plan& plan, const JobFolder& folder) {
  return plan.isolation == sandbox::Isolation::kPlain ? folder.requirements().string()
                                                      : std::string(kLayerTarget);
}

runner::InstanceFacts instance_facts(const Plan& plan, const JobFolder& folder,
                                     const sandbox::Sandbox& instances, const std::string& host,
                                     const JobCode& code) {
  runner::InstanceFacts facts;
  facts.host = host;
  facts.ml_path = instances.ml_path(host);
  facts.visible_cpus = visible_cpus(plan.job.spec, jobs::group_of(plan.job, host), count_machine_cpus());
  for (const jobs::Instance& instance : plan.job.instances) {
    const std::string& other = instance.placement.host;
    const std::string address = instances.address(other);
    facts.host_addresses[other] = address;
    const bool plain = plan.isolation == sandbox::Isolation::kPlain;
    facts.reachable_names[other] = plain ? address : other;
  }
  facts.interface_name = plan.isolation == sandbox::Isolation::kPlain
                             ? "lo"
                             : std::string(sandbox::kInterfaceName);
  facts.base_environment = plan.host_environment;
  facts.python = find_python(plan.host_environment);
  if (code.installs) facts.requirements_layer = layer_path(plan, folder);
  facts.code_form = code.prepared.form;
  return facts;
}

Status write_contract(os::FileSystem& files, const jobs::TrainingJob& job,
                      const runner::InstanceFacts& facts, const std::filesystem::path& ml_folder) {
  for (const std::string& relative : runner::contract_folders(job)) {
    RETURN_IF_ERROR(files.make_directories(ml_folder / relative));
  }
  for (const auto& [relative, text] : runner::contract_files(job, facts)) {
    const std::filesystem::path path = ml_folder / relative;
    RETURN_IF_ERROR(os::make_parent_directories(files, path));
    auto file = files.create(path);
    if (!file) return tl::unexpected<Error>(file.error());
    RETURN_IF_ERROR((*file)->append(std::as_bytes(std::span(text))));
    RETURN_IF_ERROR((*file)->close());
  }
  return ok();
}

Status show_code(os::FileSystem& files, const Plan& plan, const JobFolder& folder,
                 const sandbox::Sandbox& instances, const std::string& host, const JobCode& code,
                 std::vector<sandbox::Mount>& mounts) {
  if (!code.present) return ok();
  if (code.installs && plan.isolation != sandbox::Isolation::kPlain) {
    // pip runs on the first host; the others only read what it installed.
    const bool first = plan.job.instances.front().placement.host == host;
    mounts.push_back({.kind = first ? sandbox::Mount::Kind::kBind
                                    : sandbox::Mount::Kind::kReadOnlyBind,
                      .target = kLayerTarget,
                      .source = folder.requirements(),
                      .lower = {}, .upper = {}, .work = {}});
  }
  const std::filesystem::path own = instances.ml_folder(host) / "code";
  if (code.shared == own) return ok();
  if (!instances.overlay_possible()) return copy_tree(files, code.shared, own);
  const std::filesystem::path layers = folder.code_layer(host);
  sandbox::Mount overlay{.kind = sandbox::Mount::Kind::kOverlay,
                         .target = "/opt/ml/code",
                         .source = {},
                         .lower = code.shared,
                         .upper = layers / "upper",
                         .work = layers / "work"};
  RETURN_IF_ERROR(files.make_directories(overlay.upper));
  RETURN_IF_ERROR(files.make_directories(overlay.work));
  mounts.push_back(std::move(overlay));
  return ok();
}

sandbox::Command sandbox_command(const runner::InstanceCommand& command) {
  sandbox::Command result;
  result.argv = command.argv;
  for (const auto& [name, value] : command.environment) {
    result.environment.push_back(name + "=" + value);
  }
  if (!command.directory.empty()) result.directory = command.directory;
  return result;
}

}  // namespace evener::backends
