#include "evener/catalog_source.h"

#include "base/near_miss.h"

namespace evener::app {

Result<catalog::Catalog> load_catalog(const Home& home, os::FileSystem& files) {
  auto text = catalog::builtin_catalog_text();
  if (!text) return tl::unexpected(text.error());
  auto settings = os::read_text(files, home.settings());
  if (settings) {
    text->overrides_toml = std::move(*settings);
    text->overrides_name = home.settings().string();
  } else if (settings.error().code != ErrorCode::kNotFound) {
    return tl::unexpected(settings.error());
  }
  return catalog::Catalog::parse(*text);
}

void resolve_shapes(jobs::JobSpec& spec, const catalog::Catalog& catalog,
                    const jobs::InstanceShape& whole_machine, std::vector<std::string>& notices) {
  for (auto& group : spec.groups) {
    if (const auto* type = catalog.find(group.instance_type)) {
      group.shape = {.vcpus = type->vcpus, .memory_gib = type->memory_gib,
                     .accelerator = type->accelerator, .accelerators = type->accelerators,
                     .known = true};
      continue;
    }
    group.shape = whole_machine;
    std::string notice = "group " + group.name + ": the catalogue has no instance type '" +
                         group.instance_type + "'; it counts as this whole machine";
    const auto near = catalog.near_misses(group.instance_type);
    if (!near.empty()) notice += did_you_mean(near.front());
    notices.push_back(std::move(notice));
  }
}

}  // namespace evener::app
