#include "data/pipeline/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "data/sources/source_lab_test.h"
#include "http/sigv4/sigv4.h"

namespace evener::data::pipeline {
namespace {

using Bytes = std::vector<std::byte>;

std::string photograph(const std::string& name) {
  std::ifstream file("src/data/images/testdata/" + name, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

const std::string kPhotographs = R"(seed = 5
epochs = 2
on_error = "raise"
[source]
kind = "images"
location = "/d"
[[stage]]
name = "random_resized_crop"
size = [24, 32]
[[stage]]
name = "flip"
[[stage]]
name = "colour_jitter"
brightness = 0.2
hue = 0.1
[[stage]]
name = "normalise"
mean = [0.5, 0.5, 0.5]
std = [0.2, 0.2, 0.2]
[batch]
size = 8
last = "short"
)";

std::string with(std::string text, std::string_view old_text, std::string_view new_text) {
  const auto at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return text.replace(at, old_text.size(), new_text);
}

struct Batch {
  Bytes body;
  std::uint32_t samples = 0;
};

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    const std::vector<std::string> names = {"base_420.jpg", "base_444.jpg", "progressive.jpg",
                                            "cmyk.jpg",     "gray.jpg",     "deep.png",
                                            "alpha.png",    "lossy.webp",   "turned.jpg"};
    for (int i = 0; i < 18; ++i) {
      const std::string& name = names[static_cast<std::size_t>(i) % names.size()];
      lab_.put("/d/class" + std::to_string(i % 3) + "/" + std::to_string(i) + name.substr(name.rfind('.')),
               photograph(name));
    }
  }

  Result<std::shared_ptr<const Program>> compile(const std::string& text) {
    auto definition = read_toml_definition(text, "p.toml", "/");
    if (!definition) return tl::unexpected(definition.error());
    return Program::compile(*definition, lab_.stores);
  }

  // A batch made by so many threads, each taking the next row.
  Result<Batch> make(const Program& program, Unit unit, unsigned threads) {
    Batch batch{Bytes(program.body_bytes(), std::byte{0xEE})};
    std::atomic<std::uint32_t> next{0};
    Mutex mutex;
    std::vector<std::uint32_t> skipped;
    std::optional<Error> error;
    faults_.clear();
    {
      std::vector<std::jthread> pool;
      for (unsigned i = 0; i < threads; ++i) {
        pool.emplace_back([&] {
          Lane lane(clock_);
          for (std::uint32_t slot = next++; slot < program.slots(unit); slot = next++) {
            const auto made = program.make(lane, {unit, slot}, batch.body);
            const MutexLock lock(mutex);
            if (!made) error = made.error();
            if (made && *made == Made::kSkipped) skipped.push_back(slot);
          }
          const MutexLock lock(mutex);
          for (const Fault& fault : lane.faults) faults_.push_back(fault.id + ": " + fault.message);
        });
      }
    }
    if (error) return tl::unexpected(*error);
    batch.samples = program.finish(unit, skipped, batch.body).samples;
    return batch;
  }
  static std::string hash(const Program& program, const Batch& batch) {
    const auto layout = transport::layout(program.schema(), batch.samples).value();
    return http::sha256_hex(
        std::string_view(reinterpret_cast<const char*>(batch.body.data()), layout.body_bytes));
  }
  static std::vector<std::int64_t> labels(const Program& program, const Batch& batch) {
    const auto layout = transport::layout(program.schema(), batch.samples).value();
    std::vector<std::int64_t> found(batch.samples);
    std::memcpy(found.data(), batch.body.data() + layout.offsets[1], batch.samples * sizeof(std::int64_t));
    return found;
  }

