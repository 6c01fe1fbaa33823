// SPDX-License-Identifier: BSD-3-Clause
#include <sstream>

#include <gtest/gtest.h>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/files.hpp"
#include "tests/unit/worker/jobs/greens/verbs/fake_stages.hpp"
#include "worker/jobs/frame/values_file.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute::read_sources_test {
namespace {

class ReadSourcesTest : public testing::Test {
protected:
    std::string command(const std::string& id,
                        const std::vector<std::pair<std::string, std::string>>& sources) {
        v1::ReadCommand message;
        message.set_id(id);
        message.set_out((folder.path() / id).string());
        for (const auto& [source, file] : sources) {
            auto& one = *message.add_sources();
            one.set_id(source);
            one.set_file(file);
        }
        return report::to_json(message) + "\n";
    }
    /// The events that the lines are answered with.
    std::vector<run::Event> answers(const std::string& lines) {
        std::istringstream in(lines);
        std::ostringstream out;
        Reporter reporter(out);
        const auto reader = FakeStages().reader({}, "mesh.h5");
        EXPECT_EQ(read_sources(*reader, in, reporter), run::kExitOk);
        std::vector<run::Event> events;
        std::istringstream said(out.str());
        for (std::string line; std::getline(said, line);) {
            events.push_back(run::parse_line(line));
        }
        return events;
    }
    static v1::BlockReport block(const run::Event& event) {
        return report::parse<v1::BlockReport>(std::get<run::Result>(event).json, "block");
    }

    TemporaryFolder folder;
};

TEST_F(ReadSourcesTest, SaysItsAxesOnceAndThenAnswersEachCommand) {
    const auto events =
        answers(command("1", {{"a", "x"}}) + command("2", {{"b", "y"}, {"c", "z"}}));

    ASSERT_EQ(events.size(), 3U);
    const auto& ready = std::get<run::Result>(events[0]);
    EXPECT_EQ(ready.verb, "ready");
    const auto axes = report::parse<v1::ReaderReport>(ready.json, "ready");
    EXPECT_EQ(axes.epochs_s_size(), 2);
    EXPECT_EQ(axes.station_ids(0), "S1");
    EXPECT_EQ(axes.components_size(), 3);
    EXPECT_EQ(block(events[1]).id(), "1");
    EXPECT_EQ(block(events[1]).source_ids(0), "a");
    EXPECT_EQ(std::filesystem::file_size(folder.path() / "1"), 6 * sizeof(double));
    ASSERT_EQ(block(events[2]).source_ids_size(), 1);
    EXPECT_EQ(block(events[2]).source_ids(0), "b");
}

TEST_F(ReadSourcesTest, WhatCannotBeFollowedIsToldAndTheNextIsAwaited) {
    const auto events = answers("nonsense\n" + command("1", {{"a", "broken"}}) +
                                command("no/folder", {{"a", "x"}}) + command("2", {{"a", "x"}}));

    ASSERT_EQ(events.size(), 5U);
    EXPECT_EQ(std::get<run::Failure>(events[1]).message.substr(0, 22), "no command: 'nonsense'");
    EXPECT_EQ(std::get<run::Failure>(events[2]).code, ErrorCode::DataLoss);
    EXPECT_EQ(std::get<run::Failure>(events[3]).code, ErrorCode::Unavailable);
    EXPECT_EQ(block(events[4]).id(), "2");
}

}  // namespace
}  // namespace kaname::compute::read_sources_test
