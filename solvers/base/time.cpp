// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/time.hpp"

#include <ctime>

namespace kaname {

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace kaname
