#include <cstdio>

#include "base/near_miss.h"
#include "evener/catalog_json.h"
#include "evener/catalog_source.h"
#include "evener/commands.h"
#include "evener/job_view.h"
#include "evener/text_table.h"

namespace evener::app {
namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::vector<std::string> type_row(const catalog::InstanceType& type, const catalog::Price* price) {
  return {type.type, std::to_string(type.vcpus), number(type.memory_gib),
          type.accelerators > 0 ? std::to_string(type.accelerators) + " x " + type.accelerator : "",
          type.network_gbit > 0 ? number(type.network_gbit) : "",
          price != nullptr ? number(price->usd_per_hour) : "-"};
}

void print_table(const TextTable& table) {
  std::string text;
  for (const auto& line : table.lines()) text += line + "\n";
  print(text);
}

Result<catalog::Catalog> catalog_of(const CatalogOptions& options) {
  auto files = os::make_real_file_system();
  return load_catalog(Home{home_path(options.shared.home)}, *files);
}

bool matches(const std::string& type, const std::string& filter) {
  return filter.empty() || type.find(filter) != std::string::npos;
}

int nothing_matches(const catalog::Catalog& catalog, const std::string& filter) {
  std::string message = "no instance type matches '" + filter + "'";
  const auto near = catalog.near_misses(filter);
  if (!near.empty()) message += did_you_mean(near.front());
  return report_error({ErrorCode::kNotFound, message}, kExitUsage);
}

// Text or JSON of the rows that match, whose JSON is empty where there is none.
int show(const CatalogOptions& options, const catalog::Catalog& catalog, const TextTable& table,
         const std::string& json) {
  if (json.empty()) return nothing_matches(catalog, options.filter);
  if (options.shared.form == OutputForm::kJson) {
    print(json);
  } else {
    print_table(table);
  }
  return kExitDone;
}

}  // namespace

int run_instances(const CatalogOptions& options) {
  auto catalog = catalog_of(options);
  if (!catalog) return report_error(catalog.error(), kExitUsage);
  TextTable table({"type", "vCPU", "GiB", "accelerators", "Gbit/s", "$/h " + options.shared.region});
  std::string json;
  for (const auto& type : catalog->types()) {
    if (!matches(type.type, options.filter)) continue;
    const auto* price = catalog->price(type.type, "sagemaker-training", options.shared.region);
    table.add(type_row(type, price));
    json += instance_json(type, price) + "\n";
  }
  return show(options, *catalog, table, json);
}

int run_prices(const CatalogOptions& options) {
  auto catalog = catalog_of(options);
  if (!catalog) return report_error(catalog.error(), kExitUsage);
  const WallTime now = SystemClock().wall_now();
  TextTable table({"type", "service", "region", "term", "$/h", "date", "source"});
  std::string json;
  for (const auto& price : catalog->prices()) {
    if (!matches(price.type, options.filter)) continue;
    table.add({price.type, price.service, price.region, price.term, number(price.usd_per_hour),
               catalog::price_age_note(price, now), price.source});
    json += price_json(price) + "\n";
  }
  return show(options, *catalog, table, json);
}

}  // namespace evener::app
