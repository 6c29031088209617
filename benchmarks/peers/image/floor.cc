// The floor of the image pipeline, plain code of one file: only the rows and columns that a crop
// needs are decoded (libjpeg-turbo), and each decoded row goes at once through an antialiased
// resize, flip and normalisation into its batch. One thread a core, no order, no checks.
//
//   image_floor --input DIR --cores N --seconds S --format f32|u8    prints what feed.py prints
//   image_floor --crops FILE --out FILE                              as the peers' programs
#include <fcntl.h>
#include <immintrin.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <jpeglib.h>

namespace {

constexpr int kSide = 224;
constexpr int kBatch = 64;
constexpr int kOpenRows = kSide;   // enough for a crop of one row
constexpr std::array<float, 4> kMean = {0.485F * 255, 0.456F * 255, 0.406F * 255, 0};
constexpr std::array<float, 4> kDeviation = {0.229F * 255, 0.224F * 255, 0.225F * 255, 1};

enum class Format { kFloats, kBytes };
enum class Flip { kNo, kYes };

struct Box {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};

// The triangle filter of one axis, as Pillow has it: each output is a weighted sum of `taps` inputs
// from `first` on. Taps are an even number; those beyond the filter weigh nothing.
struct Filter {
  int taps = 0;
  std::vector<int> first{};
  std::vector<int> count{};
  std::vector<float> weights{};

  void make(int inputs) {
    const double scale = static_cast<double>(inputs) / kSide;
    const double wide = std::max(scale, 1.0);
    taps = (static_cast<int>(std::ceil(wide)) * 2 + 2) & ~1;
    first.assign(kSide, 0);
    count.assign(kSide, 0);
    weights.assign(static_cast<std::size_t>(kSide * taps), 0.0F);
    for (int out = 0; out < kSide; ++out) {
      const double centre = (out + 0.5) * scale;
      const int begin = std::max(0, static_cast<int>(centre - wide + 0.5));
      const int end = std::min(inputs, static_cast<int>(centre + wide + 0.5));
      first[out] = begin;
      count[out] = std::min(end - begin, taps);
      float* weight = &weights[static_cast<std::size_t>(out * taps)];
      double sum = 0;
      for (int at = 0; at < count[out]; ++at) {
        const double distance = std::abs((begin + at - centre + 0.5) / wide);
        weight[at] = static_cast<float>(std::max(0.0, 1.0 - distance));
        sum += weight[at];
      }
      for (int at = 0; at < count[out]; ++at) weight[at] /= static_cast<float>(sum);
    }
  }
};

// One image being made: rows of RGBX in, finished rows out.
class Resize {
 public:
  Resize(Format format, Flip flip) : format_(format), flip_(flip) {}

  void begin(int width, int height, void* image) {
    across_.make(width);
    down_.make(height);
    image_ = image;
    next_ = 0;
    depth_ = 1;
    for (int out = 0, last = 0; out < kSide; ++out) {
      while (last < kSide && down_.first[last] < down_.first[out] + down_.count[out]) ++last;
      depth_ = std::max(depth_, last - out);
    }
  }

  // `pixels` has room to be read a few pixels beyond its width.
  void add(int row, const std::uint8_t* pixels) {
    shrink(pixels);
    for (int out = next_; out < kSide && down_.first[out] <= row; ++out) {
      const int at = row - down_.first[out];
      if (at >= down_.count[out]) continue;
      float* sums = sums_of(out);
      const __m256 weight = _mm256_set1_ps(down_.weights[out * down_.taps + at]);
      for (int i = 0; i < kSide * 4; i += 8) {
        const __m256 sum = _mm256_loadu_ps(sums + i);
        _mm256_storeu_ps(sums + i, _mm256_fmadd_ps(weight, _mm256_loadu_ps(line_ + i), sum));
      }
    }
    while (next_ < kSide && down_.first[next_] + down_.count[next_] - 1 <= row) finish(next_++);
  }

