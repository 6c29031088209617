#include <gtest/gtest.h>

#include <cstdio>

#include "data/sources/source_lab_test.h"

namespace evener::data::sources {
namespace {

constexpr std::size_t kBlock = 512;

// Writes members as tar programs do.
class TarText {
 public:
  TarText& add(std::string name, std::string_view content, char type = '0') {
    std::string block(kBlock, '\0');
    block.replace(0, name.size(), name);
    char number[16];
    std::snprintf(number, sizeof number, "%011zo", content.size());
    block.replace(124, 11, number);
    block[156] = type;
    block.replace(257, 6, std::string("ustar\0", 6));
    text_ += sealed(std::move(block));
    text_ += content;
    text_.resize((text_.size() + kBlock - 1) / kBlock * kBlock);
    return *this;
  }
  static std::string sealed(std::string block) {
    block.replace(148, 8, 8, ' ');
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    char number[16];
    std::snprintf(number, sizeof number, "%06o", sum);
    block.replace(148, 7, std::string(number, 7));
    return block;
  }
  std::string text() const { return text_ + std::string(2 * kBlock, '\0'); }
  const std::string& open_end() const { return text_; }

 private:
  std::string text_;
};

const Options kShards{.kind = Kind::kShards, .location = "/d"};

TEST(Shards, HaveASampleForEachKey) {
  SourceLab lab;
  lab.put("/d/1.tar", TarText()
                          .add("./", "", '5')
                          .add("a/x.jpg", "photo one")
                          .add("a/x.cls", "3\n")
                          .add("a/x.seg.png.txt", "other")
                          .add("y.cls", "12")
                          .add("y.JPG", std::string(5000, 'p'))
                          .add(".hidden.jpg", "?")
                          .text());
  lab.put("/d/2.tar", TarText().add("z.jpeg", "three").add("z.cls", "0").text());
  lab.put("/d/readme.txt", "no shard");
  const auto source = lab.open(kShards);
  ASSERT_TRUE(source) << source.error().message;
  ASSERT_EQ((*source)->samples(), 3u);
  EXPECT_EQ((*source)->id(0), "1.tar:a/x");
  EXPECT_EQ((*source)->id(2), "2.tar:z");
  EXPECT_EQ((*source)->label(0), 3);
  EXPECT_EQ((*source)->label(1), 12);
  EXPECT_EQ((*source)->label_count(), 13u);
  EXPECT_EQ(lab.read(**source, 0).value(), "photo one");
  EXPECT_EQ(lab.read(**source, 1).value(), std::string(5000, 'p'));
  EXPECT_EQ(lab.read(**source, 2).value(), "three");
}

TEST(Shards, KnowLongNamesOfBothKinds) {
  SourceLab lab;
  const std::string long_name = std::string(150, 'n') + "/" + std::string(90, 'k') + ".jpg";
  const std::string key = long_name.substr(0, long_name.size() - 4);
  const std::string record = " path=" + key + ".cls\n";
  lab.put("/d/1.tar", TarText()
                          .add("././@LongLink", long_name + std::string(1, '\0'), 'L')
                          .add("cut", "photo")
                          .add("PaxHeader", std::to_string(record.size() + 3) + record, 'x')
                          .add("cut", "cat")
                          .text());
  const auto source = lab.open(kShards);
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->id(0), "1.tar:" + key);
  EXPECT_EQ((*source)->classes(), std::vector<std::string>{"cat"});
}

TEST(Shards, MayEndWithoutEmptyBlocks) {
  SourceLab lab;
  lab.put("/d/1.tar", TarText().add("a.jpg", "x").add("a.cls", "1").open_end());
  EXPECT_TRUE(lab.open(kShards));
}

TEST(Shards, ThatAreIncompleteAreNamed) {
  SourceLab lab;
  const auto message = [&](const std::string& text, Labels labels = Labels::kNeeded) {
    lab.put("/d/1.tar", text);
    const auto source = lab.open({.kind = Kind::kShards, .location = "/d", .labels = labels});
    return source ? "opened" : source.error().message;
  };
  EXPECT_EQ(message(TarText().add("a.jpg", "x").text()),
            "file:///d/1.tar: a has no member a.cls with its label; add it, or set label = \"none\"");
  EXPECT_EQ(message(TarText().add("a.jpg", "x").text(), Labels::kUnused), "opened");
  EXPECT_EQ(message(TarText().add("a.cls", "1").text()),
            "file:///d/1.tar: a has a label, but no photograph beside it");
  EXPECT_EQ(message(TarText().add("a.jpg", "x").add("a.png", "y").text()),
            "file:///d/1.tar: a has two photographs; a sample has one");
  EXPECT_EQ(message(TarText().add("a.txt", "x").text()), "file:///d: no photograph is in its shards");
}

TEST(Shards, ThatAreDamagedAreRefused) {
  SourceLab lab;
  const std::string good = TarText().add("a.jpg", "photo").add("a.cls", "1").text();
  const auto code = [&](const std::string& text) {
    lab.put("/d/1.tar", text);
    const auto source = lab.open(kShards);
    return source ? std::string("opened") : std::string(source.error().message);
  };
  EXPECT_EQ(code(good.substr(0, 100)), "file:///d/1.tar: at byte 0: the file ends in a header");
  EXPECT_EQ(code(good.substr(0, 514)), "file:///d/1.tar: at byte 0: the file ends in a.jpg");
  std::string changed = good;
  changed[3] = 'X';
  EXPECT_EQ(code(changed),
            "file:///d/1.tar: at byte 0: no tar header is there (its checksum is wrong)");
  EXPECT_EQ(code(std::string(2000, 'x')),
            "file:///d/1.tar: at byte 0: no tar header is there (its checksum is wrong)");
}

// Whatever a byte becomes, the walk ends with an answer.
TEST(Shards, WithAnyByteChangedAreReadOrRefused) {
  SourceLab lab;
  const std::string good = TarText()
                               .add("P", "17 path=long.jpg\n", 'x')
                               .add("a.jpg", "photo")
                               .add("long.cls", "1")
                               .text();
  for (std::size_t at = 0; at < good.size(); at += at % kBlock == 260 ? kBlock - 260 : 1) {
    for (const char value : {'\0', '7', '\xff'}) {
      std::string changed = good;
      changed[at] = value;
      const std::size_t begin = at / kBlock * kBlock;
      if (begin % (2 * kBlock) == 0)     // headers: as if their writer had meant it
        changed.replace(begin, kBlock, TarText::sealed(changed.substr(begin, kBlock)));
      lab.put("/d/1.tar", changed);
      (void)lab.open(kShards);
    }
  }
}

}  // namespace
}  // namespace evener::data::sources
