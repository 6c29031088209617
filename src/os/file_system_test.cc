#include "os/file_system.h"

#include <gtest/gtest.h>

#include "os/file_systems_test.h"

namespace evener::os {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class FileSystems : public testing::TestWithParam<FileSystemKind> {
 protected:
  FileSystem& files() { return under_test_.files(); }
  fs::path at(std::string_view name) const { return under_test_.root() / name; }
  void put(std::string_view name, std::string_view text) {
    ASSERT_TRUE(make_parent_directories(files(), at(name)));
    const Status written = write_text(files(), at(name), text);
    ASSERT_TRUE(written) << written.error().message;
  }
  std::string get(std::string_view name) { return read_text(files(), at(name)).value_or(Absent()); }
  static std::string Absent() { return "(absent)"; }
  ErrorCode code_of(const auto& result) {
    EXPECT_FALSE(result.has_value());
    return result ? ErrorCode::kInternal : result.error().code;
  }

 private:
  FileSystemUnderTest under_test_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(All, FileSystems,
                         testing::Values(FileSystemKind::kReal, FileSystemKind::kMemory,
                                         FileSystemKind::kFaultyWithoutFaults),
                         [](const auto& tested) { return to_string(tested.param); });

TEST_P(FileSystems, TextIsReadBackAsWritten) {
  const std::string text("line\n\0\xff end", 11);
  put("a/b/file", text);
  EXPECT_EQ(get("a/b/file"), text);
  put("a/b/file", "");
  EXPECT_EQ(get("a/b/file"), "");
  ASSERT_TRUE(write_text(files(), at("a/b/file"), "kept", Durability::kSynced));
  EXPECT_EQ(get("a/b/file"), "kept");
}

TEST_P(FileSystems, ReadingStopsAtItsLimit) {
  put("file", std::string(100'000, 'x'));
  EXPECT_EQ(read_text(files(), at("file"), 100'000).value().size(), 100'000u);
  EXPECT_EQ(code_of(read_text(files(), at("file"), 99'999)), ErrorCode::kLimitExceeded);
}

TEST_P(FileSystems, MissingThingsAreNotFound) {
  EXPECT_EQ(code_of(files().open(at("none"))), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(files().stat(at("none"))), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(files().list(at("none"))), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(files().remove_file(at("none"))), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(files().create(at("none/file"))), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(files().create_replacing(at("none/file"))), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(files().rename(at("none"), at("other"))), ErrorCode::kNotFound);
  put("file", "x");
  EXPECT_EQ(code_of(files().stat(at("file/below"))), ErrorCode::kNotFound);
  EXPECT_TRUE(files().remove_tree(at("none"))) << "an absent tree is no error";
  EXPECT_TRUE(files().remove_tree(at("none/below")));
  EXPECT_TRUE(files().remove_tree(at("file/below")));
}

TEST_P(FileSystems, ErrorsNameThePath) {
  EXPECT_NE(files().open(at("no such")).error().message.find("no such"), std::string::npos);
}

TEST_P(FileSystems, FolderIsNotReadAsAFile) {
  ASSERT_TRUE(files().make_directories(at("folder")));
  EXPECT_EQ(code_of(files().open(at("folder"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(write_text(files(), at("folder"), "x")), ErrorCode::kInvalidArgument);
  EXPECT_EQ(files().list(at("")).value().size(), 1u) << "nothing is left beside it";
}

TEST_P(FileSystems, AppendingContinuesAndCreatingStartsAnew) {
  for (const char* text : {"one ", "two"}) {
    auto file = files().open_append(at("log")).value();
    ASSERT_TRUE(file->append(bytes_of(text)));
    ASSERT_TRUE(file->sync());
    ASSERT_TRUE(file->close());
  }
  EXPECT_EQ(get("log"), "one two");
  auto file = files().create(at("log")).value();
  EXPECT_EQ(get("log"), "");
  ASSERT_TRUE(file->append(bytes_of("new")));
  ASSERT_TRUE(file->close());
  EXPECT_EQ(get("log"), "new");
}

TEST_P(FileSystems, ReplacingFileAppearsAtCloseAndNotBefore) {
  put("file", "old");
  {
    auto file = files().create_replacing(at("file")).value();
    ASSERT_TRUE(file->append(bytes_of("new")));
    EXPECT_EQ(get("file"), "old");
    ASSERT_TRUE(file->close());
    EXPECT_EQ(get("file"), "new");
    EXPECT_TRUE(file->close()) << "closing twice is no error";
  }
  ASSERT_TRUE(files().create_replacing(at("file")).value()->append(bytes_of("dropped")));
  EXPECT_EQ(get("file"), "new");
  EXPECT_EQ(files().list(at("")).value().size(), 1u);
}

TEST_P(FileSystems, NewFileTakesOnlyANameThatIsFree) {
  auto file = files().create_new(at("file")).value();
  ASSERT_TRUE(file->append(bytes_of("mine")));
  put("file", "another's");
  EXPECT_EQ(file->close().error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(get("file"), "another's");
  auto other = files().create_new(at("other")).value();
  ASSERT_TRUE(other->append(bytes_of("mine")));
  ASSERT_TRUE(other->close());
  EXPECT_EQ(get("other"), "mine");
  EXPECT_EQ(files().list(at("")).value().size(), 2u);
}

TEST_P(FileSystems, APrivateFileIsItsOwnersFromItsFirstByteOn) {
  put("file", "what others could read");
  {
    auto file = files().create_private(at("file")).value();
    ASSERT_TRUE(file->append(bytes_of("secret")));
    EXPECT_EQ(get("file"), "what others could read") << "nobody has it open yet";
    ASSERT_TRUE(file->close());
  }
  EXPECT_EQ(get("file"), "secret");
  EXPECT_EQ(files().stat(at("file")).value().mode & 0777, 0600u);
  ASSERT_TRUE(write_private_text(files(), at("other"), "text"));
  EXPECT_EQ(files().stat(at("other")).value().mode & 0777, 0600u);
  EXPECT_EQ(files().list(at("")).value().size(), 2u);
}

TEST_P(FileSystems, WritesAtOffsetsInAnyOrderMakeOneFile) {
  auto file = files().create(at("file")).value();
  ASSERT_TRUE(file->write_at(6, bytes_of("world")));
  ASSERT_TRUE(file->write_at(0, bytes_of("hello ")));
  ASSERT_TRUE(file->close());
  EXPECT_EQ(get("file"), "hello world");
}

TEST_P(FileSystems, ReadingAtAnOffsetGivesWhatIsThere) {
  put("file", "0123456789");
  auto file = files().open(at("file")).value();
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(file->read_at(8, buffer).value(), 2u);
  EXPECT_EQ(buffer[1], std::byte{'9'});
  EXPECT_EQ(file->read_at(10, buffer).value(), 0u);
  EXPECT_EQ(file->read_at(1000, buffer).value(), 0u);
  EXPECT_EQ(file->stat().value().size, 10u);
  const auto extents = file->extents().value();
  ASSERT_EQ(extents.size(), 1u);
  EXPECT_EQ(extents[0].offset, 0u);
  EXPECT_EQ(extents[0].length, 10u);
}

TEST_P(FileSystems, ListingIsSortedByBytesAndTellsKinds) {
  for (const char* name : {"b", "B", "a-1", "a", "\xff", "new\nline", "é"}) put(name, "x");
  ASSERT_TRUE(files().make_directories(at("c")));
  ASSERT_TRUE(files().make_symlink("nowhere", at("d")));
  std::vector<std::string> names;
  const auto entries = files().list(at(""));
  ASSERT_TRUE(entries);
  for (const DirectoryEntry& entry : *entries) {
    names.push_back(entry.name);
    const FileKind kind = entry.name == "c"   ? FileKind::kDirectory
                          : entry.name == "d" ? FileKind::kSymlink
                                              : FileKind::kRegular;
    EXPECT_EQ(entry.kind, kind) << entry.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"B", "a", "a-1", "b", "c", "d", "new\nline", "é",
                                             "\xff"}));
}

TEST_P(FileSystems, SymlinksAreFollowedOnlyWhereAsked) {
  put("folder/file", "text");
  ASSERT_TRUE(files().make_symlink("folder", at("link")));
  ASSERT_TRUE(files().make_symlink("loop", at("loop")));
  EXPECT_EQ(files().stat(at("link")).value().kind, FileKind::kSymlink);
  EXPECT_EQ(files().stat_followed(at("link")).value().kind, FileKind::kDirectory);
  EXPECT_EQ(files().read_symlink(at("link")).value(), "folder");
  EXPECT_EQ(get("link/file"), "text");
  EXPECT_EQ(get("link/../folder/file"), "text");
  EXPECT_EQ(code_of(files().stat_followed(at("loop"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(files().read_symlink(at("folder"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(files().make_symlink("x", at("link"))), ErrorCode::kAlreadyExists);
}

TEST_P(FileSystems, MakingFoldersIsRepeatableButNotOverFiles) {
  ASSERT_TRUE(files().make_directories(at("a/b/c")));
  EXPECT_TRUE(files().make_directories(at("a/b/c")));
  EXPECT_TRUE(files().make_directories(at("a/b/c/")));
  put("file", "x");
  EXPECT_EQ(code_of(files().make_directories(at("file"))), ErrorCode::kAlreadyExists);
  EXPECT_FALSE(files().make_directories(at("file/below")));
}

TEST_P(FileSystems, RenameReplacesFilesAndMovesFolders) {
  put("from", "new");
  put("to", "old");
  ASSERT_TRUE(files().rename(at("from"), at("to")));
  EXPECT_EQ(get("to"), "new");
  EXPECT_EQ(get("from"), Absent());
  put("tree/below/file", "x");
  ASSERT_TRUE(files().rename(at("tree"), at("moved")));
  EXPECT_EQ(get("moved/below/file"), "x");
  EXPECT_EQ(code_of(files().rename(at("moved"), at("moved/below/inside"))),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(files().rename(at("to"), at("moved"))), ErrorCode::kInvalidArgument);
}

TEST_P(FileSystems, RemovingATreeSparesWhatSymlinksLeadTo) {
  put("kept/file", "x");
  put("tree/a/b/file", "x");
  ASSERT_TRUE(files().make_symlink("../kept", at("tree/link")));
  ASSERT_TRUE(files().remove_tree(at("tree/")));
  EXPECT_EQ(code_of(files().stat(at("tree"))), ErrorCode::kNotFound);
  EXPECT_EQ(get("kept/file"), "x");
  ASSERT_TRUE(files().make_symlink("kept", at("link")));
  ASSERT_TRUE(files().remove_tree(at("link")));
  ASSERT_TRUE(files().remove_tree(at("kept/file")));
  EXPECT_TRUE(files().list(at("kept")).value().empty());
  EXPECT_EQ(code_of(files().remove_tree(at(".."))), ErrorCode::kInvalidArgument);
}

TEST_P(FileSystems, CopyTakesBytesAndMode) {
  put("from", "text");
  put("to", "a longer text that was there");
  ASSERT_TRUE(files().set_mode(at("from"), 0750));
  ASSERT_TRUE(files().copy_file(at("from"), at("to")));
  EXPECT_EQ(get("to"), "text");
  EXPECT_EQ(files().stat(at("to")).value().mode, 0750u);
  EXPECT_EQ(code_of(files().copy_file(at("from"), at("from"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(get("from"), "text");
  EXPECT_EQ(code_of(files().copy_file(at("none"), at("to"))), ErrorCode::kNotFound);
}

TEST_P(FileSystems, TruncateShortensAndLengthensWithZeros) {
  put("file", "text");
  ASSERT_TRUE(files().truncate(at("file"), 2));
  ASSERT_TRUE(files().truncate(at("file"), 4));
  EXPECT_EQ(get("file"), std::string("te\0\0", 4));
}

TEST_P(FileSystems, FreeSpaceIsToldAndFoldersSync) {
  EXPECT_GT(files().free_bytes(at("")).value(), 0u);
  EXPECT_TRUE(files().sync_directory(at("")));
  EXPECT_EQ(code_of(files().free_bytes(at("none"))), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace evener::os
