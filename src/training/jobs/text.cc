#include "training/jobs/text.h"

namespace evener::jobs {

std::string cut_utf8(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  constexpr std::size_t kLongestCharacter = 4;
  std::size_t end = limit;
  const auto continues = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0u) == 0x80u;
  };
  while (end > 0 && limit - end < kLongestCharacter && continues(end)) --end;
  if (continues(end)) end = limit;  // not UTF-8: any place is as good
  return std::string(text.substr(0, end));
}

}  // namespace evener::jobs
