// The extension module evener._native.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/document.h"
#include "native/arrays.h"
#include "native/definitions.h"
#include "native/errors.h"
#include "native/reader.h"

namespace evener::python {
namespace {

namespace nb = nanobind;

ArrayKind array_kind(const std::string& name) {
  if (name == "numpy") return ArrayKind::kNumpy;
  if (name == "torch") return ArrayKind::kTorch;
  if (name == "dlpack") return ArrayKind::kDlpack;
  raise({ErrorCode::kInvalidArgument,
         "as_='" + name + "': arrays are 'numpy', 'torch' or 'dlpack'"});
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// The order is that of _native.pyi.
void make_reader(Reader* self, const std::string& address, const std::string& token,
                 const std::string& tls_ca, const std::string& feed,
                 const std::optional<std::string>& pipeline, std::uint32_t rank,
                 std::uint32_t ranks, std::uint32_t epoch, std::uint64_t batch,
                 std::uint64_t memory_bytes, bool shared_memory, double connect_seconds,
                 double patience_seconds, const std::string& as) {
  data::client::ReaderOptions options{.dispatcher = address};
  options.token = token;
  options.tls_authority = tls_ca;
  options.feed = feed;
  if (pipeline) {
    auto definition = document::read(*pipeline);
    if (!definition) raise(definition.error());
    options.pipeline = std::move(*definition);
  }
  options.rank = rank;
  options.ranks = ranks;
  options.from = {.epoch = epoch, .batch = batch};
  options.memory_bytes = memory_bytes;
  options.local = shared_memory ? data::client::LocalPath::kWhenPossible
                                : data::client::LocalPath::kNever;
  options.connect_timeout = milliseconds(connect_seconds);
  options.patience = milliseconds(patience_seconds);
  new (self) Reader(options, array_kind(as));
}

}  // namespace
}  // namespace evener::python

NB_MODULE(_native, module) {
  using namespace evener::python;   // NOLINT: the one line of a module's body
  namespace nb = nanobind;
  nb::set_leak_warnings(false);     // arrays may outlive the interpreter's orderly end
  nb::class_<Body>(module, "Body", nb::type_slots(body_slots));
  nb::class_<Reader>(module, "Reader")
      .def("__init__", make_reader, nb::kw_only(), nb::arg("address"), nb::arg("token"),
           nb::arg("tls_ca"), nb::arg("feed"), nb::arg("pipeline").none(), nb::arg("rank"),
           nb::arg("ranks"), nb::arg("epoch"), nb::arg("batch"), nb::arg("memory_bytes"),
           nb::arg("shared_memory"), nb::arg("connect_seconds"), nb::arg("patience_seconds"),
           nb::arg("as_"))
      .def("next", &Reader::next)
      .def("close", &Reader::close)
      .def("closed", &Reader::closed)
      .def("position", &Reader::position)
      .def("statistics", &Reader::statistics)
      .def("feed", &Reader::feed);
  module.def("read_definition", read_definition);
  module.def("read_toml_definition", read_toml_definition);
  module.def("fingerprint", fingerprint);
}
