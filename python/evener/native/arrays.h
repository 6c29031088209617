// Batches as dicts of arrays that share the batch's memory.
//
// Used by:  module.cc.
// Threads:  with Python's lock held; one ArrayMaker a reader.
// Fails:    nanobind::python_error, with what Python raised.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include "data/client/client.h"

namespace evener::python {

// The bytes of one batch by Python's buffer protocol; arrays of it keep it.
struct Body {
  data::client::Batch batch;
};
// Slots of its Python type.
extern PyType_Slot body_slots[];

enum class ArrayKind { kNumpy, kTorch, kDlpack };

// What is the same for all full batches of a feed is made once.
class ArrayMaker {
 public:
  ArrayMaker(const data::client::FeedDescription& feed, ArrayKind kind);
  nanobind::object arrays(data::client::Batch batch);

 private:
  struct Field {
    nanobind::object name;
    nanobind::object numpy_type;
    nanobind::object full_shape;            // a tuple, with the batch axis
    std::vector<std::size_t> shape;         // without the batch axis
    nanobind::dlpack::dtype dlpack_type;
  };
  nanobind::object numpy_array(const Field& field, std::uint32_t samples, std::uint64_t offset,
                               nanobind::handle body) const;
  nanobind::object tensor(const Field& field, std::uint32_t samples, std::uint64_t offset,
                          nanobind::handle body, const data::client::Batch& batch) const;

  ArrayKind kind_;
  std::uint32_t batch_size_;
  data::transport::Schema schema_;
  std::vector<std::uint64_t> full_offsets_;
  std::vector<Field> fields_;
  nanobind::object numpy_ndarray_;
};

}  // namespace evener::python