  SystemClock clock_;
  sources::SourceLab lab_;
  std::vector<std::string> faults_;
};

// The promise of the data service: these bytes, whoever makes them. A change here is a change of
// every training run that is repeated.
TEST_F(ProgramTest, MakesTheSameBytesWithAnyNumberOfThreads) {
  const auto program = compile(kPhotographs);
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ((*program)->batches_per_epoch(), 3u);
  for (const auto& [unit, expected] :
       {std::pair{Unit{0, 0}, "ba3328c2a16c2aa591e3e068de4a9433cdb5475f77b694d1026f90417d979941"},
        {Unit{0, 2}, "f5fed778ab97e9440a8ff1ac757ad3821c7127c312656220cb9b5e17f9d27bb9"},
        {Unit{1, 1}, "05de28ce901f0b1c212ee1795b92ade0db00a40835fc27f70004b9358ff5dbdf"}}) {
    for (const unsigned threads : {1u, 2u, 7u}) {
      const auto batch = make(**program, unit, threads);
      ASSERT_TRUE(batch) << batch.error().message;
      EXPECT_EQ(hash(**program, *batch), expected) << to_string(unit) << ", " << threads;
    }
  }
}

TEST_F(ProgramTest, GivesEverySampleOfAnEpochOnce) {
  const auto program = compile(kPhotographs).value();
  Lane lane(clock_);
  for (const std::uint32_t epoch : {0u, 1u}) {
    std::multiset<std::uint64_t> samples;
    for (std::uint64_t batch = 0; batch < 3; ++batch)
      for (std::uint32_t slot = 0; slot < program->slots({epoch, batch}); ++slot)
        samples.insert(program->sample_at(lane, {{epoch, batch}, slot}));
    std::multiset<std::uint64_t> all;
    for (std::uint64_t i = 0; i < 18; ++i) all.insert(i);
    EXPECT_EQ(samples, all);
  }
}

TEST_F(ProgramTest, EndsAnEpochShortOrPaddedOrEarly) {
  const auto whole = compile(with(kPhotographs, "\"short\"", "\"pad\"")).value();
  const auto padded = make(*whole, {0, 2}, 2).value();
  EXPECT_EQ(padded.samples, 8u);
  const auto cut = compile(kPhotographs).value();
  const auto last = make(*cut, {0, 2}, 2).value();
  EXPECT_EQ(last.samples, 2u);
  const auto some = labels(*cut, last);
  const auto all = labels(*whole, padded);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
  EXPECT_EQ(compile(with(kPhotographs, "\"short\"", "\"drop\"")).value()->batches_per_epoch(), 2u);
  EXPECT_EQ(compile(with(with(kPhotographs, "\"short\"", "\"drop\""), "size = 8", "size = 19"))
                .error().message,
            "file:///d has 18 samples, which fill no batch of 19; set batch.last = \"pad\" or "
            "\"short\"");
}

TEST_F(ProgramTest, WritesLabelsAsNumbersOrOneHot) {
  const std::string stored = with(kPhotographs, "seed = 5", "shuffle = false");
  const auto numbers = compile(stored).value();
  // By name: class0/0, class0/12, class0/15, class0/3, class0/6, class0/9, class1/1, class1/10, ...
  EXPECT_EQ(labels(*numbers, make(*numbers, {0, 0}, 3).value()),
            (std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 1, 1}));
  const auto hot = compile(stored + "[output]\nlabel = \"one_hot\"\nclasses = 4\n").value();
  const auto batch = make(*hot, {0, 0}, 3).value();
  std::vector<float> rows(8 * 4);
  std::memcpy(rows.data(), batch.body.data() + transport::layout(hot->schema(), 8)->offsets[1], 8 * 16);
  for (std::size_t row = 0; row < 8; ++row)
    for (std::size_t at = 0; at < 4; ++at)
      EXPECT_EQ(rows[row * 4 + at], at == (row < 6 ? 0u : 1u) ? 1.0f : 0.0f);
  EXPECT_EQ(compile(stored + "[output]\nlabel = \"one_hot\"\nclasses = 2\n").error().message,
            "file:///d has labels up to 2, but output.classes is 2");
}

