#include "advice/cost/cost.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace evener::cost {
namespace {

constexpr std::string_view kService = "sagemaker-training";
constexpr double kSecondsPerHour = 3600;

// Why there is no price, and where there is one: it is said, not used.
std::string missing_note(std::string_view type, std::string_view region,
                         const catalog::Catalog& catalog) {
  std::vector<std::string> regions;
  for (const catalog::Price& price : catalog.prices()) {
    if (price.type != type || price.service != kService || price.term != "on-demand") continue;
    if (std::find(regions.begin(), regions.end(), price.region) == regions.end())
      regions.push_back(price.region);
  }
  const std::string what = "no training price for " + std::string(type);
  if (regions.empty())
    return what + (catalog.find(type) == nullptr ? ": the type is not in the catalogue" : "");
  std::string others;
  for (const std::string& other : regions) others += (others.empty() ? "" : ", ") + other;
  return what + " in " + std::string(region) + " (there is one for " + others + ")";
}

GroupCost group_cost(const GroupUse& use, const catalog::Catalog& catalog, std::string_view region,
                     WallTime now) {
  GroupCost cost;
  cost.group = use.group;
  const catalog::Price* price = catalog.price(use.type, kService, region);
  if (price == nullptr) {
    cost.price_note = missing_note(use.type, region, catalog);
    return cost;
  }
  const auto seconds = static_cast<double>(std::max<std::int64_t>(use.billable_seconds, 0));
  cost.usd_per_hour = price->usd_per_hour;
  cost.usd = price->usd_per_hour / kSecondsPerHour * seconds * std::max(use.count, 0);
  cost.price_note = std::string(region) + ", " + catalog::price_age_note(*price, now);
  cost.price_source = price->source;
  return cost;
}

}  // namespace

JobCost job_cost(const std::vector<GroupUse>& groups, const catalog::Catalog& catalog,
                 std::string_view region, WallTime now) {
  JobCost job;
  job.usd = 0;
  for (const GroupUse& use : groups) {
    job.groups.push_back(group_cost(use, catalog, region, now));
    const std::optional<double>& usd = job.groups.back().usd;
    job.usd = job.usd && usd ? std::optional(*job.usd + *usd) : std::nullopt;
  }
  return job;
}

std::string format_usd(double usd) {
  constexpr int kMaxDecimals = 12;
  if (!std::isfinite(usd)) return "$?";
  const double amount = std::fabs(usd);
  // Three digits from the first that is not zero, but whole cents at least.
  int decimals = 2;
  if (amount > 0)
    decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(amount))), 2, kMaxDecimals);
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, amount);
  std::string digits = text;
  while (digits.back() == '0' && digits.size() - digits.find('.') > 3) digits.pop_back();
  const bool zero = digits.find_first_not_of("0.") == std::string::npos;
  return (usd < 0 && !zero ? "-$" : "$") + digits;
}

}  // namespace evener::cost
