// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "server/service/context.hpp"

namespace kaname::service {

/// A job is its submitter's, by name. Returns when the caller is the owner or has role `others`,
/// which may do this to anybody's; throws NotFound, or Refusal naming the owner and that role.
/// `verb`: "cancel", for the message.
void check_owner(Context& context, const auth::Principal& caller, const std::string& job_id,
                 auth::Role others, const std::string& verb);

}  // namespace kaname::service
