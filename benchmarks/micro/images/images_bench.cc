// One core: photographs to crops, in stages, beside decoding alone.
//
//   images_bench FOLDER [--seconds 2] [--rounds 5] [--only STAGE]
//
// Every round runs every stage on the same files and crops, so that a busy machine slows all of
// them. A result line holds images a second of processor time of each round, and the median's ratio
// to the first stage's: decoding of what the crop needs, which every program has to do.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "data/images/images.h"
#include "floor.h"

namespace {

using namespace evener;
using namespace evener::data::images;
namespace fs = std::filesystem;

constexpr Size kOut{224, 224};

struct Photo {
  fs::path path;
  std::vector<std::byte> bytes;
  Facts facts;
  Transform transform;
};

std::vector<std::byte> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(fs::file_size(path));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

Transform draw_transform(const Facts& facts, std::mt19937& random) {
  std::array<double, kCropDraws> draws;
  for (double& draw : draws) draw = static_cast<double>(random()) / 4294967296.0;
  const Crop crop = random_resized_crop(facts.size, {}, draws);
  return {.region = region_of(crop),
          .out = kOut,
          .flip = random() % 2 == 0 ? Flip::kNone : Flip::kHorizontal,
          .jitter = std::nullopt,
          .mean = {0.485f, 0.456f, 0.406f},
          .std = {0.229f, 0.224f, 0.225f}};
}

std::vector<Photo> load(const char* folder) {
  std::vector<Photo> photos;
  for (const auto& entry : fs::directory_iterator(folder)) photos.push_back({entry.path(), {}, {}, {}});
  std::sort(photos.begin(), photos.end(),
            [](const Photo& a, const Photo& b) { return a.path < b.path; });
  std::mt19937 random(1);
  for (Photo& photo : photos) {
    photo.bytes = read_file(photo.path);
    const auto facts = probe(photo.bytes, Orientation::kAsStored);
    if (!facts) {
      std::fprintf(stderr, "%s: %s\n", photo.path.c_str(), facts.error().message.c_str());
      std::exit(1);
    }
    photo.facts = *facts;
    photo.transform = draw_transform(*facts, random);
  }
  return photos;
}

struct Stage {
  std::string_view name;
  std::function<void(const Photo&)> run;
  std::vector<double> rates = {};  // images a second of processor time
};

// Of one thread's time on a processor, so that another program's share does not count.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double rate_of(const Stage& stage, const std::vector<Photo>& photos, double seconds) {
  const double begin = cpu_seconds();
  std::size_t done = 0;
  double passed = 0;
  while (passed < seconds) {
    stage.run(photos[done++ % photos.size()]);
    passed = cpu_seconds() - begin;
  }
  return static_cast<double>(done) / passed;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A batch's places, aligned as they are in a worker, so that writing goes where it goes there: to
// memory, not to a cache.
class Slots {
 public:
  std::span<std::byte> next(PixelFormat format) {
    std::byte* slot = first_ + place_++ % kCount * bytes_of(kOut, PixelFormat::kF32Chw);
    return {slot, bytes_of(kOut, format)};
  }

 private:
  static constexpr std::size_t kCount = 64;
  static constexpr std::size_t kAlignment = 64;

