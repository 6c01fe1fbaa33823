// SPDX-License-Identifier: BSD-3-Clause
#include "worker/command/command.hpp"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "worker/run/exit_code.hpp"

namespace kaname::command::command_test {
namespace {

/// A program with a command and a group of two.
class CommandLine : public ::testing::Test {
protected:
    CommandLine() {
        program_.add_options({
            {"--verbose", {}, "Print more", {}},
            {"--level", &level_, "How much", {.show_default = true, .check = between(1, 9)}},
        });
        Command& solve = program_.add_command("solve", "Solve a problem");
        solve.add_options({
            {"FILE", &file_, "Problem", kRequired},
            {"-o,--output", &output_, "Result"},
            {"--resume", &resume_, "Folder to go on from", {.excludes = "--output"}},
            {"--device", &device_, "Where", {.check = one_of("cpu|cuda"), .variable = kVariable}},
            {"--tolerance", &tolerance_, "Residual", {.check = kPositive}},
            {"--epochs", &epochs_, "Years", {.delimiter = ','}},
            {"--box", &box_, "W,S,E,N", {.delimiter = ',', .values = {4, 4}}},
            {"--id", &ids_, "One source; again for more", {.one_each = true}},
            {"--old", &old_, "Is refused", {.group = ""}},
        });
        solve.chosen = [this] { chosen_ = "solve"; };
        Command& worker = program_.add_command("worker", "See workers");
        worker.needs_command = true;
        Command& drain = worker.add_command("drain", "Let one leave");
        drain.add_exactly_one_of("what",
                                 {{"--host", &host_, "A machine"}, {"--gpu", &gpu_, "One"}});
        drain.chosen = [this] { chosen_ = "worker drain"; };
        Command& hidden = program_.add_command("man", "Print the page");
        hidden.hidden = true;
    }
    ~CommandLine() override { ::unsetenv(kVariable); }

    Given parse(const std::vector<const char*>& typed) {
        std::vector<const char*> words = {"prog"};
        words.insert(words.end(), typed.begin(), typed.end());
        return read(program_, static_cast<int>(words.size()), words.data());
    }
    std::string refusal(const std::vector<const char*>& typed) {
        try {
            (void)parse(typed);
        } catch (const Ended& ended) {
            return ended.is_refusal() ? ended.what() : "no refusal";
        }
        return "";
    }
    std::string printed(const std::vector<const char*>& typed) {
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        try {
            (void)parse(typed);
        } catch (const Ended& ended) {
            code_ = ended.print();
        }
        err_ = testing::internal::GetCapturedStderr();
        return testing::internal::GetCapturedStdout();
    }

