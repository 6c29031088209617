// Written by tools/generate_constraints.py.
#include "service_model/service_model.h"

namespace evener::service_model {

std::string_view model_source() { return "botocore 1.44.8"; }

}  // namespace evener::service_model
