#include <gtest/gtest.h>

#include <fstream>

#include "os/temporary_folder_test.h"
#include "training/logs/line_splitter.h"
#include "training/logs/log_file.h"
#include "training/logs/logs.h"

namespace evener::logs {
namespace {

// The block of formats/logs.md that begins with ```<name>.
std::string sample(const std::string& name) {
  const std::string page = os::content_of("formats/logs.md");
  EXPECT_FALSE(page.empty()) << "run from the root of the source, as ctest does";
  if (page.empty()) return "";
  const std::string fence = "\n```" + name + "\n";
  const std::size_t start = page.find(fence) + fence.size();
  return page.substr(start, page.find("```", start) - start);
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (i % 8 == 0 && i > 0) text += i % 16 == 0 ? '\n' : ' ';
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text + "\n";
}

Moment at(std::int64_t millis) {
  return {from_millis(millis), MonotonicTime(std::chrono::milliseconds(millis))};
}

TEST(LogFormat, IsWrittenAsTheSampleOfItsPageShows) {
  const os::TemporaryFolder folder;
  auto file = LogFile::open(folder.path(), "algo-1");
  ASSERT_TRUE(file.has_value());
  LineSplitter splitter;
  splitter.push("epoch 1\n", at(1700000000123), **file);
  splitter.push("loading 10%\rloading 20%", at(1700000000140), **file);
  splitter.tick(at(1700000001140), **file);
  splitter.push("\rloading 100%\nbye", at(1700000001200), **file);
  splitter.finish(**file);
  (*file)->add(from_millis(1700000001201), Mark::kNote, "the program ended with exit code 0");
  (*file)->flush();
  EXPECT_EQ(os::content_of(folder.path() / "algo-1.log"), sample("log"));
  EXPECT_EQ(hexadecimal(os::content_of(folder.path() / "algo-1.index")), sample("index"));
}

TEST(LogFormat, IsReadAsItsPageSays) {
  const os::TemporaryFolder folder;
  std::ofstream(folder.path() / "algo-1.log", std::ios::binary) << sample("log");
  auto reader = open_log(folder.path(), "algo-1");
  ASSERT_TRUE(reader.has_value());
  const auto lines = (*reader)->read(100);
  ASSERT_EQ(lines->size(), 5u);
  EXPECT_EQ(lines->at(0).time, from_millis(1700000000123));
  EXPECT_EQ(lines->at(0).text, "epoch 1");
  EXPECT_TRUE(lines->at(1).replaced);
  EXPECT_TRUE(lines->at(3).unterminated);
  EXPECT_TRUE(lines->at(4).note);
}

}  // namespace
}  // namespace evener::logs
