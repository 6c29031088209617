// Instance types and prices from data files with source and date, and the user's overrides.
//
// Used by:  apps, cost, (later) what-if.
// Threads:  a Catalog is immutable once loaded.
// Fails:    kInvalidArgument with file and line on data that cannot be read.
// Source:   data/instances.csv, data/prices.csv (each row names its own source and date).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace evener::catalog {

// Rows of one table or overrides; more is refused rather than held.
inline constexpr std::size_t kMaxRows = 100'000;

struct InstanceType {
  std::string type;                 // "ml.c5.2xlarge"
  std::string family;
  int vcpus = 0;
  double memory_gib = 0;
  std::string accelerator;          // "" for none
  int accelerators = 0;
  double accelerator_memory_gib = 0;  // each
  double network_gbit = 0;
  std::string architecture;
};

struct Price {
  std::string type;
  std::string service;              // "sagemaker-training" or "ec2"
  std::string region;
  std::string term;                 // "on-demand"
  double usd_per_hour = 0;
  std::string as_of;                // "2026-08-11", or "" where the source has no date
  std::string source;               // what stands in [] is left open by the source
};

struct CatalogText {                // contents of the files, for tests and for loading
  std::string instances_csv;
  std::string prices_csv;
  std::string overrides_toml;       // may be empty
  std::string overrides_name = "overrides.toml";  // for messages: the path of the user's file
};

// The tables of data/ as they were when the program was built; no overrides.
Result<CatalogText> builtin_catalog_text();

class Catalog {
 public:
  static Result<Catalog> parse(const CatalogText& text);

  // Nothing for an unknown type: the caller decides whether that is an error.
  const InstanceType* find(std::string_view type) const;
  const std::vector<InstanceType>& types() const { return types_; }
  const std::vector<Price>& prices() const { return prices_; }
  // On demand. The newest row without an open point; only if there is none, the newest with one.
  // Never another region's or service's.
  const Price* price(std::string_view type, std::string_view service, std::string_view region) const;
  // Types whose names are near `type`, best first, at most three. Beside slips
  // (base/near_miss.h) those of its family count, whatever their size: one that exists is wanted.
  std::vector<std::string> near_misses(std::string_view type) const;

 private:
  std::vector<InstanceType> types_;
  std::vector<Price> prices_;
};

// True for a price older than 180 days or without a date.
bool is_stale(const Price& price, WallTime now);

// "2026-08-11"; "2022-10, 4 years old" once a price is older than 180 days; "date unknown" without a date.
std::string price_age_note(const Price& price, WallTime now);

}  // namespace evener::catalog
