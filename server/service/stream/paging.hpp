// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "server/store/types.hpp"

namespace kaname::service {

/// `fallback` for 0; larger pages than 1000 are cut by the store. Throws ValidationError when
/// negative.
[[nodiscard]] int page_size_of(int requested, int fallback);

/// "<job id>.<event seq>", the place of a watcher in a job's events.
[[nodiscard]] std::string make_resume_token(const std::string& job_id, std::int64_t seq);
/// 0 for an empty token. Throws ValidationError for a token of another job, or none at all.
[[nodiscard]] std::int64_t parse_resume_token(const std::string& job_id, const std::string& token);

/// Throws the ValidationError of one field.
[[noreturn]] void refuse(const std::string& field, const std::string& message);

using store::id_of;

}  // namespace kaname::service