class LyingPhotographs : public ProgramTest {
 protected:
  LyingPhotographs() {
    const std::string good = photograph("base_420.jpg");
    lab_.put("/d/class0/0.jpg", good.substr(0, good.size() / 3));
    lab_.put("/d/class1/1.jpg", "");
    lab_.put("/d/class2/2.jpg", "this is no photograph");
  }
  std::string text(const std::string& policy) {
    return with(with(kPhotographs, "\"raise\"", "\"" + policy + "\""), "seed = 5", "shuffle = false");
  }
};

TEST_F(LyingPhotographs, FailTheBatchUnderRaise) {
  const auto program = compile(text("raise")).value();
  const auto batch = make(*program, {0, 0}, 1);
  ASSERT_FALSE(batch);
  EXPECT_TRUE(batch.error().message.starts_with("class0/0.jpg: ") ||
              batch.error().message.starts_with("class1/1.jpg: ")) << batch.error().message;
}

TEST_F(LyingPhotographs, AreLeftOutUnderSkip) {
  const auto program = compile(text("skip")).value();
  const auto batch = make(*program, {0, 0}, 3).value();
  EXPECT_EQ(batch.samples, 6u);
  EXPECT_EQ(faults_.size(), 2u);
  EXPECT_EQ(labels(*program, batch), (std::vector<std::int64_t>{0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(hash(*program, batch), hash(*program, make(*program, {0, 0}, 1).value()));
}

TEST_F(LyingPhotographs, AreReplacedByTheSameOthersUnderReplace) {
  const auto program = compile(text("replace")).value();
  const auto batch = make(*program, {0, 0}, 3).value();
  EXPECT_EQ(batch.samples, 8u);
  EXPECT_GE(faults_.size(), 2u);
  EXPECT_EQ(hash(*program, batch), hash(*program, make(*program, {0, 0}, 1).value()));
}

TEST_F(LyingPhotographs, ThatAreAllThereIsCannotBeReplaced) {
  for (int i = 0; i < 18; ++i)
    for (const char* ending : {".jpg", ".png", ".webp"}) {
      const std::string name = "/d/class" + std::to_string(i % 3) + "/" + std::to_string(i) + ending;
      if (lab_.files->stat(name)) lab_.put(name, "x");
    }
  const auto program = compile(text("replace")).value();
  EXPECT_NE(make(*program, {0, 0}, 1).error().message.find("nor could any of 16 others"),
            std::string::npos);
}

TEST_F(ProgramTest, FailsTheBatchWhateverThePolicyWhenTheDataSetChanged) {
  const auto program = compile(with(kPhotographs, "\"raise\"", "\"skip\"")).value();
  for (int i = 0; i < 18; i += 9) lab_.put("/d/class0/" + std::to_string(i) + ".jpg", "other");
  std::string messages;
  for (std::uint64_t batch = 0; batch < 3; ++batch)
    if (const auto made = make(*program, {0, batch}, 1); !made) messages += made.error().message;
  EXPECT_NE(messages.find("changed since it was listed"), std::string::npos);
}

TEST_F(ProgramTest, CopiesTheFieldsOfRecords) {
  lab_.put("/r/a.bin", std::string("\x01") + "abcd" + "\x02" + "efgh" + "\x03" + "ijkl");
  const auto program = compile(R"(shuffle = false
[source]
kind = "records"
location = "/r"
fields = [{name = "y", type = "uint8"}, {name = "x", type = "int16", shape = [2]}]
[batch]
size = 2
last = "short"
)");
  ASSERT_TRUE(program) << program.error().message;
  const auto batch = make(**program, {0, 0}, 1).value();
  const auto text = [&](std::size_t from, std::size_t size) {
    return std::string(reinterpret_cast<const char*>(batch.body.data()) + from, size);
  };
  EXPECT_EQ(text(0, 2), "\x01\x02");
  EXPECT_EQ(text(64, 8), "abcdefgh");
  EXPECT_EQ(text(2, 62), std::string(62, '\0'));
  EXPECT_EQ(make(**program, {0, 1}, 1).value().samples, 1u);
}

}  // namespace
}  // namespace evener::data::pipeline
