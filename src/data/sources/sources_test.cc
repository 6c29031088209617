#include "data/sources/sources.h"

#include <gtest/gtest.h>

#include "data/sources/object_table.h"
#include "data/sources/source_lab_test.h"

namespace evener::data::sources {
namespace {

using Strings = std::vector<std::string>;

TEST(SourceKind, HasANameThatLeadsBack) {
  for (const Kind kind : {Kind::kImages, Kind::kShards, Kind::kRecords})
    EXPECT_EQ(kind_from(to_string(kind)), kind);
  EXPECT_EQ(kind_from("image"), std::nullopt);
}

TEST(Images, TakeTheirClassesFromFoldersInTheOrderOfBytes) {
  SourceLab lab;
  for (const char* name : {"/d/b/1.jpg", "/d/B/2.JPEG", "/d/10/x.png", "/d/2/y/z.webp", "/d/a/notes.txt"})
    lab.put(name, name);
  const auto source = lab.open({.kind = Kind::kImages, .location = "/d"});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->classes(), (Strings{"10", "2", "B", "b"}));
  ASSERT_EQ((*source)->samples(), 4u);
  EXPECT_EQ((*source)->label_count(), 4u);
  const Strings ids = {"10/x.png", "2/y/z.webp", "B/2.JPEG", "b/1.jpg"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ((*source)->id(i), ids[i]);
    EXPECT_EQ((*source)->label(i), static_cast<std::int64_t>(i));
    EXPECT_EQ(lab.read(**source, i).value(), "/d/" + ids[i]);
  }
}

TEST(Images, InNoFolderNeedAnIndexOrNoLabels) {
  SourceLab lab;
  lab.put("/d/1.jpg", "x");
  lab.put("/d/c/2.jpg", "y");
  EXPECT_EQ(lab.message({.kind = Kind::kImages, .location = "/d"}),
            "file:///d: 1.jpg is in no folder, so it has no class; give an index, or set label = "
            "\"none\"");
  const auto source =
      lab.open({.kind = Kind::kImages, .location = "/d", .labels = Labels::kUnused});
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->samples(), 2u);
  EXPECT_EQ((*source)->label(1), 0);
}

TEST(Images, ThatAreNotThereAreNamed) {
  SourceLab lab;
  EXPECT_EQ(lab.message({.kind = Kind::kImages, .location = "/none"}),
            "file:///none: nothing is there; on this machine the location must hold the data set");
  lab.put("/d/a.txt", "x");
  EXPECT_EQ(lab.message({.kind = Kind::kImages, .location = "/d"}),
            "file:///d: no .jpg, .jpeg, .png or .webp file is there");
}

class IndexedImages : public testing::Test {
 protected:
  IndexedImages() {
    for (const char* name : {"/d/a.jpg", "/d/b/c, d.jpg", "/d/e.jpg"}) lab_.put(name, name);
  }
  Result<std::unique_ptr<Source>> open(const std::string& file, const std::string& text,
                                       Labels labels = Labels::kNeeded) {
    lab_.put(file, text);
    return lab_.open({.kind = Kind::kImages, .location = "/d", .index = file, .labels = labels});
  }
  std::string message(const std::string& file, const std::string& text) {
    const auto source = open(file, text);
    return source ? "opened" : source.error().message;
  }
  static std::vector<std::int64_t> labels(const Source& source) {
    std::vector<std::int64_t> found;
    for (std::uint64_t i = 0; i < source.samples(); ++i) found.push_back(source.label(i));
    return found;
  }
  SourceLab lab_;
};

TEST_F(IndexedImages, ComeInTheOrderOfTheIndex) {
  const std::string csv = "# comment\nlabel,file\n7,e.jpg\n3,\"b/c, d.jpg\"\n7,e.jpg\n";
  const std::string json =
      "{\"file\": \"e.jpg\", \"label\": 7}\n\n{\"label\": \"3\", \"file\": \"b/c, d.jpg\"}\n"
      "{\"file\": \"e.jpg\", \"label\": 7}";
  for (const auto& [name, text] : {std::pair{"/i.csv", csv}, std::pair{"/i.jsonl", json}}) {
    const auto source = open(name, text);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(labels(**source), (std::vector<std::int64_t>{7, 3, 7}));
    EXPECT_EQ((*source)->label_count(), 8u);
    EXPECT_EQ((*source)->classes(), Strings{});
    EXPECT_EQ(lab_.read(**source, 1).value(), "/d/b/c, d.jpg");
  }
}

TEST_F(IndexedImages, WithNamesForLabelsCountThemInOrder) {
  const auto source = open("/i.csv", "file,label\na.jpg,dog\ne.jpg,10\n\"b/c, d.jpg\",cat\n");
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->classes(), (Strings{"10", "cat", "dog"}));
  EXPECT_EQ(labels(**source), (std::vector<std::int64_t>{2, 0, 1}));
}

