#include <utility>

#include "data/client/client.h"

namespace evener::data::client {

Batch::Batch(std::shared_ptr<const FeedDescription> feed, std::shared_ptr<const std::byte> body,
             const transport::FrameHeader& header)
    : feed_(std::move(feed)),
      body_(std::move(body)),
      unit_(header.unit()),
      body_bytes_(header.body_bytes),
      samples_(header.samples) {}

std::vector<Tensor> Batch::tensors() const {
  std::vector<Tensor> tensors;
  if (feed_ == nullptr) return tensors;
  // The body was checked against this layout when it came.
  const auto layout = transport::layout(feed_->schema, samples_);
  if (!layout) return tensors;
  for (std::size_t i = 0; i < feed_->schema.fields.size(); ++i) {
    const transport::Field& field = feed_->schema.fields[i];
    Tensor tensor{field.name, field.dtype, {samples_}, body_.get() + layout->offsets[i],
                  transport::size_of(field.dtype) * samples_};
    for (const std::uint32_t axis : field.shape) {
      tensor.shape.push_back(axis);
      tensor.bytes *= axis;
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace evener::data::client
