#include <nlohmann/json.hpp>

#include "evener/catalog_json.h"

namespace evener::app {
namespace {

using nlohmann::json;

json price_object(const catalog::Price& price) {
  return {{"type", price.type},     {"service", price.service},
          {"region", price.region}, {"term", price.term},
          {"usd_per_hour", price.usd_per_hour},
          {"as_of", price.as_of.empty() ? json(nullptr) : json(price.as_of)},
          {"source", price.source}};
}

std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string instance_json(const catalog::InstanceType& type, const catalog::Price* price) {
  return text_of({{"type", type.type},
                  {"family", type.family},
                  {"vcpus", type.vcpus},
                  {"memory_gib", type.memory_gib},
                  {"accelerator", type.accelerator.empty() ? json(nullptr) : json(type.accelerator)},
                  {"accelerators", type.accelerators},
                  {"accelerator_memory_gib", type.accelerator_memory_gib},
                  {"network_gbit", type.network_gbit},
                  {"architecture", type.architecture},
                  {"price", price == nullptr ? json(nullptr) : price_object(*price)}});
}

std::string price_json(const catalog::Price& price) { return text_of(price_object(price)); }

std::string ability_json(const sandbox::Ability& ability) {
  return text_of({{"name", ability.name},
                  {"works", ability.works},
                  {"detail", ability.detail},
                  {"fix", ability.fix}});
}

}  // namespace evener::app
