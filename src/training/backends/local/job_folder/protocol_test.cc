#include "training/backends/local/job_folder/protocol.h"

#include <gtest/gtest.h>


namespace evener::backends {
namespace {

TEST(Protocol, EveryCommandIsReadAsWritten) {
  const EngineCommand commands[] = {AttachCommand{.from = 7, .engine = EngineKind::kServer},
                                    AttachCommand{.from = 1, .engine = EngineKind::kEmbedded},
                                    StopCommand{StopMode::kGraceful},
                                    StopCommand{StopMode::kAtOnce}};
  for (const EngineCommand& command : commands) {
    const auto read = command_from(command_line(command));
    ASSERT_TRUE(read) << command_line(command);
    EXPECT_EQ(*read, command);
  }
}

TEST(Protocol, TheWordsAreThoseOfTheFormatsPage) {
  EXPECT_EQ(command_line(AttachCommand{.from = 3, .engine = EngineKind::kEmbedded}),
            R"({"attach":{"engine":"embedded","from":3}})");
  EXPECT_EQ(command_line(StopCommand{StopMode::kAtOnce}), R"({"stop":"at_once"})");
}

TEST(Protocol, AnythingElseIsCorruptAndNamed) {
  for (const std::string_view line :
       {"", "{", "[]", "3", "null", "{}", R"({"stop":"now"})", R"({"stop":1})",
        R"({"attach":{}})", R"({"attach":{"from":-1,"engine":"other"}})",
        R"({"attach":{"from":"x","engine":"server"}})", R"({"attach":null})"}) {
    const auto command = command_from(line);
    ASSERT_FALSE(command) << line;
    EXPECT_EQ(command.error().code, ErrorCode::kCorrupt) << line;
  }
}

TEST(Protocol, EveryKindOfEngineHasAWord) {
  for (const EngineKind kind : {EngineKind::kEmbedded, EngineKind::kServer}) {
    const auto read = engine_kind_from(to_string(kind));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, kind);
  }
  EXPECT_FALSE(engine_kind_from("steam"));
}

}  // namespace
}  // namespace evener::backends
