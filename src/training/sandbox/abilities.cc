#include "training/sandbox/sandbox.h"

namespace evener::sandbox {

std::vector<Ability> probe_abilities() { return {}; }
Isolation best_isolation() { return Isolation::kNamespaces; }

}  // namespace evener::sandbox