    static constexpr const char* kVariable = "KANAME_TEST_DEVICE";
    Command program_{.name = "prog",
                     .what = "Solves.",
                     .footer = "The end.",
                     .version = "prog 1",
                     .needs_command = true};
    int level_ = 3, code_ = -1;
    std::string file_, output_, resume_, device_ = "cpu", host_, gpu_, chosen_, err_;
    std::optional<double> tolerance_;
    std::vector<double> epochs_, box_;
    std::vector<std::string> ids_;
    bool old_ = false;
};

TEST_F(CommandLine, FillsTargetsAndCallsWhatIsChosen) {
    const Given given =
        parse({"--level", "5", "--verbose", "solve", "a.yaml", "-o", "b", "--tolerance", "1e-6",
               "--epochs", "1,2.5", "--id", "x", "--id", "y"});

    EXPECT_EQ(chosen_, "solve");
    EXPECT_EQ(level_, 5);
    EXPECT_EQ(file_, "a.yaml");
    EXPECT_EQ(output_, "b");
    EXPECT_EQ(tolerance_, 1e-6);
    EXPECT_EQ(epochs_, (std::vector<double>{1, 2.5}));
    EXPECT_EQ(ids_, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(given.command, "solve");
    EXPECT_TRUE(given.has("--output"));
    EXPECT_TRUE(given.has("--verbose"));
    EXPECT_FALSE(given.has("--resume"));
}

TEST_F(CommandLine, CommandsBelowOthersHaveTheirPath) {
    EXPECT_EQ(parse({"worker", "drain", "--host", "a"}).command, "worker drain");
    EXPECT_EQ(chosen_, "worker drain");
    EXPECT_EQ(host_, "a");
}

TEST_F(CommandLine, OptionsOfWhichOneIsTypedAreTheCommandsOwn) {
    EXPECT_TRUE(parse({"worker", "drain", "--host", "a"}).has("--host"));
    const CommandText drain = describe(program_).commands.at(1).commands.at(0);
    EXPECT_EQ(drain.name, "drain");
    EXPECT_TRUE(drain.commands.empty());
    EXPECT_TRUE(std::ranges::any_of(drain.options, [](const OptionText& option) {
        return option.long_names == std::vector<std::string>{"--gpu"};
    }));
}

TEST_F(CommandLine, AVariableStandsForAnOption) {
    ::setenv(kVariable, "cuda", 1);

    EXPECT_TRUE(parse({"solve", "a"}).has("--device"));
    EXPECT_EQ(device_, "cuda");
}

TEST_F(CommandLine, RulesAreNamedByRefusals) {
    EXPECT_EQ(refusal({"solve"}), "FILE: must be given");
    EXPECT_EQ(refusal({"--level", "10", "solve", "a"}),
              "--level: must be a whole number from 1 to 9, got 10");
    EXPECT_EQ(refusal({"--level", "two", "solve", "a"}),
              "--level: must be a whole number from 1 to 9, got two");
    EXPECT_EQ(refusal({"solve", "a", "--device", "tpu"}),
              "--device: must be one of cpu, cuda, got tpu");
    EXPECT_EQ(refusal({"solve", "a", "-o", "b", "--resume", "c"}),
              "--output: must not be given with --resume");
    EXPECT_EQ(refusal({"solve", "a", "--tolerance", "0"}),
              "--tolerance: must be a number > 0, got 0");
    EXPECT_EQ(refusal({"solve", "a", "--tolerance", "nan"}),
              "--tolerance: must be a number > 0, got nan");
    EXPECT_EQ(refusal({"solve", "a", "--epochs", "1,x"}), "--epochs: must be a number, got 1,x");
    EXPECT_EQ(refusal({"solve", "a", "--box", "1,2,3"}), "--box: must have 4 values, got 3");
    EXPECT_EQ(refusal({"solve", "a", "b", "--wiat"}),
              "arguments: must be options and operands that this command has, got b --wiat");
    EXPECT_EQ(refusal({"worker"}), "command: must be one of drain");
    EXPECT_EQ(refusal({"worker", "drain", "--host", "a", "--gpu", "b"}),
              "--host,--gpu: exactly one of them must be given");
    EXPECT_EQ(refusal({}), "command: must be one of solve, worker");
    EXPECT_EQ(chosen_, "");
}

TEST_F(CommandLine, AnOptionWithOneValueAtATimeLeavesTheNextWord) {
    (void)parse({"solve", "--id", "x", "a.yaml"});

    EXPECT_EQ(ids_, std::vector<std::string>{"x"});
    EXPECT_EQ(file_, "a.yaml");
}

TEST_F(CommandLine, HelpAndVersionGoToOutputAndRefusalsToErrors) {
    EXPECT_EQ(printed({"--version"}), "prog 1\n");
    EXPECT_EQ(code_, run::kExitOk);
    const std::string help = printed({"solve", "--help"});
    EXPECT_EQ(code_, run::kExitOk);
    EXPECT_NE(help.find("Usage: prog solve [OPTIONS] FILE"), std::string::npos) << help;
    EXPECT_NE(help.find("The end."), std::string::npos) << help;
    EXPECT_EQ(help.find("--old"), std::string::npos) << help;

    EXPECT_EQ(printed({"solve"}), "");
    EXPECT_EQ(code_, run::kExitBadInput);
    EXPECT_EQ(err_, "error: FILE: must be given\nprog solve --help says what it takes\n");
}

TEST(WrappedHelp, GoesOnBelowTheBeginningOfATextAndKeepsEveryWord) {
    const std::string gap(30, ' ');
    const std::string help =
        "  --at TEXT                   from here to there and back again\n"
        "  --very-long-name TEXT:{one,two,three,four} REQUIRED\n" +
        gap + "short\n";

    EXPECT_EQ(wrapped_help(help, 44), "  --at TEXT                   from here to\n" + gap +
                                          "there and back\n" + gap +
                                          "again\n"
                                          "  --very-long-name TEXT:{one,two,three,four}\n"
                                          "      REQUIRED\n" +
                                          gap + "short\n");
}

TEST_F(CommandLine, IsDescribedAsItsHelpShowsIt) {
    const CommandText text = describe(program_);

    ASSERT_EQ(text.commands.size(), 3u);
    EXPECT_TRUE(text.commands[2].hidden);
    const CommandText& solve = text.commands[0];
    EXPECT_EQ(solve.what, "Solve a problem");
    ASSERT_EQ(solve.options.size(), 10u);
    EXPECT_TRUE(solve.options[0].is_help);
    EXPECT_TRUE(solve.options[1].operand);
    EXPECT_EQ(solve.options[2].label, "-o,--output");
    EXPECT_EQ(solve.options[2].long_names, std::vector<std::string>{"--output"});
    EXPECT_EQ(solve.options[4].values, " TEXT:{cpu,cuda} (Env:KANAME_TEST_DEVICE)");
    EXPECT_TRUE(solve.options[9].hidden);
}

TEST_F(CommandLine, TakesAnyWordsWhereACommandSaysSo) {
    Command& any = program_.add_command("frobnicate", "");
    any.any_words = true;

    EXPECT_EQ(parse({"frobnicate", "--what", "ever"}).command, "frobnicate");
}

}  // namespace
}  // namespace kaname::command::command_test
