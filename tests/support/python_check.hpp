// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace kaname::test {

inline constexpr int kSkipped = 77;  ///< a script's exit code when it lacks a package

/// Exit code of /usr/bin/python3 with a script of the source folder (by its path there) and its
/// arguments; kSkipped where there is no python3, -1 when it was killed.
[[nodiscard]] inline int python_check(const std::string& script,
                                      const std::vector<std::string>& arguments) {
    const std::string path = std::string(KANAME_SOURCE_DIR) + "/" + script;
    std::vector<char*> argv = {const_cast<char*>("python3"), const_cast<char*>(path.c_str())};
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::execv("/usr/bin/python3", argv.data());
        ::_exit(kSkipped);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}

}  // namespace kaname::test
