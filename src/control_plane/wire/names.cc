#include <array>
#include <utility>

#include "control_plane/wire/wire.h"

namespace evener::wire {
namespace {

constexpr std::array<std::pair<Service, std::string_view>, 6> kServices{{
    {Service::kSageMaker, "sagemaker"},
    {Service::kLogs, "logs"},
    {Service::kCloudWatch, "monitoring"},
    {Service::kSts, "sts"},
    {Service::kIam, "iam"},
    {Service::kEvener, "evener"},
}};

constexpr std::array<std::pair<Protocol, std::string_view>, 5> kProtocols{{
    {Protocol::kJson11, "json-1.1"},
    {Protocol::kJson10, "json-1.0"},
    {Protocol::kQuery, "query"},
    {Protocol::kCbor, "rpc-v2-cbor"},
    {Protocol::kNone, "none"},
}};

template <class Table, class Value>
std::string_view spelling(const Table& table, Value value) {
  for (const auto& [one, text] : table)
    if (one == value) return text;
  return "";
}

}  // namespace

std::string_view to_string(Service service) { return spelling(kServices, service); }

std::optional<Service> service_from(std::string_view text) {
  for (const auto& [service, name] : kServices)
    if (name == text) return service;
  return std::nullopt;
}

std::string_view to_string(Protocol protocol) { return spelling(kProtocols, protocol); }

std::optional<Protocol> protocol_from(std::string_view text) {
  for (const auto& [protocol, name] : kProtocols)
    if (name == text) return protocol;
  return std::nullopt;
}

}  // namespace evener::wire