 private:
  // Two taps at a time: eight floats are two pixels.
  void shrink(const std::uint8_t* pixels) {
    const int taps = across_.taps;
    for (int out = 0; out < kSide; ++out) {
      const std::uint8_t* from = pixels + across_.first[out] * 4;
      const float* weight = &across_.weights[static_cast<std::size_t>(out * taps)];
      __m256 sum = _mm256_setzero_ps();
      const int count = across_.count[out];
      for (int at = 0; at < count; at += 2) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + at * 4));
        const __m256 values = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
        const __m256 both = _mm256_set_m128(_mm_set1_ps(weight[at + 1]), _mm_set1_ps(weight[at]));
        sum = _mm256_fmadd_ps(values, both, sum);
      }
      _mm_storeu_ps(line_ + out * 4,
                    _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1)));
    }
  }

  // The output rows that an input row has a part in follow each other: few are open at a time.
  float* sums_of(int row) { return &open_[static_cast<std::size_t>(row % depth_) * kSide * 4]; }

  void finish(int row) {
    float* sums = sums_of(row);
    if (format_ == Format::kFloats) {
      finish_floats(row, sums);
    } else {
      finish_bytes(row, sums);
    }
    std::fill_n(sums, kSide * 4, 0.0F);
  }

  void finish_floats(int row, const float* sums) {
    float* planes = static_cast<float*>(image_) + row * kSide;
    const __m128 mean = _mm_loadu_ps(kMean.data());
    const __m128 scale = _mm_div_ps(_mm_set1_ps(1), _mm_loadu_ps(kDeviation.data()));
    for (int x = 0; x < kSide; x += 4) {
      __m128 pixel[4];
      for (int i = 0; i < 4; ++i) {
        const int from = flip_ == Flip::kYes ? kSide - 1 - x - i : x + i;
        pixel[i] = _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(sums + from * 4), mean), scale);
      }
      _MM_TRANSPOSE4_PS(pixel[0], pixel[1], pixel[2], pixel[3]);
      for (int plane = 0; plane < 3; ++plane)
        _mm_storeu_ps(planes + plane * kSide * kSide + x, pixel[plane]);
    }
  }

  void finish_bytes(int row, const float* sums) {
    std::uint8_t* to = static_cast<std::uint8_t*>(image_) + row * kSide * 3;
    for (int x = 0; x < kSide; ++x) {
      const int from = flip_ == Flip::kYes ? kSide - 1 - x : x;
      const __m128i values = _mm_cvtps_epi32(_mm_loadu_ps(sums + from * 4));
      const __m128i bytes = _mm_packus_epi16(_mm_packs_epi32(values, values), values);
      const int four = _mm_cvtsi128_si32(bytes);
      std::memcpy(to + x * 3, &four, 3);
    }
  }

  const Format format_;
  Flip flip_;
  Filter across_;
  Filter down_;
  void* image_ = nullptr;
  int next_ = 0;
  int depth_ = 1;
  std::vector<float> open_ = std::vector<float>(static_cast<std::size_t>(kOpenRows) * kSide * 4);
  float line_[kSide * 4];

 public:
  void set_flip(Flip flip) { flip_ = flip; }
};

class Decoder {
 public:
  Decoder() {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&jpeg_);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&jpeg_); }

  // Sets up `path`; then width() and height() are known.
  void open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const off_t size = fd < 0 ? -1 : ::lseek(fd, 0, SEEK_END);
    file_.resize(static_cast<std::size_t>(std::max<off_t>(size, 0)));
    if (size < 0 || ::pread(fd, file_.data(), file_.size(), 0) != size) {
      std::perror(path.c_str());
      std::exit(1);
    }
    ::close(fd);
    jpeg_mem_src(&jpeg_, file_.data(), file_.size());
    jpeg_read_header(&jpeg_, TRUE);
    jpeg_.out_color_space = JCS_EXT_RGBX;
  }
  int width() const { return static_cast<int>(jpeg_.image_width); }
  int height() const { return static_cast<int>(jpeg_.image_height); }

  void into(Resize& resize, const Box& box, void* image) {
    jpeg_start_decompress(&jpeg_);
    JDIMENSION left = static_cast<JDIMENSION>(box.left);
    JDIMENSION width = static_cast<JDIMENSION>(box.width);
    jpeg_crop_scanline(&jpeg_, &left, &width);   // moves left to the begin of a block
    row_.resize((static_cast<std::size_t>(width) + 16) * 4);
    if (box.top > 0) jpeg_skip_scanlines(&jpeg_, static_cast<JDIMENSION>(box.top));
    resize.begin(box.width, box.height, image);
    JSAMPROW rows[1] = {row_.data()};
    const std::size_t skip = (static_cast<std::size_t>(box.left) - left) * 4;
    for (int row = 0; row < box.height; ++row) {
      jpeg_read_scanlines(&jpeg_, rows, 1);
      resize.add(row, row_.data() + skip);
    }
    jpeg_abort_decompress(&jpeg_);
  }

 private:
  jpeg_error_mgr errors_{};
  jpeg_decompress_struct jpeg_{};
  std::vector<std::uint8_t> file_;
  std::vector<JSAMPLE> row_;
};

