// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "client/cli/common/progress.hpp"

namespace kaname::cli::progress_view_test {
namespace {

using std::chrono::seconds;

struct Bench {
    std::ostringstream out;
    ProgressView::Clock::time_point time{};

    ProgressView view(int columns) {
        return ProgressView(out, columns, [this] { return time; });
    }
    long lines() const {
        const std::string text = out.str();
        return std::count(text.begin(), text.end(), '\n');
    }
};

TEST(ProgressView, PlainOutputComesEveryFewSecondsAndAtBothEnds) {
    Bench bench;
    ProgressView view = bench.view(0);

    view.show({"solve", 0.0, {}, "setting up"});
    bench.time += seconds(1);
    view.show({"solve", 0.1, 9.0, "too soon"});
    bench.time += seconds(5);
    view.show({"solve", 0.5, 6.0, "half"});
    view.show({"solve", 1.0, 0.0, "done"});

    EXPECT_EQ(bench.lines(), 3);
    EXPECT_EQ(bench.out.str().find("too soon"), std::string::npos);
    EXPECT_NE(bench.out.str().find(" 50 %  eta 6.0 s  half"), std::string::npos);
    EXPECT_EQ(bench.out.str().find('\r'), std::string::npos);
}

TEST(ProgressView, TerminalLineIsDrawnOverAndNeverTooWide) {
    Bench bench;
    ProgressView view = bench.view(40);

    view.show({"solve", 0.5, {}, std::string(200, 'x')});
    view.show({"solve", 0.6, {}, "short"});

    EXPECT_EQ(bench.lines(), 0);
    const std::string text = bench.out.str();
    EXPECT_LT(std::count(text.begin(), text.end(), 'x'), 40);
    view.end_line();
    EXPECT_EQ(bench.lines(), 1);
}

TEST(ProgressView, TerminalKeepsOneLinePerStage) {
    Bench bench;
    ProgressView view = bench.view(80);

    view.show({"mesh", 1.0, {}, ""});
    view.show({"solve", 0.0, {}, ""});
    view.end_line();
    view.end_line();

    EXPECT_EQ(bench.lines(), 2);
    EXPECT_NE(bench.out.str().find("[########################]"), std::string::npos);
    EXPECT_NE(bench.out.str().find("[........................]"), std::string::npos);
}

}  // namespace
}  // namespace kaname::cli::progress_view_test
