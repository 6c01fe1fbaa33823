// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "server/space/garbage_collector.hpp"
#include "solvers/base/files.hpp"

namespace kaname::space::trim_log_test {
namespace {

namespace fs = std::filesystem;

TEST(TrimLog, AWriterGoesOnInTheSameFileAndTheOldLinesAreKeptOnce) {
    const TemporaryFolder folder;
    const fs::path log = folder.path() / "server.log";
    const int writer = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const auto say = [&](const std::string& text) {
        ASSERT_EQ(::write(writer, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    };
    say("first lines\n");
    trim_log(log, 100);
    EXPECT_EQ(fs::file_size(log), 12U) << "small ones stay";
    trim_log(log, 5);
    say("next\n");
    EXPECT_EQ(read_file_if_any(log), "next\n");
    EXPECT_EQ(read_file_if_any(log.string() + ".old"), "first lines\n");
    say("and more\n");
    trim_log(log, 5);
    EXPECT_EQ(read_file_if_any(log.string() + ".old"), "next\nand more\n");
    EXPECT_EQ(fs::file_size(log), 0U);
    ::close(writer);
}

TEST(TrimLog, AllProgramsOfAStateFolderAreBounded) {
    const TemporaryFolder folder;
    fs::create_directories(folder.path() / "logs");
    fs::create_directories(folder.path() / "agents");
    for (const char* log : {"server.log", "logs/postgres.log", "agents/local-1.log"}) {
        write_file(folder.path() / log, std::string(1000, 'x'));
    }
    write_file(folder.path() / "agents" / "local-1.token", std::string(1000, 'x'));
    trim_logs(folder.path(), 999);
    for (const char* log : {"server.log", "logs/postgres.log", "agents/local-1.log"}) {
        EXPECT_EQ(fs::file_size(folder.path() / log), 0U) << log;
    }
    EXPECT_EQ(fs::file_size(folder.path() / "agents" / "local-1.token"), 1000U);
    trim_logs(folder.path() / "none");
}

}  // namespace
}  // namespace kaname::space::trim_log_test