TEST_F(IndexedImages, NameTheLineOfAFault) {
  EXPECT_EQ(message("/i.csv", "fiel,label\na.jpg,1\n"),
            "/i.csv:1: the header has no column 'file'; did you mean 'fiel'?; begin with the line "
            "file,label");
  EXPECT_EQ(message("/i.csv", "file,label\na.jpg,1\nx.jpg,2\n"), "/i.csv:3: x.jpg is not in file:///d");
  EXPECT_EQ(message("/i.csv", "file,label\na.jpg\n"), "/i.csv:2: 1 fields, but the header has 2");
  EXPECT_EQ(message("/i.csv", "file\na.jpg\n"),
            "/i.csv:2: no label; give one, or set label = \"none\"");
  EXPECT_EQ(message("/i.csv", "file,label\n"), "/i.csv: the index names no file");
  EXPECT_EQ(message("/i.jsonl", "{\"file\": \"a.jpg\", \"label\": 1}\n{\"file\": }\n").substr(0, 11),
            "/i.jsonl:2:");
  EXPECT_EQ(message("/i.jsonl", "{\"file\": \"a.jpg\", \"label\": 1.5}\n"),
            "/i.jsonl:1: a label is a whole number or a text, not a number");
  EXPECT_EQ(message("/i.txt", "x"), "/i.txt: an index is a .csv, .jsonl or .ndjson file");
  EXPECT_TRUE(open("/j.csv", "file\na.jpg\n", Labels::kUnused));
}

TEST(Records, LieOneAfterAnotherInAllFiles) {
  SourceLab lab;
  lab.put("/d/a.bin", "..aabb");
  lab.put("/d/b.bin", "..");
  lab.put("/d/c.bin", "..cc");
  const Options options{
      .kind = Kind::kRecords, .location = "/d", .record_bytes = 2, .header_bytes = 2};
  const auto source = lab.open(options);
  ASSERT_TRUE(source) << source.error().message;
  ASSERT_EQ((*source)->samples(), 3u);
  EXPECT_EQ((*source)->id(2), "c.bin[0]");
  EXPECT_EQ(lab.read(**source, 0).value() + lab.read(**source, 1).value() +
                lab.read(**source, 2).value(), "aabbcc");
  lab.put("/d/d.bin", "..x");
  EXPECT_EQ(lab.message(options), "file:///d/d.bin has 3 bytes, not 2 and a multiple of 2");
}

TEST(Sources, RefuseWhatChangedSinceTheyWereIndexed) {
  SourceLab lab;
  lab.put("/d/a/1.jpg", "one");
  lab.put("/d/a/2.jpg", "two");
  const auto source = lab.open({.kind = Kind::kImages, .location = "/d"});
  ASSERT_TRUE(source);
  lab.put("/d/a/1.jpg", "longer");
  EXPECT_EQ(lab.read(**source, 0).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(lab.read(**source, 0).error().message,
            "file:///d/a/1.jpg changed since it was listed: 3 bytes then, 6 now");
  lab.clock.advance(std::chrono::milliseconds(10));
  lab.put("/d/a/2.jpg", "TWO");
  EXPECT_EQ(lab.read(**source, 1).error().message,
            "file:///d/a/2.jpg changed since it was listed: it was written since");
}

TEST(Sources, HaveAFingerprintOfNamesSizesAndLabels) {
  const auto print = [](const char* first, const char* text, int later) {
    SourceLab lab;
    lab.clock.advance(std::chrono::milliseconds(later));
    lab.put(first, text);
    lab.put("/d/b/2.jpg", "x");
    return lab.open({.kind = Kind::kImages, .location = "/d"}).value()->fingerprint();
  };
  const std::string one = print("/d/a/1.jpg", "abc", 0);
  EXPECT_EQ(one.size(), 64u);
  EXPECT_EQ(one, print("/d/a/1.jpg", "xyz", 5));
  EXPECT_NE(one, print("/d/a/1.jpg", "wxyz", 0));
  EXPECT_NE(one, print("/d/a/3.jpg", "abc", 0));
}

TEST(Fingerprint, CoversEveryPieceAndEveryBoundary) {
  const auto print = [](const Strings& texts) {
    Fingerprint fingerprint;
    for (const std::string& text : texts) fingerprint.add(text);
    return fingerprint.take();
  };
  const std::string large(3u << 20, 'x');
  EXPECT_NE(print({"ab", "c"}), print({"a", "bc"}));
  EXPECT_NE(print({large, "a"}), print({large, "b"}));
  EXPECT_NE(print({"a", large}), print({"b", large}));
  EXPECT_EQ(print({"a", large}), print({"a", large}));
}

}  // namespace
}  // namespace evener::data::sources
