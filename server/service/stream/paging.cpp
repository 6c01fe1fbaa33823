// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/stream/paging.hpp"

#include <charconv>
#include <string_view>

#include "solvers/base/error.hpp"

namespace kaname::service {

int page_size_of(int requested, int fallback) {
    if (requested < 0) {
        refuse("page_size", "must be >= 0, got " + std::to_string(requested));
    }
    return requested == 0 ? fallback : requested;
}

std::string make_resume_token(const std::string& job_id, std::int64_t seq) {
    return job_id + '.' + std::to_string(seq);
}

std::int64_t parse_resume_token(const std::string& job_id, const std::string& token) {
    if (token.empty()) {
        return 0;
    }
    std::int64_t seq = -1;
    if (token.starts_with(job_id + '.')) {
        const char* end = token.data() + token.size();
        const auto [at, error] = std::from_chars(token.data() + job_id.size() + 1, end, seq);
        if (error != std::errc() || at != end) {
            seq = -1;
        }
    }
    if (seq < 0) {
        refuse("resume_token", "must come from an update of job " + job_id + ", got \"" +
                                   token.substr(0, 100) + '"');
    }
    return seq;
}

void refuse(const std::string& field, const std::string& message) {
    throw ValidationError(std::vector<Violation>{{field, message}});
}

}  // namespace kaname::service
