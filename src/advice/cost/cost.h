// What a job costs: billable seconds times the price of each group's type.
//
// Used by:  apps (summary, tables).
// Threads:  pure functions.
// Fails:    never; a missing price is said, not filled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/catalog/catalog.h"
#include "base/clock.h"

namespace evener::cost {

struct GroupUse {
  std::string group;
  std::string type;
  int count = 1;
  std::int64_t billable_seconds = 0;    // per instance
};

struct GroupCost {
  std::string group;
  std::optional<double> usd;            // nothing where there is no price
  std::optional<double> usd_per_hour;   // one instance
  std::string price_note;               // "us-east-1, 2026-08-11", with age where stale; or why none
  std::string price_source;
};

struct JobCost {
  std::vector<GroupCost> groups;
  std::optional<double> usd;            // nothing if any group has no price
};

JobCost job_cost(const std::vector<GroupUse>& groups, const catalog::Catalog& catalog,
                 std::string_view region, WallTime now);

// "$0.0042": at least two decimals, three significant digits.
std::string format_usd(double usd);

}  // namespace evener::cost