  std::vector<std::byte> memory_ =
      std::vector<std::byte>(kCount * bytes_of(kOut, PixelFormat::kF32Chw) + kAlignment);
  std::byte* first_ = memory_.data() + kAlignment -
                      reinterpret_cast<std::uintptr_t>(memory_.data()) % kAlignment;
  std::size_t place_ = 0;
};

void must(const Status& status, const Photo& photo) {
  if (status) return;
  std::fprintf(stderr, "%s: %s\n", photo.path.c_str(), status.error().message.c_str());
  std::exit(1);
}

std::vector<Stage> make_stages(Decoder& decoder, Decoder& plain, bench::Floor& floor,
                               Slots& slots) {
  const auto decode = [&slots](Decoder& with, PixelFormat format, const Photo& photo) {
    Transform transform = photo.transform;
    transform.format = format;
    must(with.decode(photo.bytes, photo.facts, transform, slots.next(format)), photo);
  };
  return {
      {"decode only", [&floor](const Photo& p) { floor.run(p.bytes, p.transform.region.pixels); }},
      {"f32", [=, &decoder](const Photo& p) { decode(decoder, PixelFormat::kF32Chw, p); }},
      {"u8", [=, &decoder](const Photo& p) { decode(decoder, PixelFormat::kU8Hwc, p); }},
      {"f16", [=, &decoder](const Photo& p) { decode(decoder, PixelFormat::kF16Chw, p); }},
      {"f32, plain code", [=, &plain](const Photo& p) { decode(plain, PixelFormat::kF32Chw, p); }},
      {"f32, jitter",
       [&decoder, &slots](const Photo& p) {
         Transform transform = p.transform;
         transform.jitter = {.brightness = 1.2f, .contrast = 0.8f, .saturation = 1.3f, .hue = 0.05f};
         must(decoder.decode(p.bytes, p.facts, transform, slots.next(PixelFormat::kF32Chw)), p);
       }},
      {"read", [](const Photo& p) { read_file(p.path); }},
      {"probe", [](const Photo& p) { (void)probe(p.bytes, Orientation::kUpright); }},
  };
}

void report_rates(std::vector<Stage>& stages) {
  const double decode = median(stages.front().rates);
  for (const Stage& stage : stages) {
    std::printf("{\"measured\": \"%s\", \"images_per_second\": %.1f, \"of_decode\": %.3f, "
                "\"samples\": [",
                std::string(stage.name).c_str(), median(stage.rates), median(stage.rates) / decode);
    for (std::size_t i = 0; i < stage.rates.size(); ++i) {
      std::printf("%s%.1f", i == 0 ? "" : ", ", stage.rates[i]);
    }
    std::printf("]}\n");
  }
}

void report_quality(const std::vector<Photo>& photos, Decoder& decoder) {
  std::vector<std::byte> ours(bytes_of(kOut, PixelFormat::kF32Chw));
  std::vector<std::byte> reference = ours;
  std::vector<double> psnr;
  for (std::size_t i = 0; i < std::min<std::size_t>(photos.size(), 50); ++i) {
    const Photo& photo = photos[i];
    must(decoder.decode(photo.bytes, photo.facts, photo.transform, ours), photo);
    must(decode_slowly(photo.bytes, photo.facts, photo.transform, reference), photo);
    psnr.push_back(psnr_db(ours, reference, photo.transform));
  }
  std::printf("{\"measured\": \"psnr\", \"median_db\": %.1f, \"least_db\": %.1f}\n", median(psnr),
              *std::min_element(psnr.begin(), psnr.end()));
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 2;
  int rounds = 5;
  std::string_view only;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--seconds") seconds = std::atof(argv[i + 1]);
    if (std::string_view(argv[i]) == "--rounds") rounds = std::atoi(argv[i + 1]);
    if (std::string_view(argv[i]) == "--only") only = argv[i + 1];
  }
  if (argc < 2 || seconds <= 0 || rounds < 1) {
    std::fprintf(stderr, "usage: images_bench FOLDER [--seconds S] [--rounds N]\n");
    return 2;
  }
  const std::vector<Photo> photos = load(argv[1]);
  if (photos.empty()) {
    std::fprintf(stderr, "images_bench: no files in %s\n", argv[1]);
    return 1;
  }
  Decoder decoder;
  Decoder plain({.instructions = Instructions::kPlain});
  bench::Floor floor;
  Slots slots;
  std::vector<Stage> stages = make_stages(decoder, plain, floor, slots);
  if (!only.empty()) std::erase_if(stages, [&](const Stage& stage) { return stage.name != only; });
  if (stages.empty()) {
    std::fprintf(stderr, "images_bench: there is no such stage\n");
    return 2;
  }
  for (int round = 0; round < rounds; ++round) {
    for (Stage& stage : stages) stage.rates.push_back(rate_of(stage, photos, seconds));
  }
  report_rates(stages);
  if (only.empty()) report_quality(photos, decoder);
  return 0;
}
