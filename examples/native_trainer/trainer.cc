// A trainer in C++: a linear classifier of photographs, fed by the data service.
//
//   native_trainer DISPATCHER PIPELINE.toml CLASSES [TOKEN-FILE]
//
// Batches come without a copy: the image tensor is float32 [samples, 3, height, width], the label
// int64 [samples]. It prints the mean loss and accuracy of each epoch.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "data/client/client.h"
#include "data/pipeline/pipeline.h"
#include "os/file_system.h"

namespace {

using namespace evener;

constexpr float kLearningRate = 0.002F;

// Softmax regression: logits = pixels x weights + bias, one step of gradient descent a batch.
class Classifier {
 public:
  Classifier(std::size_t pixels, std::size_t classes)
      : pixels_(pixels), classes_(classes), weights_(classes * (pixels + 1)) {}

  struct Score {
    double loss = 0;            // summed over the samples
    std::uint64_t right = 0;
    std::uint64_t samples = 0;
  };

  Score step(std::span<const float> images, std::span<const std::int64_t> labels) {
    Score score;
    std::vector<float> gradient(weights_.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      look_at(images.subspan(i * pixels_, pixels_), static_cast<std::size_t>(labels[i]), gradient,
              score);
    const float rate = kLearningRate / static_cast<float>(labels.size());
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] -= rate * gradient[i];
    return score;
  }

 private:
  void look_at(std::span<const float> image, std::size_t label, std::vector<float>& gradient,
               Score& score) const {
    std::vector<float> chance(classes_);
    for (std::size_t c = 0; c < classes_; ++c) {
      const float* weights = &weights_[c * (pixels_ + 1)];
      chance[c] = weights[pixels_];
      for (std::size_t p = 0; p < pixels_; ++p) chance[c] += weights[p] * image[p];
    }
    const auto best = std::max_element(chance.begin(), chance.end());
    const float top = *best;
    score.right += static_cast<std::size_t>(best - chance.begin()) == label ? 1 : 0;
    float sum = 0;
    for (float& one : chance) sum += one = std::exp(one - top);
    for (float& one : chance) one /= sum;
    score.loss -= std::log(std::max(chance[label], 1e-12F));
    ++score.samples;
    chance[label] -= 1;
    for (std::size_t c = 0; c < classes_; ++c) {
      float* into = &gradient[c * (pixels_ + 1)];
      for (std::size_t p = 0; p < pixels_; ++p) into[p] += chance[c] * image[p];
      into[pixels_] += chance[c];
    }
  }

  std::size_t pixels_;
  std::size_t classes_;
  std::vector<float> weights_;          // [classes][pixels + 1], the bias last
};

template <typename T>
std::span<const T> values(const data::client::Tensor& tensor) {
  return {reinterpret_cast<const T*>(tensor.data), tensor.bytes / sizeof(T)};
}

Status train(data::client::Reader& reader, std::size_t classes) {
  std::vector<Classifier> model;        // made when the first batch tells the size of an image
  Classifier::Score score;
  std::uint32_t epoch = 0;
  const auto report = [&] {
    if (score.samples == 0) return;
    const auto count = static_cast<double>(score.samples);
    std::printf("epoch=%u; loss=%.4f; accuracy=%.3f;\n", epoch, score.loss / count,
                static_cast<double>(score.right) / count);
    score = {};
  };
  while (true) {
    auto batch = reader.next();
    if (!batch) return tl::unexpected(std::move(batch.error()));
    if (!*batch) break;
    if ((*batch)->epoch() != epoch) report();
    epoch = (*batch)->epoch();
    const auto tensors = (*batch)->tensors();
    const auto images = values<float>(tensors[0]);
    const auto labels = values<std::int64_t>(tensors[1]);
    for (const std::int64_t label : labels)
      if (label < 0 || static_cast<std::size_t>(label) >= classes)
        return failure(ErrorCode::kInvalidArgument,
                       "label " + std::to_string(label) + " is none of the classes that were named");
    if (model.empty()) model.emplace_back(images.size() / labels.size(), classes);
    const Classifier::Score one = model.front().step(images, labels);
    score.loss += one.loss;
    score.right += one.right;
    score.samples += one.samples;
  }
  report();
  return ok();
}

struct Arguments {
  std::string dispatcher;
  std::string pipeline;
  std::size_t classes = 0;
  std::string token_file;               // "": none is needed on loopback
};

Result<std::string> token_in(os::FileSystem& files, const std::string& path) {
  if (path.empty()) return std::string();
  auto text = os::read_text(files, path, 4096);
  if (!text) return text;
  return text->substr(0, text->find_first_of("\r\n"));
}

Result<data::client::ReaderOptions> options_from(const Arguments& arguments) {
  const std::string& pipeline = arguments.pipeline;
  auto files = os::make_real_file_system();
  auto text = os::read_text(*files, pipeline, data::pipeline::kMaxDefinitionBytes);
  if (!text) return tl::unexpected(std::move(text.error()));
  const auto folder = std::filesystem::absolute(pipeline).parent_path();
  auto definition = data::pipeline::read_toml_definition(*text, pipeline, folder.string());
  if (!definition) return tl::unexpected(std::move(definition.error()));
  auto token = token_in(*files, arguments.token_file);
  if (!token) return tl::unexpected(std::move(token.error()));
  return data::client::ReaderOptions{.dispatcher = arguments.dispatcher,
                                     .token = std::move(*token),
                                     .pipeline = to_document(*definition)};
}

Status run(const Arguments& arguments) {
  auto options = options_from(arguments);
  if (!options) return tl::unexpected(std::move(options.error()));
  const SystemClock clock;
  auto reader = data::client::Reader::open(std::move(*options), clock);
  if (!reader) return tl::unexpected(std::move(reader.error()));
  return train(**reader, arguments.classes);
}

// 0: not a number of classes.
std::size_t classes_from(std::string_view word) {
  std::size_t classes = 0;
  const auto end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, classes);
  return error == std::errc() && rest == end ? classes : 0;
}

}  // namespace

int main(int count, char** words) {
  const std::span<char*> given(words, static_cast<std::size_t>(count));
  const std::size_t classes = count == 4 || count == 5 ? classes_from(given[3]) : 0;
  if (classes == 0) {
    std::fprintf(stderr, "usage: native_trainer DISPATCHER PIPELINE.toml CLASSES [TOKEN-FILE]\n");
    return 2;
  }
  const evener::Status status =
      run({given[1], given[2], classes, count == 5 ? given[4] : ""});
  if (status) return 0;
  std::fprintf(stderr, "native_trainer: %s\n", status.error().message.c_str());
  return 1;
}
