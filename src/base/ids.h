// Identifiers: random names and the ARN form of job names.
//
// Used by:  jobs, backends, apps.
// Threads:  Random is shared between threads only where its class says so.
// Fails:    never.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace evener {

// Source of randomness, passed as an argument so that tests can repeat a run.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
};

// The system's generator (getrandom). May be shared between threads.
class SystemRandom final : public Random {
 public:
  std::uint64_t next() override;
};

// The same sequence for the same seed on every platform. One thread.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t next() override { return engine_(); }
  // Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::mt19937_64 engine_;
};

// `length` characters of [a-z0-9].
std::string random_suffix(Random& random, std::size_t length);

// arn:aws:sagemaker:<region>:<account>:training-job/<name in lower case>.
std::string training_job_arn(std::string_view region, std::string_view account,
                             std::string_view job_name);

}  // namespace evener
