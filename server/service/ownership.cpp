// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/ownership.hpp"

namespace kaname::service {

void check_owner(Context& context, const auth::Principal& caller, const std::string& job_id,
                 auth::Role others, const std::string& verb) {
    if (auth::allows(caller.role, others)) {
        return;
    }
    const std::string owner = context.store.job_owner(job_id);
    if (owner != caller.name) {
        throw Refusal("jobs/" + job_id,
                      "job " + job_id + " belongs to \"" + owner + "\": \"" + caller.name +
                          "\", role " + std::string(to_string(caller.role)) + ", may not " + verb +
                          " it; its owner or role " + std::string(to_string(others)) + " may");
    }
}

}  // namespace kaname::service