// torchvision's RandomResizedCrop.
Box random_box(int width, int height, std::mt19937_64& dice) {
  std::uniform_real_distribution<double> part(0.08, 1.0);
  std::uniform_real_distribution<double> shape(std::log(3.0 / 4), std::log(4.0 / 3));
  for (int i = 0; i < 10; ++i) {
    const double area = static_cast<double>(width) * height * part(dice);
    const double ratio = std::exp(shape(dice));
    const int wide = static_cast<int>(std::lround(std::sqrt(area * ratio)));
    const int high = static_cast<int>(std::lround(std::sqrt(area / ratio)));
    if (wide <= 0 || wide > width || high <= 0 || high > height) continue;
    return {std::uniform_int_distribution<int>(0, width - wide)(dice),
            std::uniform_int_distribution<int>(0, height - high)(dice), wide, high};
  }
  const int side = std::min(width, height);
  return {(width - side) / 2, (height - side) / 2, side, side};
}

struct Options {
  std::string input{};
  int cores = 1;
  double seconds = 3;
  Format format = Format::kFloats;
  std::string crops{};
  std::string out{};
};

void work(const std::vector<std::string>& files, const Options& options, unsigned seed,
          const std::atomic<bool>& stop, std::atomic<long>& images) {
  std::mt19937_64 dice(seed);
  Decoder decoder;
  Resize resize(options.format, Flip::kNo);
  const std::size_t bytes =
      static_cast<std::size_t>(kSide) * kSide * 3 * (options.format == Format::kFloats ? 4 : 1);
  std::vector<std::uint8_t> batch(bytes * kBatch);
  for (std::size_t at = 0; !stop; at = (at + 1) % kBatch) {
    decoder.open(files[dice() % files.size()]);
    resize.set_flip(dice() % 2 == 0 ? Flip::kYes : Flip::kNo);
    decoder.into(resize, random_box(decoder.width(), decoder.height(), dice), &batch[at * bytes]);
    ++images;
  }
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int measure(const Options& options) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options.input))
    if (entry.path().extension() == ".jpg") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::atomic<bool> stop{false};
  std::atomic<long> images{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < options.cores; ++i)
    threads.emplace_back([&, i] { work(files, options, static_cast<unsigned>(i), stop, images); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const long before = images;
  const double cpu = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  const double made = static_cast<double>(images - before);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const double used = cpu_seconds() - cpu;
  stop = true;
  threads.clear();
  std::printf("{\"peer\": \"floor\", \"cores\": %d, \"format\": \"%s\", \"images_per_second\": %.1f, "
              "\"cpu_seconds_per_1000\": %.3f}\n",
              options.cores, options.format == Format::kFloats ? "f32" : "u8",
              made / seconds.count(), used / made * 1000);
  return 0;
}

// A line of the file of crops: {"path": "...", "left": 1, "top": 2, "width": 3, "height": 4}
int number_of(const std::string& line, const std::string& name) {
  const auto at = line.find("\"" + name + "\":");
  return at == std::string::npos ? 0 : std::atoi(line.c_str() + at + name.size() + 3);
}

int write_crops(const Options& options) {
  std::ifstream lines(options.crops);
  std::ofstream out(options.out, std::ios::binary);
  std::vector<char> image(static_cast<std::size_t>(kSide) * kSide * 3);
  Decoder decoder;
  Resize resize(Format::kBytes, Flip::kNo);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find("\"path\": \"") + 9;
    decoder.open(line.substr(begin, line.find('"', begin) - begin));
    decoder.into(resize,
                 {number_of(line, "left"), number_of(line, "top"), number_of(line, "width"),
                  number_of(line, "height")},
                 image.data());
    out.write(image.data(), static_cast<std::streamsize>(image.size()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--input") options.input = value;
    if (name == "--cores") options.cores = std::atoi(value.c_str());
    if (name == "--seconds") options.seconds = std::atof(value.c_str());
    if (name == "--format") options.format = value == "u8" ? Format::kBytes : Format::kFloats;
    if (name == "--crops") options.crops = value;
    if (name == "--out") options.out = value;
  }
  if (!options.crops.empty()) return write_crops(options);
  if (!options.input.empty()) return measure(options);
  std::fprintf(stderr, "image_floor --input DIR --cores N --seconds S --format f32|u8\n");
  return 2;
}
