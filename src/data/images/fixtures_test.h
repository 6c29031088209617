// The image files of testdata/, and transforms to decode them with.
//
// Used by:  tests of data/images.
// Threads:  one.
// Fails:    a missing file is an empty one.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "data/images/images.h"

namespace evener::data::images {

using Bytes = std::vector<std::byte>;

// Tests run in the root of the repository.
inline Bytes read_fixture(const std::string& name) {
  std::ifstream file("src/data/images/testdata/" + name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Bytes bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

inline std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("src/data/images/testdata")) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".jpg" || extension == ".png" || extension == ".webp") {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Made {
  Status status;
  Bytes pixels;
};

inline Made make(Decoder& decoder, const Bytes& file, const Facts& facts,
                 const Transform& transform) {
  Made made{ok(), Bytes(bytes_of(transform.out, transform.format))};
  made.status = decoder.decode(file, facts, transform, made.pixels);
  return made;
}

inline Made make_slowly(const Bytes& file, const Facts& facts, const Transform& transform) {
  Made made{ok(), Bytes(bytes_of(transform.out, transform.format))};
  made.status = decode_slowly(file, facts, transform, made.pixels);
  return made;
}

class Choices {
 public:
  explicit Choices(unsigned seed) : random_(seed) {}
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  float part(float low, float high) {
    return low + (high - low) * static_cast<float>(random_() % 10'000) / 10'000.0f;
  }
  Crop crop_of(Size image) {
    const int width = between(1, image.width);
    const int height = between(1, image.height);
    return {between(0, image.width - width), between(0, image.height - height), width, height};
  }

 private:
  std::mt19937 random_;
};

inline Transform plain_transform(const Crop& crop, Size out) {
  return {.region = region_of(crop), .out = out, .format = PixelFormat::kU8Hwc};
}

}  // namespace evener::data::images
