// The wire forms of AWS's services: requests become an operation's name and a document, documents
// and errors become responses. One document form for all protocols: names as in the service's
// model, times as numbers of seconds, whole numbers and booleans as such.
//
// Used by:  control_plane/operations (Service, Output), control_plane/front.
// Threads:  values and pure functions.
// Fails:    read_input() with "SerializationException: ..." (what the body is and is not).
// Source:   Smithy's specifications of awsJson1_0, awsJson1_1, awsQuery and rpcv2Cbor.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "http/http.h"

namespace evener::wire {

enum class Service { kSageMaker, kLogs, kCloudWatch, kSts, kIam, kEvener };
std::string_view to_string(Service service);        // as SigV4 names it: "sagemaker", "monitoring"
std::optional<Service> service_from(std::string_view text);

enum class Protocol { kJson11, kJson10, kQuery, kCbor, kNone };
std::string_view to_string(Protocol protocol);      // "json-1.1", ...
std::optional<Protocol> protocol_from(std::string_view text);

// What a request asks for, as far as its head tells (and, in the query form, its Action).
struct Call {
  Protocol protocol = Protocol::kNone;
  std::optional<Service> service{};                 // absent: none that we know
  std::string operation{};
  std::string version{};                            // query form: of the API
  bool query_errors = false;                        // the client wants the query form's codes too
};
Call recognize(const http::Request& request);

// The input of a recognised call: always an object.
Result<document::Value> read_input(const Call& call, const http::Request& request);

// An operation's answer: a document, or its text where it is ready (JSON protocols only).
struct Output {
  document::Value value = document::make_object();
  std::string ready_json{};
};
http::Response answer(const Call& call, Output output, std::string_view request_id);

// An error's message may begin with AWS's code and ": "; without one its class tells the code
// (kInvalidArgument is ValidationException, ...). Codes get the name and the status that the
// protocol has for them.
http::Response refusal(const Call& call, const Error& error, std::string_view request_id);

}  // namespace evener::wire
