#include "base/join_uri.h"
#include "training/jobs/spec.h"

namespace evener::jobs {

std::string result_uri(const JobSpec& spec, std::string_view tail) {
  return join_uri(join_uri(spec.output_uri, spec.name), tail);
}

std::string model_uri(const JobSpec& spec) {
  return result_uri(spec, spec.compress_output ? "output/model.tar.gz" : "output/model");
}

std::string output_data_uri(const JobSpec& spec) {
  return result_uri(spec, spec.compress_output ? "output/output.tar.gz" : "output/data");
}

}  // namespace evener::jobs
