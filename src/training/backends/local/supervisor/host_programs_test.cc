#include "training/backends/local/supervisor/host_programs.h"

#include <gtest/gtest.h>

namespace evener::backends {
namespace {

using Paths = std::vector<std::filesystem::path>;

TEST(HostPrograms, AnEnvironmentBelowTmpIsShownWhole) {
  EXPECT_EQ(hidden_program_folders({"/usr/bin", "/tmp/a/.venv/bin", "/opt/x/bin"}, {}),
            Paths{"/tmp/a/.venv"});
}

TEST(HostPrograms, OnlyTheOutermostFolderIsShownAndOnce) {
  EXPECT_EQ(hidden_program_folders({"/tmp/a/bin", "/tmp/a/tools/bin", "/tmp/a/bin/", "/var/tmp/b"}, {}),
            (Paths{"/tmp/a", "/var/tmp/b"}));
}

TEST(HostPrograms, TmpItselfIsNeverShown) {
  EXPECT_EQ(hidden_program_folders({"/tmp", "/tmp/bin", "/tmp/../tmp/bin", "", "bin"}, {}),
            Paths{"/tmp/bin"});
}

TEST(HostPrograms, AFolderThatHoldsWhatIsMaskedIsNotShown) {
  EXPECT_EQ(hidden_program_folders({"/tmp/a/bin"}, {"/tmp/a/home"}), Paths{"/tmp/a/bin"});
  EXPECT_EQ(hidden_program_folders({"/tmp/a/bin"}, {"/tmp/a/bin/keys"}), Paths{});
  EXPECT_EQ(hidden_program_folders({"/tmp/home/x/bin"}, {"/tmp/home"}), Paths{});
}

}  // namespace
}  // namespace evener::backends
