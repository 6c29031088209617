// The constraints of sts's inputs. Written by tools/generate_constraints.py from the service
// model of botocore 1.44.8 (sts, 2011-06-15); changed by running it again, never by hand.
#include "service_model/table.h"

namespace evener::service_model {
namespace {

constexpr std::string_view kOperations[] = {
    "GetCallerIdentity",
};

constexpr std::size_t kInputs[] = {
    0,
};

constexpr std::span<const MemberRow> kMembers{};

constexpr std::span<const std::string_view> kWords{};

constexpr ShapeRow kShapes[] = {
    {.kind = ShapeKind::kStructure},  // 0 GetCallerIdentityRequest
};
constexpr Table kTable{kOperations, kInputs, kMembers, kWords, kShapes};

}  // namespace

const Table& sts_table() { return kTable; }

}  // namespace evener::service_model
