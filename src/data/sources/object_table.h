// Names, sizes and versions of many objects in little memory; the fingerprint of an index.
//
// Used by:  the sources of this folder.
// Threads:  values.
// Fails:    never.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evener::data::sources {

// About 24 bytes an object, and its texts.
class ObjectTable {
 public:
  void add(std::string_view name, std::uint64_t size, std::string_view version) {
    entries_.push_back({text_.size(), size, static_cast<std::uint32_t>(name.size()),
                        static_cast<std::uint32_t>(version.size())});
    text_ += name;
    text_ += version;
  }
  std::size_t count() const { return entries_.size(); }
  std::uint64_t size(std::size_t index) const { return entries_[index].size; }
  std::string_view name(std::size_t index) const {
    const Entry& entry = entries_[index];
    return std::string_view(text_).substr(entry.begin, entry.name);
  }
  std::string_view version(std::size_t index) const {
    const Entry& entry = entries_[index];
    return std::string_view(text_).substr(entry.begin + entry.name, entry.version);
  }

 private:
  struct Entry {
    std::uint64_t begin;
    std::uint64_t size;
    std::uint32_t name;
    std::uint32_t version;
  };
  std::string text_;
  std::vector<Entry> entries_;
};

// SHA-256 over a list of texts and numbers, by pieces: each piece's hash covers the one before.
class Fingerprint {
 public:
  void add(std::string_view text);
  void add(std::uint64_t number);
  std::string take();                  // 64 hex digits

 private:
  void close_piece();
  std::string hash_;
  std::string piece_;
};

}  // namespace evener::data::sources
