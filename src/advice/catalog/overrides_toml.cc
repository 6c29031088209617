// Its parser asserts what text of users can break (a table that begins "[="), and has an error for it:
// the error is enough. The same in all files that include it.
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <array>

#include "advice/catalog/tables.h"
#include "base/near_miss.h"

namespace evener::catalog {
namespace {

// Reads the members of one [[instance]] or [[price]]; keeps the first fault.
class Entry {
 public:
  Entry(const toml::table& table, const std::string& name) : table_(table), name_(name) {}

  void text(std::string_view key, std::string& into) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    // A date may be written without quotes.
    if (const auto* date = node->as_date()) {
      into = spelled(date->get());
    } else if (const auto value = node->value_exact<std::string>()) {
      into = *value;
    } else {
      fail(*node, key, "must be a text");
    }
  }
  void number(std::string_view key, double& into) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    if (node->is_number()) {
      into = node->value<double>().value_or(0);
    } else {
      fail(*node, key, "must be a number");
    }
  }
  void count(std::string_view key, int& into) {
    constexpr std::int64_t kMost = 1'000'000;
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const auto value = node->value_exact<std::int64_t>();
    if (value && *value >= 0 && *value <= kMost) {
      into = static_cast<int>(*value);
    } else {
      fail(*node, key, "must be a whole number");
    }
  }
  // Refuses members that nobody asked for; then `fault`, if not empty.
  Status finish(const std::string& fault) {
    for (const auto& [key, node] : table_) {
      if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
      return failure(ErrorCode::kInvalidArgument,
                     place(key.source()) + "unknown key '" + std::string(key.str()) + "'" +
                         did_you_mean(key.str(), known_));
    }
    if (fault_.empty() && !fault.empty()) fault_ = place(table_.source()) + fault;
    if (fault_.empty()) return ok();
    return failure(ErrorCode::kInvalidArgument, fault_);
  }

 private:
  const toml::node* take(std::string_view key) {
    known_.push_back(key);
    return table_.get(key);
  }
  void fail(const toml::node& node, std::string_view key, const char* fault) {
    if (fault_.empty()) fault_ = place(node.source()) + std::string(key) + " " + fault;
  }
  std::string place(const toml::source_region& source) const {
    return name_ + ":" + std::to_string(source.begin.line) + ": ";
  }
  static std::string spelled(const toml::date& date) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02d-%02d", int{date.year}, int{date.month},
                  int{date.day});
    return text.data();
  }

  const toml::table& table_;
  const std::string& name_;
  std::vector<std::string_view> known_;
  std::string fault_;
};

Status read_instance(Entry entry, InstanceType& type) {
  entry.text("type", type.type);
  entry.text("family", type.family);
  entry.count("vcpus", type.vcpus);
  entry.number("memory_gib", type.memory_gib);
  entry.text("accelerator", type.accelerator);
  entry.count("accelerator_count", type.accelerators);
  entry.number("accelerator_memory_gib_each", type.accelerator_memory_gib);
  entry.number("network_gbit", type.network_gbit);
  entry.text("architecture", type.architecture);
  if (!type.accelerator.empty() && type.accelerators == 0) type.accelerators = 1;
  return entry.finish(fault_of(type));
}

Status read_price(Entry entry, Price& price) {
  price.service = "sagemaker-training";
  price.term = "on-demand";
  entry.text("type", price.type);
  entry.text("service", price.service);
  entry.text("region", price.region);
  entry.text("term", price.term);
  entry.number("usd_per_hour", price.usd_per_hour);
  entry.text("as_of", price.as_of);
  entry.text("source", price.source);
  return entry.finish(fault_of(price));
}

template <class T>
Status read_entries(const toml::node& node, const std::string& name,
                    Status (*read)(Entry, T&), std::vector<T>& into) {
  const toml::array* entries = node.as_array();
  const std::string place = name + ":" + std::to_string(node.source().begin.line) + ": ";
  if (entries == nullptr)
    return failure(ErrorCode::kInvalidArgument, place + "write [[instance]] or [[price]]");
  if (entries->size() > kMaxRows)
    return failure(ErrorCode::kInvalidArgument, place + "too many entries");
  for (const toml::node& entry : *entries) {
    const toml::table* table = entry.as_table();
    if (table == nullptr)
      return failure(ErrorCode::kInvalidArgument, place + "write [[instance]] or [[price]]");
    RETURN_IF_ERROR(read(Entry(*table, name), into.emplace_back()));
  }
  return ok();
}

}  // namespace

Result<Overrides> read_overrides(const std::string& text, const std::string& name) {
  try {
    const toml::table root = toml::parse(text, name);
    Overrides overrides;
    for (const auto& [key, node] : root) {
      if (key.str() == "instance") {
        RETURN_IF_ERROR(read_entries(node, name, read_instance, overrides.instances));
      } else if (key.str() == "price") {
        RETURN_IF_ERROR(read_entries(node, name, read_price, overrides.prices));
      } else {
        return failure(ErrorCode::kInvalidArgument,
                       name + ":" + std::to_string(key.source().begin.line) + ": unknown key '" +
                           std::string(key.str()) + "'" +
                           did_you_mean(key.str(), {"instance", "price"}));
      }
    }
    return overrides;
  } catch (const toml::parse_error& error) {
    return failure(ErrorCode::kInvalidArgument,
                   name + ":" + std::to_string(error.source().begin.line) + ": " +
                       std::string(error.description()));
  }
}

}  // namespace evener::catalog
