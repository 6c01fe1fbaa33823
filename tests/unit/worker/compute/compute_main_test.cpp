// SPDX-License-Identifier: BSD-3-Clause
// kaname-compute with a kind of request of one's own.
#include "worker/compute/compute_main.hpp"

#include <array>
#include <iostream>
#include <optional>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/worker/compute/dream_kind.hpp"
#include "worker/run/events.hpp"

namespace kaname::compute::compute_main_test {
namespace {

const Kind& other_kind() {
    static const Kind kind{.schemas = {"test.Nap", "test.Siesta"},
                           .verbs = {{.name = "nap", .what = "Nap", .once = dream_once}}};
    return kind;
}

int call_main(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv = {"kaname-compute"};
    for (const std::string& argument : arguments) {
        argv.push_back(argument.c_str());
    }
    const std::array<const Kind*, 2> kinds = {&other_kind(), &dream_kind()};
    return compute_main(static_cast<int>(argv.size()), argv.data(), kinds);
}

struct Said {
    int code = 0;
    std::string out;
    std::optional<run::Failure> failure;
};

Said said_by(const std::vector<std::string>& arguments) {
    testing::internal::CaptureStdout();
    Said said;
    said.code = call_main(arguments);
    said.out = testing::internal::GetCapturedStdout();
    const run::Event event = run::parse_line(said.out.substr(0, said.out.find('\n')));
    if (const auto* failure = std::get_if<run::Failure>(&event)) {
        said.failure = *failure;
    }
    return said;
}

class ComputeMainTest : public testing::Test {
protected:
    ComputeMainTest() {
        write_file(file("spec.json"), R"({"schema": "test.Dream", "depth": {"of": [1, "sleep"]}})");
        write_file(file("sleep"), "deep sleep");
    }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (folder_.path() / name).string();
    }
    /// The only thing that is said is this error.
    void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
        const Said said = said_by(arguments);
        EXPECT_EQ(said.code, run::kExitBadInput);
        ASSERT_TRUE(said.failure) << said.out;
        EXPECT_EQ(said.failure->message, message);
        EXPECT_EQ(said.failure->code, ErrorCode::InvalidArgument);
        EXPECT_EQ(said.out.find('\n') + 1, said.out.size()) << said.out;
    }
    [[nodiscard]] std::vector<std::string> dream(const std::vector<std::string>& more) const {
        std::vector<std::string> all = {"dream", "--spec", file("spec.json")};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    TemporaryFolder folder_;
};

TEST_F(ComputeMainTest, AVerbOfAKindOfOnesOwnRunsOnce) {
    const Said said = said_by(dream({"--input", "sleep=" + file("sleep"), "--out", file("out")}));

    EXPECT_EQ(said.code, run::kExitOk) << said.out;
    EXPECT_EQ(read_file_if_any(file("out")), "dream in deep sleep");
}

TEST_F(ComputeMainTest, AndAsASessionUntilStandardInputEnds) {
    std::array<int, 2> in{}, out{};
    ASSERT_EQ(::pipe(in.data()), 0);
    ASSERT_EQ(::pipe(out.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(in[0], STDIN_FILENO);
        ::dup2(out[1], STDOUT_FILENO);
        ::close(in[1]);
        ::_exit(call_main(dream(
            {"--serve", "--input", "sleep=" + file("sleep"), "--work", folder_.path().string()})));
    }
    ::close(in[0]);
    ::close(out[1]);
    const std::string command = R"({"cmd":"pack","id":"7","sources":["a","b"]})"
                                "\n";
    ASSERT_EQ(::write(in[1], command.data(), command.size()), static_cast<ssize_t>(command.size()));
    std::string said;
    std::array<char, 4096> chunk;
    for (ssize_t n = 1; n > 0 && said.find(R"("id":"7")") == std::string::npos;) {
        n = ::read(out[0], chunk.data(), chunk.size());
        said.append(chunk.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
    ::close(in[1]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(out[0]);

    EXPECT_NE(said.find(R"("verb":"ready")"), std::string::npos) << said;
    EXPECT_EQ(read_file_if_any(file("b")), "b in deep sleep");
    EXPECT_EQ(WEXITSTATUS(status), run::kExitInterrupted);
}

TEST_F(ComputeMainTest, WhatIsNotKnownIsRefusedByOneErrorThatSaysWhatIs) {
    expect_refused(
        {"snore", "--spec", file("spec.json"), "--loud"},
        "verb 'snore' is not known; known are nap, dream, wake, show, map, solves, campaign-index, "
        "xdmf, slip-tables, "
        "mesh-show, mesh-check, mesh-export, export, answer, answers, slice, probe, doctor");
    expect_refused({"nap", "--spec", file("spec.json")},
                   "test.Dream has no verb 'nap'; it has dream, wake");
    write_file(file("other.json"), R"({"schema": "test.Coma"})");
    expect_refused({"dream", "--spec", file("other.json")},
                   "schema: 'test.Coma' is not known; known are test.Nap, test.Siesta, test.Dream");
    write_file(file("other.json"), R"({"name": "without"})");
    expect_refused({"dream", "--spec", file("other.json")},
                   "schema: '' is not known; known are test.Nap, test.Siesta, test.Dream");
    write_file(file("other.json"), "[1]");
    const Said said = said_by({"dream", "--spec", file("other.json")});
    ASSERT_TRUE(said.failure);
    EXPECT_TRUE(said.failure->message.starts_with("file '" + file("other.json") +
                                                  "' is not a request in JSON: "));
}

TEST_F(ComputeMainTest, InputsAndOptionsThatLackOrAreNotTakenAreRefused) {
    const std::string sleep = "sleep=" + file("sleep");
    expect_refused(dream({"--out", file("out")}), "dream needs the input 'sleep'");
    expect_refused(dream({"--out", file("out"), "--input", sleep, "--input", "mesh=/m"}),
                   "dream knows no input 'mesh'; it takes sleep");
    expect_refused(dream({"--input", sleep}), "dream needs --out");
    expect_refused(dream({"--input", sleep, "--out", file("out"), "--work", "/w"}),
                   "dream takes no --work");
    expect_refused(dream({"--input", sleep, "--out", file("out"), "--only"}),
                   "dream takes no --only");
    expect_refused(dream({"--input", sleep, "--input", sleep, "--out", file("out")}),
                   "--input: input 'sleep' is given twice");
    expect_refused({"wake", "--spec", file("spec.json"), "--out", "/w"}, "wake takes no --out");
    expect_refused({"wake", "--spec", file("spec.json"), "--input", sleep},
                   "wake knows no input 'sleep'");
}

TEST_F(ComputeMainTest, AFolderOfWorkThatIsNotThereIsToldBeforeTheWork) {
    Call call{.verb = "dream", .request = file("spec.json")};
    EXPECT_NO_THROW(check_work(call));
    call.work = folder_.path().string();
    EXPECT_NO_THROW(check_work(call));

    for (const std::string& none : {file("nowhere"), file("sleep")}) {
        call.work = none;
        try {
            check_work(call);
            ADD_FAILURE() << none;
        } catch (const Error& error) {
            EXPECT_EQ(error.what(), "--work: '" + none + "' must be a folder that exists");
        }
    }
}

TEST_F(ComputeMainTest, SessionsAreVerbsThatHaveOne) {
    // Not through compute_main: it would read this program's standard input.
    Call call{.verb = "wake", .request = file("spec.json"), .serve = true};
    const auto message_of = [&](const Verb& verb) -> std::string {
        try {
            check_call(call, verb);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const Verb& dream = dream_kind().verbs[0];
    const Verb& wake = dream_kind().verbs[1];

    EXPECT_EQ(message_of(wake), "wake takes no --serve");
    EXPECT_EQ(message_of(dream), "dream needs --work");
    call.work = "/w";
    call.inputs = {{"sleep", "/s"}};
    EXPECT_EQ(message_of(dream), "");
    call.out = "/o";
    EXPECT_EQ(message_of(dream), "dream takes no --out");
}

}  // namespace
}  // namespace kaname::compute::compute_main_test
