#include "base/ids.h"

#include <sys/random.h>

#include <cctype>

#include "base/check.h"

namespace evener {

std::uint64_t SystemRandom::next() {
  std::uint64_t value = 0;
  const auto got = ::getrandom(&value, sizeof value, 0);
  CHECK(got == sizeof value, "getrandom gives 8 bytes at once");
  return value;
}

std::string random_suffix(Random& random, std::size_t length) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += kAlphabet[random.next() % kAlphabet.size()];
  return text;
}

std::string training_job_arn(std::string_view region, std::string_view account,
                             std::string_view job_name) {
  std::string arn = "arn:aws:sagemaker:" + std::string(region) + ":" + std::string(account) +
                    ":training-job/";
  for (char c : job_name) arn += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return arn;
}

}  // namespace evener
