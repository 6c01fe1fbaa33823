// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/fail_point.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>

#include "solvers/base/environment.hpp"

namespace kaname {

namespace {

struct Armed {
    std::string name;
    std::atomic<long> passes_left{0};

    Armed() {
        const std::string value = environment("KANAME_FAIL_POINT");
        const auto colon = value.find(':');
        name = value.substr(0, colon);
        passes_left =
            colon == std::string::npos ? 1 : std::strtol(value.c_str() + colon + 1, nullptr, 10);
    }
};

}  // namespace

void fail_point(std::string_view name) {
    static Armed armed;
    if (armed.name == name && --armed.passes_left == 0) {
        (void)std::raise(SIGKILL);
    }
}

}  // namespace kaname
