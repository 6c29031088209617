#include "control_plane/wire/error_codes.h"

#include <algorithm>
#include <array>

namespace evener::wire {
namespace {

constexpr std::array kCodes{
    AwsCode{"ValidationException", 400, "ValidationError", 400},
    AwsCode{"ResourceInUse", 400, "ResourceInUse", 400},
    AwsCode{"ResourceNotFound", 400, "ResourceNotFound", 404},
    AwsCode{"ResourceNotFoundException", 400, "ResourceNotFound", 404},
    AwsCode{"ResourceLimitExceeded", 400, "LimitExceeded", 400},
    AwsCode{"ConflictException", 400, "Conflict", 409},
    AwsCode{"InvalidParameterException", 400, "InvalidParameter", 400},
    AwsCode{"InvalidParameterValueException", 400, "InvalidParameterValue", 400},
    AwsCode{"InvalidParameterCombinationException", 400, "InvalidParameterCombination", 400},
    AwsCode{"MissingRequiredParameterException", 400, "MissingParameter", 400},
    AwsCode{"InvalidNextToken", 400, "InvalidNextToken", 400},
    AwsCode{"NoSuchEntity", 404, "NoSuchEntity", 404},
    AwsCode{"ThrottlingException", 400, "Throttling", 400},
    AwsCode{"LimitExceededException", 400, "LimitExceeded", 400},
    AwsCode{"AccessDeniedException", 400, "AccessDenied", 403},
    AwsCode{"UnrecognizedClientException", 400, "InvalidClientTokenId", 403},
    AwsCode{"InvalidSignatureException", 400, "SignatureDoesNotMatch", 403},
    AwsCode{"IncompleteSignatureException", 400, "IncompleteSignature", 400},
    AwsCode{"MissingAuthenticationTokenException", 400, "MissingAuthenticationToken", 403},
    AwsCode{"ExpiredTokenException", 400, "ExpiredToken", 403},
    AwsCode{"RequestExpired", 400, "RequestExpired", 400},
    AwsCode{"UnknownOperationException", 404, "InvalidAction", 400},
    AwsCode{"SerializationException", 400, "MalformedQueryString", 400},
    AwsCode{"ServiceUnavailable", 503, "ServiceUnavailable", 503},
    AwsCode{"InternalFailure", 500, "InternalFailure", 500},
};

constexpr const AwsCode& kInternal = kCodes.back();

// By its name in either form, with or without "Exception".
const AwsCode* find(std::string_view name) {
  const auto named = [&](const AwsCode& code) {
    constexpr std::string_view kSuffix = "Exception";
    return code.json == name || code.query == name ||
           (code.json.ends_with(kSuffix) &&
            code.json.substr(0, code.json.size() - kSuffix.size()) == name);
  };
  const auto exact = std::ranges::find(kCodes, name, &AwsCode::json);
  const auto found = exact != kCodes.end() ? exact : std::ranges::find_if(kCodes, named);
  return found == kCodes.end() ? nullptr : &*found;
}

std::string_view code_of_class(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported: return "ValidationException";
    case ErrorCode::kNotFound: return "ResourceNotFound";
    case ErrorCode::kAlreadyExists: return "ResourceInUse";
    case ErrorCode::kPermissionDenied: return "AccessDeniedException";
    case ErrorCode::kLimitExceeded: return "ResourceLimitExceeded";
    case ErrorCode::kNoSpace:
    case ErrorCode::kUnavailable:
    case ErrorCode::kCancelled:
    case ErrorCode::kTimedOut: return "ServiceUnavailable";
    case ErrorCode::kCorrupt:
    case ErrorCode::kIo:
    case ErrorCode::kInternal: return kInternal.json;
  }
  return kInternal.json;
}

}  // namespace

AwsError aws_error(const Error& error) {
  const std::size_t colon = error.message.find(": ");
  if (colon != std::string::npos)
    if (const AwsCode* code = find(std::string_view(error.message).substr(0, colon)))
      return {*code, error.message.substr(colon + 2)};
  return {*find(code_of_class(error.code)), error.message};
}

}  // namespace evener::wire
