#include "training/backends/local/supervisor/instance_setup.h"

#include <gtest/gtest.h>

namespace evener::backends {
namespace {

jobs::InstanceGroup group_of_vcpus(int vcpus) {
  jobs::InstanceGroup group;
  group.shape.vcpus = vcpus;
  group.shape.known = true;
  return group;
}

TEST(UsableCpus, AreAllThatTheMachineHasUnderShare) {
  jobs::JobSpec spec;
  spec.fit = jobs::Fit::kShare;
  EXPECT_EQ(visible_cpus(spec, group_of_vcpus(8), 2), 2);
  EXPECT_DOUBLE_EQ(usable_cpus(spec, group_of_vcpus(8), 2), 2);
  EXPECT_DOUBLE_EQ(usable_cpus(spec, group_of_vcpus(1), 2), 1);
}

TEST(UsableCpus, AreTheQuotaUnderScaledThoughWholeCpusAreSeen) {
  jobs::JobSpec spec;
  spec.fit = jobs::Fit::kScaled;
  spec.fit_scale = 0.1;
  EXPECT_EQ(visible_cpus(spec, group_of_vcpus(16), 2), 2);
  EXPECT_DOUBLE_EQ(usable_cpus(spec, group_of_vcpus(16), 2), 1.6);
  EXPECT_DOUBLE_EQ(usable_cpus(spec, group_of_vcpus(4), 2), 0.4);
}

TEST(OwnVariables, AreThisProgramAndASecretOfTheJob) {
  SeededRandom random(1);
  const auto one = own_variables(random);
  const auto other = own_variables(random);
  EXPECT_TRUE(std::filesystem::exists(one.at("EVENER_BINARY")));
  EXPECT_EQ(one.at("EVENER_DATA_TOKEN").size(), kTokenLength);
  EXPECT_NE(one.at("EVENER_DATA_TOKEN"), other.at("EVENER_DATA_TOKEN"));
}

}  // namespace
}  // namespace evener::backends
