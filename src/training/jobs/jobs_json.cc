// The codecs: JSON text of specs, events and jobs. Unknown members are ignored and missing ones
// keep their defaults, so that a newer and an older program read each other's text.
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "training/jobs/fields.h"
#include "training/jobs/jobs.h"

namespace evener::jobs {
namespace {

using Json = nlohmann::json;

// Thrown only inside this file.
struct BadText {
  std::string what;
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
using StringMap = std::map<std::string, std::string>;

// ---- writing ---------------------------------------------------------------------------

template <class T>
Json encode(const T& value);

class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    json_[name] = encode(value);
  }
  Json take() { return std::move(json_); }

 private:
  Json json_ = Json::object();
};

template <class T>
Json encode(const T& value) {
  if constexpr (kIsOptional<T>) {
    return value ? encode(*value) : Json(nullptr);
  } else if constexpr (kIsVector<T>) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(encode(item));
    return list;
  } else if constexpr (std::is_same_v<T, StringMap>) {
    Json object = Json::object();
    for (const auto& [name, text] : value) object[name] = text;
    return object;
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(to_string(value));
  } else if constexpr (std::is_same_v<T, WallTime>) {
    return to_millis(value);
  } else if constexpr (std::is_same_v<T, std::chrono::seconds>) {
    return value.count();
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else {
    Writer writer;
    T copy = value;  // fields() serves both directions and so takes a mutable value
    fields(writer, copy);
    return writer.take();
  }
}

// Bytes that are not UTF-8 come out as U+FFFD.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// ---- reading ---------------------------------------------------------------------------

template <class T>
void decode(const Json& json, T& value);

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {
    if (!json.is_object()) throw BadText{"an object is missing"};
  }
  template <class T>
  void operator()(const char* name, T& value) {
    const auto found = json_.find(name);
    if (found == json_.end()) return;
    try {
      decode(*found, value);
    } catch (const BadText& bad) {
      throw BadText{std::string(name) + ": " + bad.what};
    }
  }

 private:
  const Json& json_;
};

template <class Enum>
Enum named(std::optional<Enum> found, const std::string& text) {
  if (!found) throw BadText{"unknown word " + text};
  return *found;
}
void decode_name(const std::string& s, JobStatus& v) { v = named(job_status_from(s), s); }
void decode_name(const std::string& s, SecondaryStatus& v) { v = named(secondary_status_from(s), s); }
void decode_name(const std::string& s, InputMode& v) { v = named(input_mode_from(s), s); }
void decode_name(const std::string& s, DataType& v) { v = named(data_type_from(s), s); }
void decode_name(const std::string& s, Distribution& v) { v = named(distribution_from(s), s); }
void decode_name(const std::string& s, Compression& v) { v = named(compression_from(s), s); }
void decode_name(const std::string& s, Fit& v) { v = named(fit_from(s), s); }
void decode_name(const std::string& s, Isolation& v) { v = named(isolation_from(s), s); }
void decode_name(const std::string& s, StopCause& v) { v = named(stop_cause_from(s), s); }

template <class Integer>
Integer integer_from(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
  } else if (json.is_number_integer()) {
    const auto number = json.get<std::int64_t>();
    if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
  }
  throw BadText{"not a number of this range"};
}

template <class T>
T checked(const Json& json) {
  const T* value = json.get_ptr<const T*>();
  if (!value) throw BadText{"of another type"};
  return *value;
}

void decode_double(const Json& json, double& value) {
  if (json.is_null()) return;  // how JSON writes a number that is not finite
  if (!json.is_number()) throw BadText{"not a number"};
  value = json.get<double>();
}

void decode_map(const Json& json, StringMap& value) {
  if (!json.is_object()) throw BadText{"not an object"};
  value.clear();
  for (const auto& [name, text] : json.items()) value[name] = checked<std::string>(text);
}

template <class T>
void decode(const Json& json, T& value) {
  if constexpr (kIsOptional<T>) {
    value.reset();
    if (!json.is_null()) decode(json, value.emplace());
  } else if constexpr (kIsVector<T>) {
    if (!json.is_array()) throw BadText{"not a list"};
    value.clear();
    value.reserve(json.size());
    for (const Json& item : json) decode(item, value.emplace_back());
  } else if constexpr (std::is_same_v<T, StringMap>) {
    decode_map(json, value);
  } else if constexpr (std::is_enum_v<T>) {
    decode_name(checked<std::string>(json), value);
  } else if constexpr (std::is_same_v<T, WallTime>) {
    value = from_millis(integer_from<std::int64_t>(json));
  } else if constexpr (std::is_same_v<T, std::chrono::seconds>) {
    value = std::chrono::seconds(integer_from<std::int64_t>(json));
  } else if constexpr (std::is_same_v<T, bool>) {
    value = checked<bool>(json);
  } else if constexpr (std::is_same_v<T, double>) {
    decode_double(json, value);
  } else if constexpr (std::is_integral_v<T>) {
    value = integer_from<T>(json);
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = checked<std::string>(json);
  } else {
    Reader reader(json);
    fields(reader, value);
  }
}

// The variant's alternative called `kind`, read from `body`.
template <std::size_t I = 0>
JobChange change_from(const std::string& kind, const Json& body) {
  if constexpr (I == std::variant_size_v<JobChange>) {
    throw BadText{"unknown kind " + kind};
  } else {
    JobChange change(std::in_place_index<I>);
    if (kind_of(change) != kind) return change_from<I + 1>(kind, body);
    decode(body, std::get<I>(change));
    return change;
  }
}

template <class T, class Decode>
Result<T> read(std::string_view text, const char* what, Decode decode_all) {
  const Json json = Json::parse(text, nullptr, false);
  try {
    if (json.is_discarded()) throw BadText{"not JSON"};
    if (!json.is_object()) throw BadText{"not an object"};
    return decode_all(json);
  } catch (const BadText& bad) {
    return failure(ErrorCode::kCorrupt,
                   "stored " + std::string(what) + " cannot be read: " + bad.what);
  }
}

const Json& member(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) throw BadText{std::string(name) + " is missing"};
  return *found;
}

}  // namespace

std::string to_json(const JobEvent& event) {
  Json json = Json::object();
  json["job"] = event.job;
  json["time_ms"] = to_millis(event.time);
  json["position"] = event.journal_position;
  json["kind"] = std::string(kind_of(event.change));
  json["body"] = std::visit([](const auto& change) { return encode(change); }, event.change);
  return text_of(json);
}

Result<JobEvent> event_from_json(std::string_view text) {
  return read<JobEvent>(text, "event", [](const Json& json) {
    JobEvent event;
    decode(member(json, "job"), event.job);
    decode(member(json, "time_ms"), event.time);
    decode(member(json, "position"), event.journal_position);
    event.change = change_from(checked<std::string>(member(json, "kind")), member(json, "body"));
    return event;
  });
}

std::string to_json(const JobSpec& spec) { return text_of(encode(spec)); }

Result<JobSpec> spec_from_json(std::string_view text) {
  return read<JobSpec>(text, "job specification", [](const Json& json) {
    JobSpec spec;
    member(json, "name");
    decode(json, spec);
    return spec;
  });
}

std::string to_json(const TrainingJob& job) { return text_of(encode(job)); }

Result<TrainingJob> job_from_json(std::string_view text) {
  return read<TrainingJob>(text, "job", [](const Json& json) {
    TrainingJob job;
    member(json, "spec");
    decode(json, job);
    if (job.transitions.empty()) throw BadText{"transitions: there are none"};
    return job;
  });
}

}  // namespace evener::jobs
