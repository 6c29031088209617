#include "control_plane/identity/identity.h"

#include <gtest/gtest.h>

namespace evener::control_plane {
namespace {

Result<wire::Output> ask(const std::string& name, const std::string& input) {
  Result<wire::Output> answer = failure(ErrorCode::kNotFound, "no such operation");
  for (const Operation& operation : identity_operations("000000000000"))
    if (operation.name == name)
      operation.run(*document::read(input), {"KEY", "us-east-1"},
                    [&](Result<wire::Output> output) { answer = std::move(output); });
  return answer;
}

TEST(Identity, ACallerIsAUserOfTheAccount) {
  EXPECT_EQ(document::write(ask("GetCallerIdentity", "{}")->value),
            R"({"UserId":"AIDAEVENERLOCALUSER00","Account":"000000000000",)"
            R"("Arn":"arn:aws:iam::000000000000:user/KEY"})");
}

TEST(Identity, EveryRoleIsThere) {
  const auto output = ask("GetRole", R"({"RoleName":"local"})");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->value.find("Role")->text_at("Arn"), "arn:aws:iam::000000000000:role/local");
  EXPECT_FALSE(ask("GetRole", R"({"RoleName":"a/../b"})"));
  EXPECT_FALSE(ask("GetRole", "{}"));
}

TEST(Identity, EveryActionIsAllowed) {
  const auto output = ask("SimulatePrincipalPolicy",
                          R"({"PolicySourceArn":"arn:aws:iam::000000000000:role/x","ActionNames":["s3:GetObject","a:b"]})");
  ASSERT_TRUE(output);
  const auto& results = output->value.items_at("EvaluationResults");
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].text_at("EvalActionName"), "a:b");
  EXPECT_EQ(results[1].text_at("EvalDecision"), "allowed");
}

}  // namespace
}  // namespace evener::control_plane
