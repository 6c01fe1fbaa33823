// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/run/daemon/state_folder.hpp"
#include "solvers/base/files.hpp"

namespace kaname::daemon::running_options_test {
namespace {

namespace fs = std::filesystem;

TEST(RunningOptions, AreKeptForTheirOwnerAloneUnderTheNamesOfTheCommandLine) {
    const TemporaryFolder state;

    write_running_options(state.path(),
                          {3, 2, 4, "cpu", 12.5, "password=secret", "/artifacts", "127.0.0.1:0",
                           "127.0.0.1:9464", "", "/c.pem", "/k.pem", "", "", "127.0.0.1:7443"});

    const fs::path file = state.path() / "options.json";
    EXPECT_EQ(nlohmann::json::parse(read_file_if_any(file)),
              nlohmann::json::parse(R"({"workers": 3, "ranks": 2, "threads": 4, "device": "cpu",
                  "lease-s": 12.5, "database": "password=secret", "artifacts": "/artifacts",
                  "listen": "127.0.0.1:0", "metrics": "127.0.0.1:9464", "tls": "",
                  "http": "127.0.0.1:7443",
                  "tls-cert": "/c.pem", "tls-key": "/k.pem", "tls-client-ca": "", "config": "",
                  "said": []})"));
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace
}  // namespace kaname::daemon::running_options_test
