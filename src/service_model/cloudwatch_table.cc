// The constraints of cloudwatch's inputs. Written by tools/generate_constraints.py from the service
// model of botocore 1.44.8 (cloudwatch, 2010-08-01); changed by running it again, never by hand.
#include "service_model/table.h"

namespace evener::service_model {
namespace {

constexpr std::string_view kOperations[] = {
    "GetMetricData", "GetMetricStatistics", "ListMetrics",
};

constexpr std::size_t kInputs[] = {
    0, 25, 30,
};

constexpr MemberRow kMembers[] = {
    {"MetricDataQueries", 1, Need::kRequired}, {"StartTime", 19, Need::kRequired},
    {"EndTime", 19, Need::kRequired}, {"NextToken", 20, Need::kOptional},
    {"ScanBy", 21, Need::kOptional}, {"MaxDatapoints", 22, Need::kOptional},
    {"LabelOptions", 23, Need::kOptional}, {"Id", 3, Need::kRequired},
    {"MetricStat", 4, Need::kOptional}, {"Expression", 15, Need::kOptional},
    {"Label", 16, Need::kOptional}, {"ReturnData", 17, Need::kOptional},
    {"Period", 12, Need::kOptional}, {"AccountId", 18, Need::kOptional},
    {"Metric", 5, Need::kRequired}, {"Period", 12, Need::kRequired}, {"Stat", 13, Need::kRequired},
    {"Unit", 14, Need::kOptional}, {"Namespace", 6, Need::kOptional},
    {"MetricName", 7, Need::kOptional}, {"Dimensions", 8, Need::kOptional},
    {"Name", 10, Need::kRequired}, {"Value", 11, Need::kRequired},
    {"Timezone", 24, Need::kOptional}, {"Namespace", 6, Need::kRequired},
    {"MetricName", 7, Need::kRequired}, {"Dimensions", 8, Need::kOptional},
    {"StartTime", 19, Need::kRequired}, {"EndTime", 19, Need::kRequired},
    {"Period", 12, Need::kRequired}, {"Statistics", 26, Need::kOptional},
    {"ExtendedStatistics", 28, Need::kOptional}, {"Unit", 14, Need::kOptional},
    {"Namespace", 6, Need::kOptional}, {"MetricName", 7, Need::kOptional},
    {"Dimensions", 31, Need::kOptional}, {"NextToken", 20, Need::kOptional},
    {"RecentlyActive", 33, Need::kOptional}, {"IncludeLinkedAccounts", 34, Need::kOptional},
    {"OwningAccount", 18, Need::kOptional}, {"Name", 10, Need::kRequired},
    {"Value", 11, Need::kOptional},
};

constexpr std::string_view kWords[] = {
    "Seconds", "Microseconds", "Milliseconds", "Bytes", "Kilobytes", "Megabytes", "Gigabytes",
    "Terabytes", "Bits", "Kilobits", "Megabits", "Gigabits", "Terabits", "Percent", "Count",
    "Bytes/Second", "Kilobytes/Second", "Megabytes/Second", "Gigabytes/Second", "Terabytes/Second",
    "Bits/Second", "Kilobits/Second", "Megabits/Second", "Gigabits/Second", "Terabits/Second",
    "Count/Second", "None", "TimestampDescending", "TimestampAscending", "SampleCount", "Average",
    "Sum", "Minimum", "Maximum", "PT3H",
};

constexpr ShapeRow kShapes[] = {
    {.kind = ShapeKind::kStructure, .first_member = 0, .member_count = 7},  // 0 GetMetricDataInput
    {.kind = ShapeKind::kList, .element = 2},  // 1 MetricDataQueries
    {.kind = ShapeKind::kStructure, .first_member = 7, .member_count = 7},  // 2 MetricDataQuery
    {.kind = ShapeKind::kString, .min = 1, .max = 255},  // 3 MetricId
    {.kind = ShapeKind::kStructure, .first_member = 14, .member_count = 4},  // 4 MetricStat
    {.kind = ShapeKind::kStructure, .first_member = 18, .member_count = 3},  // 5 Metric
    {.kind = ShapeKind::kString, .min = 1, .max = 255, .pattern = "[^:].*"},  // 6 Namespace
    {.kind = ShapeKind::kString, .min = 1, .max = 255},  // 7 MetricName
    {.kind = ShapeKind::kList, .max = 30, .element = 9},  // 8 Dimensions
    {.kind = ShapeKind::kStructure, .first_member = 21, .member_count = 2},  // 9 Dimension
    {.kind = ShapeKind::kString, .min = 1, .max = 255},  // 10 DimensionName
    {.kind = ShapeKind::kString, .min = 1, .max = 1024},  // 11 DimensionValue
    {.kind = ShapeKind::kInteger, .min = 1},  // 12 Period
    {.kind = ShapeKind::kString},  // 13 Stat
    {.kind = ShapeKind::kString, .first_word = 0, .word_count = 27},  // 14 StandardUnit
    {.kind = ShapeKind::kString, .min = 1, .max = 2048},  // 15 MetricExpression
    {.kind = ShapeKind::kString},  // 16 MetricLabel
    {.kind = ShapeKind::kBoolean},  // 17 ReturnData
    {.kind = ShapeKind::kString, .min = 1, .max = 255},  // 18 AccountId
    {.kind = ShapeKind::kTimestamp},  // 19 Timestamp
    {.kind = ShapeKind::kString},  // 20 NextToken
    {.kind = ShapeKind::kString, .first_word = 27, .word_count = 2},  // 21 ScanBy
    {.kind = ShapeKind::kInteger},  // 22 GetMetricDataMaxDatapoints
    {.kind = ShapeKind::kStructure, .first_member = 23, .member_count = 1},  // 23 LabelOptions
    {.kind = ShapeKind::kString},  // 24 GetMetricDataLabelTimezone
    {.kind = ShapeKind::kStructure, .first_member = 24, .member_count = 9},  // 25 GetMetricStatisticsInput
    {.kind = ShapeKind::kList, .min = 1, .max = 5, .element = 27},  // 26 Statistics
    {.kind = ShapeKind::kString, .first_word = 29, .word_count = 5},  // 27 Statistic
    {.kind = ShapeKind::kList, .min = 1, .max = 10, .element = 29},  // 28 ExtendedStatistics
    {.kind = ShapeKind::kString},  // 29 ExtendedStatistic
    {.kind = ShapeKind::kStructure, .first_member = 33, .member_count = 7},  // 30 ListMetricsInput
    {.kind = ShapeKind::kList, .max = 10, .element = 32},  // 31 DimensionFilters
    {.kind = ShapeKind::kStructure, .first_member = 40, .member_count = 2},  // 32 DimensionFilter
    {.kind = ShapeKind::kString, .first_word = 34, .word_count = 1},  // 33 RecentlyActive
    {.kind = ShapeKind::kBoolean},  // 34 IncludeLinkedAccounts
};
constexpr Table kTable{kOperations, kInputs, kMembers, kWords, kShapes};

}  // namespace

const Table& cloudwatch_table() { return kTable; }

}  // namespace evener::service_model
