#include "native/arrays.h"

#include <string>

#include "base/check.h"

namespace evener::python {
namespace {

namespace nb = nanobind;
namespace transport = data::transport;

int get_buffer(PyObject* object, Py_buffer* view, int flags) {
  const data::client::Batch& batch = nb::inst_ptr<Body>(nb::handle(object))->batch;
  // The batch is the trainer's until it is dropped, so its bytes may change in place.
  void* bytes = const_cast<std::byte*>(batch.memory().get());
  return PyBuffer_FillInfo(view, object, bytes, static_cast<Py_ssize_t>(batch.body_bytes()), 0,
                           flags);
}

nb::dlpack::dtype dlpack_type_of(transport::DType dtype) {
  const auto type = [&](nb::dlpack::dtype_code code) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code),
                             static_cast<std::uint8_t>(8 * transport::size_of(dtype)), 1};
  };
  switch (dtype) {
    case transport::DType::kU8: return type(nb::dlpack::dtype_code::UInt);
    case transport::DType::kI8:
    case transport::DType::kI16:
    case transport::DType::kI32:
    case transport::DType::kI64: return type(nb::dlpack::dtype_code::Int);
    case transport::DType::kF16:
    case transport::DType::kF32:
    case transport::DType::kF64: return type(nb::dlpack::dtype_code::Float);
    case transport::DType::kBool: return type(nb::dlpack::dtype_code::Bool);
  }
  return {};
}

nb::object checked(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

nb::object shape_tuple(std::uint32_t samples, const std::vector<std::size_t>& shape) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(shape.size() + 1)));
  PyTuple_SET_ITEM(tuple.ptr(), 0, PyLong_FromUnsignedLong(samples));
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(axis + 1),
                     PyLong_FromSize_t(shape[axis]));
  }
  return tuple;
}

}  // namespace

PyType_Slot body_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {0, nullptr},
};

ArrayMaker::ArrayMaker(const data::client::FeedDescription& feed, ArrayKind kind)
    : kind_(kind), batch_size_(feed.batch_size), schema_(feed.schema) {
  const auto layout = transport::layout(schema_, batch_size_);
  CHECK(layout.has_value(), "the reader has checked its schema");
  full_offsets_ = layout->offsets;
  nb::object numpy_dtype;
  if (kind_ == ArrayKind::kNumpy) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    numpy_ndarray_ = numpy.attr("ndarray");
    numpy_dtype = numpy.attr("dtype");
  }
  for (const transport::Field& field : schema_.fields) {
    Field made;
    made.name = checked(PyUnicode_InternFromString(field.name.c_str()));
    if (kind_ == ArrayKind::kNumpy) {
      made.numpy_type = numpy_dtype(std::string(transport::to_string(field.dtype)).c_str());
    }
    made.shape.assign(field.shape.begin(), field.shape.end());
    made.full_shape = shape_tuple(batch_size_, made.shape);
    made.dlpack_type = dlpack_type_of(field.dtype);
    fields_.push_back(std::move(made));
  }
}

nb::object ArrayMaker::arrays(data::client::Batch batch) {
  const std::uint32_t samples = batch.samples();
  const data::client::Batch kept = batch;
  const nb::object body = nb::cast(Body{std::move(batch)});
  std::vector<std::uint64_t> offsets;
  if (samples != batch_size_) {
    const auto layout = transport::layout(schema_, samples);
    CHECK(layout.has_value(), "fewer samples than a full batch");
    offsets = layout->offsets;
  }
  const std::vector<std::uint64_t>& used = samples == batch_size_ ? full_offsets_ : offsets;
  nb::object dict = checked(PyDict_New());
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const nb::object array = kind_ == ArrayKind::kNumpy
                                 ? numpy_array(fields_[i], samples, used[i], body)
                                 : tensor(fields_[i], samples, used[i], body, kept);
    if (PyDict_SetItem(dict.ptr(), fields_[i].name.ptr(), array.ptr()) != 0) {
      throw nb::python_error();
    }
  }
  return dict;
}

// numpy.ndarray(shape, dtype, buffer, offset): the cheapest way that needs no header of numpy.
nb::object ArrayMaker::numpy_array(const Field& field, std::uint32_t samples, std::uint64_t offset,
                                   nb::handle body) const {
  const nb::object shape =
      samples == batch_size_ ? field.full_shape : shape_tuple(samples, field.shape);
  const nb::object place = checked(PyLong_FromUnsignedLongLong(offset));
  PyObject* arguments[] = {shape.ptr(), field.numpy_type.ptr(), body.ptr(), place.ptr()};
  return checked(PyObject_Vectorcall(numpy_ndarray_.ptr(), arguments, 4, nullptr));
}

nb::object ArrayMaker::tensor(const Field& field, std::uint32_t samples, std::uint64_t offset,
                              nb::handle body, const data::client::Batch& batch) const {
  std::vector<std::size_t> shape{samples};
  shape.insert(shape.end(), field.shape.begin(), field.shape.end());
  void* bytes = const_cast<std::byte*>(batch.memory().get()) + offset;
  if (kind_ == ArrayKind::kTorch) {
    return nb::cast(nb::ndarray<nb::pytorch>(bytes, shape.size(), shape.data(), body, nullptr,
                                             field.dlpack_type));
  }
  return nb::cast(nb::ndarray<nb::array_api>(bytes, shape.size(), shape.data(), body, nullptr,
                                             field.dlpack_type));
}

}  // namespace evener::python
