// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/cache_folder.hpp"

#include <string>

#include "solvers/base/environment.hpp"

namespace kaname {
namespace fs = std::filesystem;

fs::path cache_folder() {
    if (const std::string named = environment("KANAME_CACHE"); !named.empty()) {
        return fs::absolute(named);
    }
    if (const std::string folder = environment("XDG_CACHE_HOME"); !folder.empty()) {
        return fs::path(folder) / "kaname";
    }
    const std::string home = environment("HOME");
    return home.empty() ? fs::path{} : fs::path(home) / ".cache" / "kaname";
}

}  // namespace kaname
