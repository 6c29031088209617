#include <charconv>

#include "control_plane/evener/evener.h"

namespace evener::control_plane {
namespace {

using document::make_number;
using document::make_object;
using document::make_string;
using document::Value;

constexpr std::string_view kProduct = "Evener";

std::uint64_t unsigned_at(const Value& value, std::string_view name) {
  const std::string_view text = value.text_at(name);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<double> number_at(const Value& value, std::string_view name) {
  const Value* found = value.find(name);
  if (found == nullptr) return std::nullopt;
  double number = 0;
  std::from_chars(found->text.data(), found->text.data() + found->text.size(), number);
  return number;
}

}  // namespace

Value document_of(const ServerFacts& facts) {
  Value value = make_object();
  value.set("Product", make_string(kProduct));
  value.set("Version", make_string(facts.version));
  value.set("Output", make_string(facts.output));
  if (!facts.s3_endpoint.empty()) value.set("S3Endpoint", make_string(facts.s3_endpoint));
  if (!facts.bucket.empty()) value.set("Bucket", make_string(facts.bucket));
  if (facts.cpus > 0) value.set("Cpus", make_number(facts.cpus));
  value.set("Folder", make_string(facts.folder.string()));
  value.set("Device", make_string(std::to_string(facts.device)));
  value.set("Inode", make_string(std::to_string(facts.inode)));
  value.set("Boot", make_string(facts.boot));
  return value;
}

Result<ServerFacts> facts_from(const Value& value) {
  if (value.text_at("Product") != kProduct)
    return failure(ErrorCode::kCorrupt, "the answer is none of Evener's");
  return ServerFacts{.version = std::string(value.text_at("Version")),
                     .output = std::string(value.text_at("Output")),
                     .s3_endpoint = std::string(value.text_at("S3Endpoint")),
                     .bucket = std::string(value.text_at("Bucket")),
                     .cpus = number_at(value, "Cpus").value_or(0),
                     .folder = std::string(value.text_at("Folder")),
                     .device = unsigned_at(value, "Device"),
                     .inode = unsigned_at(value, "Inode"),
                     .boot = std::string(value.text_at("Boot"))};
}

Value document_of(const cost::JobCost& cost) {
  Value groups = document::make_list({});
  for (const auto& group : cost.groups) {
    Value one = make_object();
    one.set("Group", make_string(group.group));
    if (group.usd) one.set("Usd", make_number(*group.usd));
    if (group.usd_per_hour) one.set("UsdPerHour", make_number(*group.usd_per_hour));
    one.set("PriceNote", make_string(group.price_note));
    one.set("PriceSource", make_string(group.price_source));
    groups.items.push_back(std::move(one));
  }
  Value value = make_object();
  value.set("Groups", std::move(groups));
  if (cost.usd) value.set("Usd", make_number(*cost.usd));
  return value;
}

cost::JobCost cost_from(const Value& value) {
  cost::JobCost cost{.groups = {}, .usd = number_at(value, "Usd")};
  for (const Value& group : value.items_at("Groups"))
    cost.groups.push_back({.group = std::string(group.text_at("Group")),
                           .usd = number_at(group, "Usd"),
                           .usd_per_hour = number_at(group, "UsdPerHour"),
                           .price_note = std::string(group.text_at("PriceNote")),
                           .price_source = std::string(group.text_at("PriceSource"))});
  return cost;
}

}  // namespace evener::control_plane
