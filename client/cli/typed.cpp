// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/typed.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <unistd.h>

namespace kaname::cli {
namespace fs = std::filesystem;

std::string shell_word(const std::string& text) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
        return text;
    }
    std::string word = "'";
    for (const char c : text) {
        word += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return word + "'";
}

std::string program_to_type(const std::string& argv0) {
    std::error_code failed;
    const fs::path self = fs::read_symlink("/proc/self/exe", failed);
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path program = fs::path(folder) / "kaname";
        if (::access(program.c_str(), X_OK) == 0 && !fs::is_directory(program, failed)) {
            // The first one is what a shell takes.
            if (fs::equivalent(program, self, failed)) {
                return "kaname";
            }
            break;
        }
    }
    return shell_word(argv0.find('/') != std::string::npos ? argv0 : self.string());
}

}  // namespace kaname::cli
