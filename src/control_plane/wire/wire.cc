#include "control_plane/wire/wire.h"

#include <array>
#include <utility>

#include "base/utf8.h"
#include "control_plane/wire/cbor_body.h"
#include "control_plane/wire/error_codes.h"
#include "control_plane/wire/query_form.h"
#include "control_plane/wire/xml_body.h"

namespace evener::wire {
namespace {

struct ServiceForm {
  Service service;
  std::string_view target;        // before the dot of X-Amz-Target; path in CBOR; "": no such form
  std::string_view version;       // query form; "": no such form
  std::string_view name_space;
};

constexpr std::array kForms{
    ServiceForm{Service::kSageMaker, "SageMaker", "", ""},
    ServiceForm{Service::kLogs, "Logs_20140328", "", ""},
    ServiceForm{Service::kCloudWatch, "GraniteServiceVersion20100801", "2010-08-01",
                "http://monitoring.amazonaws.com/doc/2010-08-01/"},
    ServiceForm{Service::kSts, "", "2011-06-15", "https://sts.amazonaws.com/doc/2011-06-15/"},
    ServiceForm{Service::kIam, "", "2010-05-08", "https://iam.amazonaws.com/doc/2010-05-08/"},
    ServiceForm{Service::kEvener, "Evener", "", ""},
};

constexpr std::string_view kJson11 = "application/x-amz-json-1.1";
constexpr std::string_view kJson10 = "application/x-amz-json-1.0";
constexpr std::string_view kCbor = "application/cbor";
constexpr std::string_view kXml = "text/xml";
constexpr std::size_t kOperationBytes = 128;

std::optional<Service> service_of_target(std::string_view target) {
  for (const ServiceForm& form : kForms)
    if (!form.target.empty() && form.target == target) return form.service;
  return std::nullopt;
}

std::string_view name_space_of(const Call& call) {
  for (const ServiceForm& form : kForms)
    if (call.service == form.service) return form.name_space;
  return "";
}

// An operation's name is a word of letters and digits; anything else is none.
std::string operation_name(std::string_view text) {
  for (const char c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) return "";
  return text.size() > kOperationBytes ? "" : std::string(text);
}

Call json_call(std::string_view target, std::string_view content_type, const http::Request& request) {
  Call call;
  call.protocol = content_type.starts_with(kJson10) ? Protocol::kJson10 : Protocol::kJson11;
  call.query_errors = request.headers.find("x-amzn-query-mode") == "true";
  const std::size_t dot = target.rfind('.');
  if (dot == std::string_view::npos) return call;
  call.service = service_of_target(target.substr(0, dot));
  call.operation = operation_name(target.substr(dot + 1));
  return call;
}

Call query_call(const http::Request& request) {
  Call call;
  call.protocol = Protocol::kQuery;
  call.operation = operation_name(form_parameter(request.body, "Action"));
  call.version = form_parameter(request.body, "Version");
  for (const ServiceForm& form : kForms)
    if (!form.version.empty() && form.version == call.version) call.service = form.service;
  return call;
}

// /service/<target>/operation/<operation>
Call cbor_call(const http::Request& request) {
  constexpr std::string_view kService = "/service/";
  constexpr std::string_view kOperation = "/operation/";
  Call call;
  call.protocol = Protocol::kCbor;
  const std::string_view path = request.path;
  const std::size_t operation = path.find(kOperation);
  if (!path.starts_with(kService) || operation == std::string_view::npos) return call;
  call.service = service_of_target(path.substr(kService.size(), operation - kService.size()));
  if (call.service != Service::kCloudWatch) call.service.reset();
  call.operation = operation_name(path.substr(operation + kOperation.size()));
  return call;
}

Result<document::Value> read_json(std::string_view body) {
  if (body.empty()) return document::make_object();
  auto value = document::read(body);
  if (!value) return failure_in("SerializationException", value.error());
  return value;
}

std::string_view content_type_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::kJson11: return kJson11;
    case Protocol::kJson10: return kJson10;
    case Protocol::kCbor: return kCbor;
    case Protocol::kQuery: return kXml;
    case Protocol::kNone: return "application/xml";
  }
  return "";
}

