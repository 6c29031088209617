// A SearchExpression: what it asks of a job, and whether a job's document answers it. Private to
// operations.
//
// Used by:  search.cc.
// Threads:  pure functions.
// Fails:    check_expression with AWS's text.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "training/jobs/jobs.h"

namespace evener::operations {

// The limits that the model does not state: conditions in all, depth, one Contains a property.
Status check_expression(const document::Value& expression);

// `record` is a job as Search answers it. A property that the record lacks satisfies NotEquals and
// NotExists alone.
bool matches(const document::Value& expression, const document::Value& record);

// Every property that the expression reads.
std::set<std::string> properties_of(const document::Value& expression);

// Adds to `query` what every match must fulfil and the store can tell by an index: of the conditions
// that are all joined by And, those on status, times and tags.
void narrow(const document::Value& expression, jobs::JobQuery& query);

// The values of one property, by its dotted path through objects, lists and tags.
std::vector<const document::Value*> values_at(const document::Value& record, std::string_view path);

// Numbers before texts; numbers and times by value, texts by their bytes.
int compare(const document::Value& a, const document::Value& b);

}  // namespace evener::operations
