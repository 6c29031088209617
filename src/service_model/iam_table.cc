// The constraints of iam's inputs. Written by tools/generate_constraints.py from the service
// model of botocore 1.44.8 (iam, 2010-05-08); changed by running it again, never by hand.
#include "service_model/table.h"

namespace evener::service_model {
namespace {

constexpr std::string_view kOperations[] = {
    "GetRole", "SimulatePrincipalPolicy",
};

constexpr std::size_t kInputs[] = {
    0, 2,
};

constexpr MemberRow kMembers[] = {
    {"RoleName", 1, Need::kRequired}, {"PolicySourceArn", 3, Need::kRequired},
    {"PolicyInputList", 4, Need::kOptional},
    {"PermissionsBoundaryPolicyInputList", 4, Need::kOptional},
    {"PolicyExclusionList", 6, Need::kOptional}, {"ActionNames", 13, Need::kRequired},
    {"ResourceArns", 15, Need::kOptional}, {"ResourcePolicy", 5, Need::kOptional},
    {"ResourceOwner", 16, Need::kOptional}, {"CallerArn", 16, Need::kOptional},
    {"ContextEntries", 17, Need::kOptional}, {"ResourceHandlingOption", 23, Need::kOptional},
    {"MaxItems", 24, Need::kOptional}, {"Marker", 25, Need::kOptional},
    {"PolicyType", 8, Need::kOptional}, {"PolicyArn", 3, Need::kOptional},
    {"InlinePolicyIdentifier", 9, Need::kOptional}, {"PolicyName", 10, Need::kRequired},
    {"AttachmentType", 11, Need::kRequired}, {"AttachmentName", 12, Need::kRequired},
    {"ContextKeyName", 19, Need::kOptional}, {"ContextKeyValues", 20, Need::kOptional},
    {"ContextKeyType", 22, Need::kOptional},
};

constexpr std::string_view kWords[] = {
    "inline", "aws-managed", "user-managed", "permission-boundary", "scp", "rcp", "user", "group",
    "role", "string", "stringList", "numeric", "numericList", "boolean", "booleanList", "ip",
    "ipList", "binary", "binaryList", "date", "dateList",
};

constexpr ShapeRow kShapes[] = {
    {.kind = ShapeKind::kStructure, .first_member = 0, .member_count = 1},  // 0 GetRoleRequest
    {.kind = ShapeKind::kString, .min = 1, .max = 64, .pattern = "[\\w+=,.@-]+"},  // 1 roleNameType
    {.kind = ShapeKind::kStructure, .first_member = 1, .member_count = 13},  // 2 SimulatePrincipalPolicyRequest
    {.kind = ShapeKind::kString, .min = 20, .max = 2048},  // 3 arnType
    {.kind = ShapeKind::kList, .element = 5},  // 4 SimulationPolicyListType
    {.kind = ShapeKind::kString, .min = 1, .max = 131072, .pattern = "[\\u0009\\u000A\\u000D\\u0020-\\u00FF]+"},  // 5 policyDocumentType
    {.kind = ShapeKind::kList, .max = 256, .element = 7},  // 6 PolicyExclusionsListType
    {.kind = ShapeKind::kStructure, .first_member = 14, .member_count = 3},  // 7 PolicyIdentifier
    {.kind = ShapeKind::kString, .first_word = 0, .word_count = 6},  // 8 PolicyIdentifierPolicyType
    {.kind = ShapeKind::kStructure, .first_member = 17, .member_count = 3},  // 9 InlinePolicyIdentifierType
    {.kind = ShapeKind::kString, .min = 1, .max = 128, .pattern = "[\\w+=,.@-]+"},  // 10 policyNameType
    {.kind = ShapeKind::kString, .first_word = 6, .word_count = 3},  // 11 AttachmentType
    {.kind = ShapeKind::kString, .min = 1, .max = 128, .pattern = "[\\w+=,.@-]+"},  // 12 AttachmentName
    {.kind = ShapeKind::kList, .element = 14},  // 13 ActionNameListType
    {.kind = ShapeKind::kString, .min = 3, .max = 128},  // 14 ActionNameType
    {.kind = ShapeKind::kList, .element = 16},  // 15 ResourceNameListType
    {.kind = ShapeKind::kString, .min = 1, .max = 2048},  // 16 ResourceNameType
    {.kind = ShapeKind::kList, .element = 18},  // 17 ContextEntryListType
    {.kind = ShapeKind::kStructure, .first_member = 20, .member_count = 3},  // 18 ContextEntry
    {.kind = ShapeKind::kString, .min = 5, .max = 256},  // 19 ContextKeyNameType
    {.kind = ShapeKind::kList, .element = 21},  // 20 ContextKeyValueListType
    {.kind = ShapeKind::kString},  // 21 ContextKeyValueType
    {.kind = ShapeKind::kString, .first_word = 9, .word_count = 12},  // 22 ContextKeyTypeEnum
    {.kind = ShapeKind::kString, .min = 1, .max = 64},  // 23 ResourceHandlingOptionType
    {.kind = ShapeKind::kInteger, .min = 1, .max = 1000},  // 24 maxItemsType
    {.kind = ShapeKind::kString, .min = 1, .max = 320, .pattern = "[\\u0020-\\u00FF]+"},  // 25 markerType
};
constexpr Table kTable{kOperations, kInputs, kMembers, kWords, kShapes};

}  // namespace

const Table& iam_table() { return kTable; }

}  // namespace evener::service_model
