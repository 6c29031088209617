// The members of an object of a definition, taken one by one; the first fault is kept.
//
// Used by:  definition_reading.cc.
// Threads:  one.
// Fails:    finish(): kInvalidArgument with file, line and path of the first fault.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "data/images/images.h"
#include "data/pipeline/definition.h"

namespace evener::data::pipeline {

class Members {
 public:
  // `path` of the object, "" for the definition itself.
  Members(const document::Value& object, std::string path, const Lines& lines);

  // nullptr where it is absent.
  const document::Value* take(std::string_view name);
  const document::Value* need(std::string_view name);

  void text(std::string_view name, std::string& into);
  void whole(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t& into);
  template <class T>
  void whole(std::string_view name, std::int64_t least, std::int64_t most, T& into) {
    auto value = static_cast<std::int64_t>(into);
    whole(name, least, most, value);
    into = static_cast<T>(value);
  }
  void number(std::string_view name, double least, double most, double& into);
  template <std::size_t N>
  void numbers(std::string_view name, std::array<double, N>& into) {
    numbers(name, into.data(), N);
  }
  void truth(std::string_view name, bool& value);
  // N, or [height, width].
  void size(std::string_view name, images::Size& into);
  // One of the names that `known` lists, by `from`.
  template <class T>
  void choice(std::string_view name, const std::vector<std::string_view>& known,
              std::optional<T> (*from)(std::string_view), T& into) {
    std::string word;
    if (take(name) == nullptr) return;
    text(name, word);
    if (const auto chosen = from(word)) {
      into = *chosen;
    } else {
      fail_choice(name, word, known);
    }
  }

  void fail(std::string_view name, const std::string& fault);
  std::string path_of(std::string_view name) const;
  bool failed() const { return !fault_.empty(); }
  // Refuses members that nobody took.
  Status finish();

 private:
  void numbers(std::string_view name, double* into, std::size_t count);
  void fail_choice(std::string_view name, const std::string& word,
                   const std::vector<std::string_view>& known);

  const document::Value& object_;
  const std::string path_;
  const Lines& lines_;
  std::vector<std::string_view> known_;
  std::string fault_;
};

// "pipeline.toml:14: stage[1].size" or, without lines, "stage[1].size".
std::string place_of(const Lines& lines, const std::string& path);

}  // namespace evener::data::pipeline
