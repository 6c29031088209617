#include <gtest/gtest.h>

#include "control_plane/stores/stores.h"

namespace evener::control_plane {
namespace {

TEST(PageToken, ReadsBackWhereThePageEnded) {
  for (const jobs::PageKey& key : {jobs::PageKey{}, jobs::PageKey{.text = "a/b", .time_ms = -3, .id = 7}})
    EXPECT_EQ(page_key_from("m/", page_token("m/", key)), key);
}

TEST(PageToken, IsOfItsOperationAndWhole) {
  for (const char* token : {"", "m/", "m/1", "m/1/2", "m/x/2/", "s/1/2/name", "m/1/99999999999999999999/"})
    EXPECT_FALSE(page_key_from("m/", token)) << token;
}

}  // namespace
}  // namespace evener::control_plane
