// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/run/program/options.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::program::config_test {
namespace {

class ConfigTest : public ::testing::Test {
protected:
    /// kaname-server with this file and these words on its command line.
    Options read(const std::string& yaml, const std::vector<std::string>& typed = {}) {
        const std::filesystem::path file = folder_.path() / "server.yaml";
        write_file(file, "schema: kaname.v1.ServerConfig\n" + yaml);
        Options options;
        command::Command app{.name = "kaname-server", .what = ""};
        add_config(app, options);
        add_place(app, options, true);
        add_serving(app, options);
        add_space(app, options.space);
        std::vector<const char*> words = {"kaname-server", "--config", file.c_str()};
        for (const std::string& word : typed) {
            words.push_back(word.c_str());
        }
        read_config(command::read(app, static_cast<int>(words.size()), words.data()), options);
        return options;
    }
    std::string refusal(const std::string& yaml) {
        try {
            (void)read(yaml);
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing";
    }

    TemporaryFolder folder_;
};

constexpr const char* kPools = R"(
listen: 0.0.0.0:7443
launchers:
  local: {workers: 0, idle_exit_minutes: 2}
  slurm:
    poll_s: 5
    pools:
      - {name: gpu, serves: [solve], partition: gpu, time_limit_hours: 12, max_workers: 8}
keeping: {min_free: 5%, unreferenced_days: 7, grace_hours: 2, datasets_age_days: 90, datasets_bytes: 5e11}
quotas:
  - {owner: ann, running: 4}
)";

TEST_F(ConfigTest, SaysWhatOptionsSayAndMore) {
    const Options options = read(kPools);

    EXPECT_EQ(options.listen, "0.0.0.0:7443");
    EXPECT_EQ(options.workers, 0);
    EXPECT_EQ(options.idle_exit_s, 120);
    EXPECT_EQ(options.space.min_free, "5%");
    EXPECT_DOUBLE_EQ(options.space.unreferenced_days, 7);
    EXPECT_DOUBLE_EQ(options.space.grace_hours, 2);
    EXPECT_DOUBLE_EQ(options.config.datasets.older_than_s, 90 * 86400);
    EXPECT_EQ(options.config.datasets.keep_bytes, 500000000000);
    EXPECT_EQ(options.lease_s, Options{}.lease_s);
    ASSERT_EQ(options.config.pools.size(), 1);
    EXPECT_EQ(options.config.pools[0].time_limit_s, 43200);
    EXPECT_EQ(options.config.pools[0].max_workers, 8);
    EXPECT_EQ(options.config.site.poll_s, 5);
    ASSERT_EQ(options.config.quotas.size(), 1);
    EXPECT_EQ(options.config.quotas[0].running, 4);
    EXPECT_FALSE(options.config.quotas[0].queued);
}

TEST_F(ConfigTest, WhatIsTypedWinsAndIsTold) {
    const Options options = read(kPools, {"--workers", "3"});

    EXPECT_EQ(options.workers, 3);
    EXPECT_EQ(options.config.overridden, std::vector<std::string>{"--workers"});
}

TEST_F(ConfigTest, EverythingWrongIsToldWithFieldAndLine) {
    const std::string said = refusal(
        "lease_s: 0.5\ncolour: x\nlaunchers:\n  local: {device: tpu}\n  slurm:\n    pools:\n"
        "      - {name: a, serves: [solve], options: [--wrap=id]}\n      - {name: a, serves: "
        "[cpu]}\n");

    for (const char* words :
         {"lease_s: must be in 1..3600, got 0.5", "line 2", "colour", "launchers.local.device",
          "'tpu'", "launchers.slurm.pools[0].options[0]", "--wrap=id",
          "launchers.slurm.pools[1].name: must be another one's", "listen: must be given"}) {
        EXPECT_NE(said.find(words), std::string::npos) << words << "\n" << said;
    }
}

TEST_F(ConfigTest, PasswordIsInAFileOfItsOwn) {
    write_file(folder_.path() / "secret", "it's \\ me\nnot this\n");
    EXPECT_EQ(read("database: {conninfo: host=db dbname=k, password_file: secret}\n").database,
              "host=db dbname=k password='it\\'s \\\\ me'");
    EXPECT_NE(refusal("database: {conninfo: host=db, password_file: none}\n")
                  .find("database.password_file: must have the password"),
              std::string::npos);
    EXPECT_NE(refusal("database: {conninfo: host=db, password_variable: KANAME_NOT_SET}\n")
                  .find("KANAME_NOT_SET"),
              std::string::npos);
}

TEST_F(ConfigTest, NamesOfFilesAreRelativeToIt) {
    EXPECT_EQ(read("artifacts: data\ntls: {certificate: c.pem, key: k.pem}\n").tls_cert,
              (folder_.path() / "c.pem").string());
    EXPECT_NE(refusal("schema: other\n"), "nothing");  // a key that is there twice
}

}  // namespace
}  // namespace kaname::program::config_test
