// Who one is: the few operations of STS and IAM that clients ask before a job. There is one account
// and every role is there and may do everything: what a key may do is Evener's own affair.
//
// Used by:  apps (`evener serve`).
// Threads:  the operations run on any.
// Fails:    operations with AWS's errors.
// Source:   AWS's API references of STS and IAM.
#pragma once

#include <string>
#include <vector>

#include "control_plane/operations/operations.h"

namespace evener::control_plane {

// GetCallerIdentity, GetRole, SimulatePrincipalPolicy.
std::vector<Operation> identity_operations(const std::string& account);

}  // namespace evener::control_plane
