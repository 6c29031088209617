// The XML answers of the query form. Private to wire.
//
// Used by:  wire.
// Threads:  pure functions.
// Fails:    never: characters that XML cannot hold are left out.
// Source:   Smithy's awsQuery.
#pragma once

#include <string>
#include <string_view>

#include "base/document.h"

namespace evener::wire {

struct XmlError {
  std::string_view type;      // "Sender", "Receiver"
  std::string_view code;
  std::string_view message;
};

// <OperationResponse xmlns="..."><OperationResult>...</OperationResult><ResponseMetadata>...
std::string xml_answer(std::string_view name_space, std::string_view operation,
                       const document::Value& value, std::string_view request_id);
// <ErrorResponse xmlns="..."><Error>...</Error><RequestId>...
std::string xml_refusal(std::string_view name_space, const XmlError& error,
                        std::string_view request_id);
// As S3 writes errors; for requests that have no form of ours.
std::string xml_plain_refusal(const XmlError& error, std::string_view request_id);

}  // namespace evener::wire
