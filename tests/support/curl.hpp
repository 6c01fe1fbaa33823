// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/base/text_file.hpp"

namespace kaname::test {

/// Fetched holds the outcome of one request by curl.
struct Fetched {
    int exit = -1;   ///< of curl
    int status = 0;  ///< of the last answer
    std::string head, body;

    /// The value of a header; empty when there is none.
    [[nodiscard]] std::string header(const std::string& name) const {
        const std::size_t at = lower_case(head).find("\n" + lower_case(name) + ": ");
        if (at == std::string::npos) {
            return "";
        }
        const std::size_t begin = at + name.size() + 3;
        return head.substr(begin, head.find('\r', begin) - begin);
    }
};

/// Debian's curl, which must be installed.
class Curl {
public:
    /// Into `file`, which -C goes on with; empty: into a new one.
    Fetched operator()(const std::vector<std::string>& arguments,
                       const std::filesystem::path& file = {}) const {
        const std::filesystem::path head = folder_.path() / "head";
        const std::filesystem::path body = file.empty() ? folder_.path() / "body" : file;
        std::filesystem::remove(head);
        if (file.empty()) {
            std::filesystem::remove(body);
        }
        std::string command = "curl --silent --show-error --max-time 60 --noproxy '*' -D " +
                              quoted(head) + " -o " + quoted(body) + " -w '%{http_code}'";
        for (const std::string& argument : arguments) {
            command += ' ' + quoted(argument);
        }
        Fetched fetched;
        FILE* const out = ::popen(command.c_str(), "r");
        char status[16] = {};
        EXPECT_NE(out, nullptr);
        EXPECT_NE(std::fgets(status, sizeof status, out), nullptr) << "is curl installed?";
        fetched.exit = WEXITSTATUS(::pclose(out));
        fetched.status = std::atoi(status);
        fetched.head = read_file_if_any(head);
        fetched.body = read_file_if_any(body);
        return fetched;
    }

private:
    static std::string quoted(const std::string& word) {
        std::string text = "'";
        for (const char letter : word) {
            text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
        }
        return text + "'";
    }

    TemporaryFolder folder_;
};

}  // namespace kaname::test
