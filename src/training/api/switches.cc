#include "training/api/switches.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "base/near_miss.h"

namespace evener::api {

namespace {

constexpr std::string_view kPrefix = "EVENER_";
constexpr std::int64_t kMostGraceSeconds = 24 * 3600;
constexpr double kMostCpusPerVcpu = 1000;

tl::unexpected<Error> refuse(std::string_view name, std::string_view value,
                             const std::string& why) {
  return failure(ErrorCode::kInvalidArgument, "Environment " + std::string(name) + "='" +
                                                  std::string(value) + "': " + why);
}

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// The groups that `value` names, separated by commas.
Result<std::vector<jobs::InstanceGroup*>> named_groups(std::string_view name,
                                                       std::string_view value,
                                                       jobs::JobSpec& spec) {
  std::vector<std::string_view> known;
  for (const jobs::InstanceGroup& group : spec.groups) known.push_back(group.name);
  std::vector<jobs::InstanceGroup*> named;
  for (std::string_view rest = value; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const std::string_view wanted = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    const auto group = std::find_if(spec.groups.begin(), spec.groups.end(),
                                    [&](const auto& each) { return each.name == wanted; });
    if (group == spec.groups.end())
      return refuse(name, value, "the job has no instance group '" + std::string(wanted) + "'" +
                                     did_you_mean(wanted, known));
    named.push_back(&*group);
  }
  return named;
}

Status set_auxiliary(std::string_view name, std::string_view value, jobs::JobSpec& spec) {
  const auto groups = named_groups(name, value, spec);
  if (!groups) return tl::unexpected(groups.error());
  for (jobs::InstanceGroup* group : *groups) group->auxiliary = true;
  if (std::all_of(spec.groups.begin(), spec.groups.end(), [](const auto& g) { return g.auxiliary; }))
    return refuse(name, value, "at least one group must not be auxiliary: the job ends with it");
  return ok();
}

Status set_grace(std::string_view name, std::string_view value, jobs::JobSpec& spec) {
  std::int64_t seconds = 0;
  if (!read_whole(value, seconds) || seconds < 0 || seconds > kMostGraceSeconds)
    return refuse(name, value, "must be whole seconds from 0 to 86400");
  spec.stop_grace = std::chrono::seconds(seconds);
  return ok();
}

Status set_fit(std::string_view name, std::string_view value, jobs::JobSpec& spec) {
  constexpr std::string_view kScaled = "scaled:";
  if (value == "share") {
    spec.fit = jobs::Fit::kShare;
  } else if (value == "strict") {
    spec.fit = jobs::Fit::kStrict;
  } else if (value.starts_with(kScaled)) {
    double scale = 0;
    const bool read = read_whole(value.substr(kScaled.size()), scale);
    if (!read || !std::isfinite(scale) || scale <= 0 || scale > kMostCpusPerVcpu)
      return refuse(name, value, "the factor must be a number above 0: CPUs for each vCPU");
    spec.fit = jobs::Fit::kScaled;
    spec.fit_scale = scale;
  } else {
    return refuse(name, value, "must be share, strict or scaled:<factor>, as scaled:0.25");
  }
  return ok();
}

// Read by the programs in the job, python -m evener.launch; checked before anything is started.
Status check_data_groups(std::string_view name, std::string_view value, jobs::JobSpec& spec) {
  const auto groups = named_groups(name, value, spec);
  return groups ? ok() : Status(tl::unexpected(groups.error()));
}

Status check_data_token(std::string_view name, std::string_view value, jobs::JobSpec&) {
  constexpr std::size_t kFewestCharacters = 16;
  if (value.size() < kFewestCharacters)
    return failure(ErrorCode::kInvalidArgument,
                   "Environment " + std::string(name) +
                       " is a secret and must have at least 16 characters");
  return ok();
}

Status take_any(std::string_view, std::string_view, jobs::JobSpec&) { return ok(); }

Status set_shuffle(std::string_view name, std::string_view value, jobs::JobSpec& spec) {
  std::uint64_t seed = 0;
  if (!read_whole(value, seed)) return refuse(name, value, "must be a whole number, the seed");
  spec.shuffle_hosts_seed = seed;
  return ok();
}

struct Switch {
  std::string_view name;
  Status (*set)(std::string_view name, std::string_view value, jobs::JobSpec& spec);
};
constexpr Switch kSwitches[] = {
    {"EVENER_AUXILIARY_GROUPS", set_auxiliary},
    {"EVENER_STOP_GRACE_SECONDS", set_grace},
    {"EVENER_FIT", set_fit},
    {"EVENER_SHUFFLE_HOSTS", set_shuffle},
    {"EVENER_DATA_GROUPS", check_data_groups},
    {"EVENER_DATA_TOKEN", check_data_token},
    {"EVENER_DATA_TOKEN_FILE", take_any},
};

}  // namespace

Status apply_switches(jobs::JobSpec& spec) {
  const std::map<std::string, std::string> environment = spec.environment;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(kPrefix)) continue;
    const auto found = std::find_if(std::begin(kSwitches), std::end(kSwitches),
                                    [&](const Switch& each) { return each.name == name; });
    if (found == std::end(kSwitches)) {
      std::vector<std::string_view> known;
      for (const Switch& each : kSwitches) known.push_back(each.name);
      return refuse(name, value, "is no setting of Evener" + did_you_mean(name, known));
    }
    RETURN_IF_ERROR(found->set(name, value, spec));
  }
  return ok();
}

}  // namespace evener::api