http::Response respond(const Call& call, int status, std::string body, std::string_view request_id) {
  http::Response response{.status = status, .headers = {}, .body = std::move(body)};
  response.headers.add("Content-Type", content_type_of(call.protocol));
  response.headers.add("x-amzn-RequestId", request_id);
  if (call.protocol == Protocol::kCbor) response.headers.add("smithy-protocol", "rpc-v2-cbor");
  return response;
}

// The four errors that SageMaker's model has a shape for spell their member as the shape does.
bool has_a_shape(std::string_view code) {
  return code == "ResourceInUse" || code == "ResourceNotFound" || code == "ResourceLimitExceeded" ||
         code == "ConflictException";
}

document::Value error_document(const Call& call, const AwsError& error) {
  document::Value body = document::make_object();
  body.set("__type", document::make_string(error.code.json));
  const bool shaped = call.service == Service::kSageMaker && has_a_shape(error.code.json);
  body.set(shaped ? "Message" : "message", document::make_string(error.message));
  return body;
}

std::string_view side_of(int status) { return status < 500 ? "Sender" : "Receiver"; }

}  // namespace

Call recognize(const http::Request& request) {
  if (request.method != "POST") return {};
  const std::string_view content_type = request.headers.find("content-type").value_or("");
  if (request.headers.find("smithy-protocol") == "rpc-v2-cbor") return cbor_call(request);
  if (request.path != "/") return {};
  if (const auto target = request.headers.find("x-amz-target"))
    return json_call(*target, content_type, request);
  if (content_type.starts_with("application/x-www-form-urlencoded")) return query_call(request);
  return {};
}

Result<document::Value> read_input(const Call& call, const http::Request& request) {
  auto input = call.protocol == Protocol::kQuery  ? read_form(request.body)
               : call.protocol == Protocol::kCbor
                   ? (request.body.empty() ? document::make_object() : read_cbor(request.body))
                   : read_json(request.body);
  if (input && input->kind != document::Kind::kObject)
    return failure(ErrorCode::kInvalidArgument,
                   "SerializationException: the body must be a structure, not " +
                       std::string(to_string(input->kind)));
  return input;
}

http::Response answer(const Call& call, Output output, std::string_view request_id) {
  switch (call.protocol) {
    case Protocol::kQuery:
      return respond(call, 200,
                     xml_answer(name_space_of(call), call.operation, output.value, request_id),
                     request_id);
    case Protocol::kCbor: return respond(call, 200, write_cbor(output.value), request_id);
    case Protocol::kJson11:
    case Protocol::kJson10:
    case Protocol::kNone: break;
  }
  return respond(call, 200,
                 output.ready_json.empty() ? document::write(output.value) : std::move(output.ready_json),
                 request_id);
}

http::Response refusal(const Call& call, const Error& error, std::string_view request_id) {
  const AwsError aws = aws_error(error);
  const bool query = call.protocol == Protocol::kQuery;
  int status = query ? aws.code.query_status : aws.code.json_status;
  const bool json = call.protocol == Protocol::kJson11 || call.protocol == Protocol::kJson10;
  if (json && status == 404) status = 400;
  const XmlError xml{side_of(status), query ? aws.code.query : aws.code.json, aws.message};
  if (query) return respond(call, status, xml_refusal(name_space_of(call), xml, request_id), request_id);
  if (call.protocol == Protocol::kNone)
    return respond(call, status, xml_plain_refusal(xml, request_id), request_id);
  const document::Value body = error_document(call, aws);
  auto response = respond(call, status, json ? document::write(body) : write_cbor(body), request_id);
  if (call.query_errors)
    response.headers.add("x-amzn-query-error",
                         std::string(aws.code.query) + ";" + std::string(side_of(status)));
  return response;
}

}  // namespace evener::wire
