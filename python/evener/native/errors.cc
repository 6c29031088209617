#include "native/errors.h"

#include <nanobind/nanobind.h>

namespace evener::python {

namespace nb = nanobind;

namespace {

[[noreturn]] void raise_data_error(const Error& error, const nb::dict& members) {
  const nb::object type = nb::module_::import_("evener.data.errors").attr("DataError");
  members["code"] = std::string(to_string(error.code)).c_str();
  const nb::object raised = type(nb::str(error.message.c_str(), error.message.size()), **members);
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw nb::python_error();
}

}  // namespace

void raise(const Error& error) { raise_data_error(error, nb::dict()); }

void raise_failed_unit(const data::client::FailedUnit& failed) {
  nb::list samples;
  for (const std::uint64_t sample : failed.samples) samples.append(sample);
  nb::dict members;
  members["epoch"] = failed.unit.epoch;
  members["batch"] = failed.unit.batch;
  members["samples"] = samples;
  members["worker"] = failed.worker;
  raise_data_error(failed.error, members);
}

void raise_pipeline_error(const Error& error) {
  const nb::object type = nb::module_::import_("evener.data.errors").attr("PipelineError");
  PyErr_SetString(type.ptr(), error.message.c_str());
  throw nb::python_error();
}

void raise_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace evener::python
