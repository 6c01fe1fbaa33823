// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::run::process_test {
namespace {

using std::chrono::milliseconds;

struct Collected {
    std::vector<std::string> out, err;
};

Collected read_all(Process& process) {
    Collected collected;
    const auto keep = [&](Source source, std::string_view line) {
        (source == Source::Stdout ? collected.out : collected.err).emplace_back(line);
    };
    while (process.read_lines(milliseconds(1000), keep)) {
    }
    return collected;
}

ErrorCode code_of_failed_spawn(const std::string& program) {
    try {
        Process process({.argv = {program}, .env = {}});
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(program), std::string::npos) << error.what();
        return error.code();
    }
    ADD_FAILURE() << program << " was started";
    return ErrorCode::Internal;
}

TEST(Process, PassesArgumentsWithoutInterpretingThem) {
    Process process({.argv = {"/bin/echo", "a b", "$HOME", "; exit 7"}, .env = {}});

    const Collected collected = read_all(process);

    EXPECT_EQ(collected.out, std::vector<std::string>{"a b $HOME ; exit 7"});
    EXPECT_TRUE(process.wait().ok());
}

TEST(Process, FindsProgramsInPath) {
    Process process({.argv = {"echo", "found"}, .env = {}});

    EXPECT_EQ(read_all(process).out, std::vector<std::string>{"found"});
}

TEST(Process, EchoesStdinUntilItIsClosed) {
    Process process({.argv = {"/bin/cat"}, .env = {}});

    EXPECT_TRUE(process.write_stdin("one\ntwo\nlast without newline"));
    process.close_stdin();

    EXPECT_EQ(read_all(process).out,
              (std::vector<std::string>{"one", "two", "last without newline"}));
}

TEST(Process, KeepsStderrApart) {
    Process process({.argv = {"/bin/cat", support::absent("file")}, .env = {}});

    const Collected collected = read_all(process);

    EXPECT_TRUE(collected.out.empty());
    EXPECT_EQ(collected.err.size(), 1u);
    EXPECT_EQ(process.wait().code, 1);
}

TEST(Process, JoinsLinesLongerThanOneRead) {
    Process process({.argv = {"/bin/cat"}, .env = {}});
    const std::string line(50000, 'x');

    process.write_stdin(line);
    process.write_stdin(line + "\nend\n");
    process.close_stdin();

    EXPECT_EQ(read_all(process).out, (std::vector<std::string>{line + line, "end"}));
}

TEST(Process, CutsALineThatDoesNotEnd) {
    Process process({.argv = {"sh", "-c",
                              "head -c 30000000 /dev/zero | tr '\\0' y; echo; echo short; "
                              "printf '@kaname '; head -c 3000000 /dev/zero | tr '\\0' z; echo"},
                     .env = {}});

    const Collected collected = read_all(process);

    ASSERT_EQ(collected.out.size(), 3U);
    EXPECT_EQ(collected.out[0], std::string(kLongestLine, 'y') + " ... (" +
                                    std::to_string(30000000 - kLongestLine) + " more bytes)");
    EXPECT_EQ(collected.out[1], "short");
    EXPECT_EQ(collected.out[2].size(), 3000008U) << "an event may be longer";
}

TEST(Process, EndsWithItsChildWhateverHoldsItsStreams) {
    // One stays in the group, one leaves it; neither heeds SIGTERM.
    Process process(
        {.argv = {"sh", "-c", "trap '' TERM; echo said; sleep 77 & setsid sleep 78 & exit 3"},
         .env = {}});
    const auto begun = std::chrono::steady_clock::now();

    const Collected collected = read_all(process);

    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
    EXPECT_EQ(collected.out, std::vector<std::string>{"said"});
    EXPECT_EQ(process.wait().code, 3);
}

TEST(Process, ReportsMissingProgramsAsNotFound) {
    EXPECT_EQ(code_of_failed_spawn(support::absent("program")), ErrorCode::NotFound);
    EXPECT_EQ(code_of_failed_spawn("no-such-program-in-path"), ErrorCode::NotFound);
}

TEST(Process, ReportsProgramsThatCannotRunAsUnavailable) {
    EXPECT_EQ(code_of_failed_spawn("/etc/passwd"), ErrorCode::Unavailable);
}

TEST(Process, OverridesAndRemovesEnvironmentVariables) {
    ::setenv("KANAME_TEST_GONE", "1", 1);
    Process process(
        {.argv = {"env"}, .env = {{"KANAME_TEST_SET", "new"}, {"KANAME_TEST_GONE", std::nullopt}}});

    const std::vector<std::string> lines = read_all(process).out;

    EXPECT_EQ(std::count(lines.begin(), lines.end(), "KANAME_TEST_SET=new"), 1);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "KANAME_TEST_GONE=1"), 0);
}

TEST(Process, TerminateEndsASleeper) {
    Process process({.argv = {"/bin/sleep", "600"}, .env = {}});

    EXPECT_FALSE(process.try_wait());
    const ExitStatus status = process.terminate(milliseconds(5000));

    EXPECT_EQ(status.signal, SIGTERM);
    EXPECT_EQ(status.text(), "signal 15 (Terminated)");
}

TEST(Process, DestructionKillsAndReapsTheChild) {
    pid_t pid = -1;
    {
        Process process({.argv = {"/bin/sleep", "600"}, .env = {}});
        pid = process.pid();
        EXPECT_EQ(::kill(pid, 0), 0);
    }

    EXPECT_EQ(::kill(pid, 0), -1);
    EXPECT_EQ(errno, ESRCH);
}

TEST(Process, WritingToAnEndedChildIsNoSignal) {
    Process process({.argv = {"/bin/echo"}, .env = {}});
    process.wait();

    EXPECT_FALSE(process.write_stdin("text"));
}

TEST(Process, GivesNoOtherDescriptorsToTheChild) {
    const Pipe extra = make_pipe();
    Process first({.argv = {"/bin/sleep", "600"}, .env = {}});
    Process process({.argv = {"ls", "/proc/self/fd"}, .env = {}});

    // 0, 1, 2 and the one that ls opens to list the folder.
    EXPECT_EQ(read_all(process).out.size(), 4u);
}

TEST(Process, RefusesAnEmptyArgv) {
    EXPECT_THROW(Process({.argv = {}, .env = {}}), Error);
}

}  // namespace
}  // namespace kaname::run::process_test
