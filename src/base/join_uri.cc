#include "base/join_uri.h"

namespace evener {

std::string join_uri(std::string_view uri, std::string_view tail) {
  while (uri.ends_with('/') && !uri.ends_with("//")) uri.remove_suffix(1);
  while (tail.starts_with('/')) tail.remove_prefix(1);
  std::string whole(uri);
  if (!whole.ends_with('/')) whole += '/';
  return whole.append(tail);
}

}  // namespace evener
