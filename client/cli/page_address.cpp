// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/page_address.hpp"

#include <algorithm>
#include <array>

namespace kaname::cli {
namespace {

constexpr std::array kViewsOfJobs = {"job", "jobs", "map", "mesh"};

}  // namespace

std::optional<std::string> job_of_view(const std::string& view) {
    const std::size_t slash = view.find('/');
    if (slash == std::string::npos || slash + 1 == view.size() ||
        std::ranges::find(kViewsOfJobs, view.substr(0, slash)) == kViewsOfJobs.end()) {
        return std::nullopt;
    }
    return view.substr(slash + 1);
}

std::string with_job(const std::string& view, const std::string& uuid) {
    return view.substr(0, view.find('/') + 1) + uuid;
}

std::string page_address(const std::string& url, const std::string& code, const std::string& view) {
    std::string to;
    for (const char letter : view) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '-' || letter == '/' ||
                           letter == '_' || letter == '.';
        constexpr const char* kDigits = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(letter);
        to += plain ? std::string(1, letter)
                    : std::string{'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
    return url + "/#login=" + code + (to.empty() ? "" : "&to=/" + to);
}

}  // namespace kaname::cli
