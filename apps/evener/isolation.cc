#include "evener/isolation.h"

namespace evener::app {

Result<sandbox::Isolation> choose_isolation(const std::string& word) {
  if (word.empty()) return sandbox::best_isolation();
  if (word == "namespaces") return sandbox::Isolation::kNamespaces;
  if (word == "plain") return sandbox::Isolation::kPlain;
  return failure(ErrorCode::kInvalidArgument,
                 "--isolation '" + word + "': use namespaces or plain");
}

}  // namespace evener::app
