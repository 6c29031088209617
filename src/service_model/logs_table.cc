// The constraints of logs's inputs. Written by tools/generate_constraints.py from the service
// model of botocore 1.44.8 (logs, 2014-03-28); changed by running it again, never by hand.
#include "service_model/table.h"

namespace evener::service_model {
namespace {

constexpr std::string_view kOperations[] = {
    "DescribeLogGroups", "DescribeLogStreams", "FilterLogEvents", "GetLogEvents",
};

constexpr std::size_t kInputs[] = {
    0, 11, 15, 23,
};

constexpr MemberRow kMembers[] = {
    {"accountIdentifiers", 1, Need::kOptional}, {"logGroupNamePrefix", 3, Need::kOptional},
    {"logGroupNamePattern", 4, Need::kOptional}, {"nextToken", 5, Need::kOptional},
    {"limit", 6, Need::kOptional}, {"includeLinkedAccounts", 7, Need::kOptional},
    {"logGroupClass", 8, Need::kOptional}, {"logGroupIdentifiers", 9, Need::kOptional},
    {"logGroupName", 3, Need::kOptional}, {"logGroupIdentifier", 10, Need::kOptional},
    {"logStreamNamePrefix", 12, Need::kOptional}, {"orderBy", 13, Need::kOptional},
    {"descending", 14, Need::kOptional}, {"nextToken", 5, Need::kOptional},
    {"limit", 6, Need::kOptional}, {"logGroupName", 3, Need::kOptional},
    {"logGroupIdentifier", 10, Need::kOptional}, {"logStreamNames", 16, Need::kOptional},
    {"logStreamNamePrefix", 12, Need::kOptional}, {"startTime", 17, Need::kOptional},
    {"endTime", 17, Need::kOptional}, {"filterPattern", 18, Need::kOptional},
    {"nextToken", 5, Need::kOptional}, {"limit", 19, Need::kOptional},
    {"startFromHead", 20, Need::kOptional}, {"interleaved", 21, Need::kOptional},
    {"unmask", 22, Need::kOptional}, {"logGroupName", 3, Need::kOptional},
    {"logGroupIdentifier", 10, Need::kOptional}, {"logStreamName", 12, Need::kRequired},
    {"startTime", 17, Need::kOptional}, {"endTime", 17, Need::kOptional},
    {"nextToken", 5, Need::kOptional}, {"limit", 19, Need::kOptional},
    {"startFromHead", 20, Need::kOptional}, {"unmask", 22, Need::kOptional},
};

constexpr std::string_view kWords[] = {
    "STANDARD", "INFREQUENT_ACCESS", "DELIVERY", "ESSENTIALS", "LogStreamName", "LastEventTime",
};

constexpr ShapeRow kShapes[] = {
    {.kind = ShapeKind::kStructure, .first_member = 0, .member_count = 8},  // 0 DescribeLogGroupsRequest
    {.kind = ShapeKind::kList, .min = 0, .max = 20, .element = 2},  // 1 AccountIds
    {.kind = ShapeKind::kString, .min = 12, .max = 12, .pattern = "^\\d{12}$"},  // 2 AccountId
    {.kind = ShapeKind::kString, .min = 1, .max = 512, .pattern = "[\\.\\-_/#A-Za-z0-9]+"},  // 3 LogGroupName
    {.kind = ShapeKind::kString, .min = 0, .max = 512, .pattern = "[\\.\\-_/#A-Za-z0-9]*"},  // 4 LogGroupNamePattern
    {.kind = ShapeKind::kString, .min = 1},  // 5 NextToken
    {.kind = ShapeKind::kInteger, .min = 1, .max = 50},  // 6 DescribeLimit
    {.kind = ShapeKind::kBoolean},  // 7 IncludeLinkedAccounts
    {.kind = ShapeKind::kString, .first_word = 0, .word_count = 4},  // 8 LogGroupClass
    {.kind = ShapeKind::kList, .min = 1, .max = 50, .element = 10},  // 9 DescribeLogGroupsLogGroupIdentifiers
    {.kind = ShapeKind::kString, .min = 1, .max = 2048, .pattern = "[\\w#+=/:,.@-]*"},  // 10 LogGroupIdentifier
    {.kind = ShapeKind::kStructure, .first_member = 8, .member_count = 7},  // 11 DescribeLogStreamsRequest
    {.kind = ShapeKind::kString, .min = 1, .max = 512, .pattern = "[^:*]*"},  // 12 LogStreamName
    {.kind = ShapeKind::kString, .first_word = 4, .word_count = 2},  // 13 OrderBy
    {.kind = ShapeKind::kBoolean},  // 14 Descending
    {.kind = ShapeKind::kStructure, .first_member = 15, .member_count = 12},  // 15 FilterLogEventsRequest
    {.kind = ShapeKind::kList, .min = 1, .max = 100, .element = 12},  // 16 InputLogStreamNames
    {.kind = ShapeKind::kInteger, .min = 0},  // 17 Timestamp
    {.kind = ShapeKind::kString, .min = 0, .max = 1024},  // 18 FilterPattern
    {.kind = ShapeKind::kInteger, .min = 1, .max = 10000},  // 19 EventsLimit
    {.kind = ShapeKind::kBoolean},  // 20 StartFromHead
    {.kind = ShapeKind::kBoolean},  // 21 Interleaved
    {.kind = ShapeKind::kBoolean},  // 22 Unmask
    {.kind = ShapeKind::kStructure, .first_member = 27, .member_count = 9},  // 23 GetLogEventsRequest
};
constexpr Table kTable{kOperations, kInputs, kMembers, kWords, kShapes};

}  // namespace

const Table& logs_table() { return kTable; }

}  // namespace evener::service_model
