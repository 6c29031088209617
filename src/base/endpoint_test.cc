#include "base/endpoint.h"

#include <gtest/gtest.h>

namespace evener {
namespace {

TEST(Endpoint, HasThePortThatEndsIt) {
  EXPECT_EQ(port_of("http://127.0.0.1:8333"), 8333);
  EXPECT_EQ(port_of("http://[::1]:65535"), 65535);
  for (const char* text : {"", "http://127.0.0.1", "http://h:0", "http://h:65536", "http://h:1x", "http://h:"})
    EXPECT_FALSE(port_of(text)) << text;
}

}  // namespace
}  // namespace evener
