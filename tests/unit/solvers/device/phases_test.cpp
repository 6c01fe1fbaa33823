// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/phases.hpp"

#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace kaname::device::phases_test {
namespace {

using Clock = std::chrono::steady_clock;

void pass(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

class PhasesOfAQueue : public testing::Test {
protected:
    PhasesOfAQueue() { queue.record_phases(&phases); }
    [[nodiscard]] double seconds(Phase phase) const { return phases.of(phase).seconds; }
    Queue queue;
    Phases phases;
};

TEST_F(PhasesOfAQueue, AnInnerPhasePausesTheOuterOne) {
    const auto start = Clock::now();
    phases.reset();
    {
        const InPhase outer(queue, Phase::DotsVectors);
        pass(0.004);
        {
            const InPhase inner(queue, Phase::Coarsest);
            pass(0.006);
        }
        pass(0.004);
    }
    const double wall = std::chrono::duration<double>(Clock::now() - start).count();

    EXPECT_GE(seconds(Phase::DotsVectors), 0.008);
    EXPECT_GE(seconds(Phase::Coarsest), 0.006);
    // Exclusive: with the inner one's time in it the sum would be more than all.
    EXPECT_LE(seconds(Phase::DotsVectors) + seconds(Phase::Coarsest), wall);
}

TEST_F(PhasesOfAQueue, TimesAddUpToAllTimeUntilTheLastBorder) {
    const auto start = Clock::now();
    phases.reset();
    double in_phases = 0.0;
    for (int k = 0; k < 3; ++k) {
        const InPhase outer(queue, Phase::Predictor);
        const auto entered = Clock::now();
        const InPhase inner(queue, Phase::Waiting);
        const InPhase again(queue, Phase::Waiting);  // a phase inside itself is one
        pass(0.002);
        in_phases += std::chrono::duration<double>(Clock::now() - entered).count();
    }
    const double wall = std::chrono::duration<double>(Clock::now() - start).count();

    double sum = 0.0;
    for (const Phases::Record& record : phases.records()) {
        sum += record.seconds;
    }
    EXPECT_LE(sum, wall);
    EXPECT_GE(sum, in_phases);
    EXPECT_GE(seconds(Phase::Waiting), 0.006);
}

TEST_F(PhasesOfAQueue, AScopeMayChangeItsPhaseAndTheOuterOneComesBack) {
    {
        InPhase outer(queue, Phase::LoadStress);
        note(queue, {1.0, 0.0, 0.0});
        {
            InPhase inner(queue, Phase::P1Below);
            note(queue, {10.0, 2.0, 0.0});
            inner.change(Phase::Coarsest);
            note(queue, {100.0, 0.0, 3.0});
        }
        note(queue, {1000.0, 0.0, 0.0});
    }
    note(queue, {1e4, 0.0, 0.0});

    EXPECT_EQ(phases.of(Phase::LoadStress).work.bytes, 1001.0);
    EXPECT_EQ(phases.of(Phase::P1Below).work.bytes, 10.0);
    EXPECT_EQ(phases.of(Phase::P1Below).work.flop_fp32, 2.0);
    EXPECT_EQ(phases.of(Phase::Coarsest).work.bytes, 100.0);
    EXPECT_EQ(phases.of(Phase::Coarsest).work.flop_fp64, 3.0);
    EXPECT_EQ(phases.of(Phase::None).work.bytes, 1e4);
    Work total;
    for (const Phases::Record& record : phases.records()) {
        total += record.work;
    }
    EXPECT_EQ(total.bytes, 11111.0);
}

TEST_F(PhasesOfAQueue, ResetForgetsWhatWasKept) {
    {
        const InPhase phase(queue, Phase::Predictor);
        note(queue, {1.0, 1.0, 1.0});
        pass(0.001);
    }
    phases.reset();

    for (const Phases::Record& record : phases.records()) {
        EXPECT_EQ(record.seconds, 0.0);
        EXPECT_EQ(record.work.bytes, 0.0);
    }
}

TEST(Phases, AQueueWithoutARecorderKeepsNothing) {
    Queue queue;
    Phases phases;
    queue.record_phases(&phases);
    queue.record_phases(nullptr);
    {
        const InPhase phase(queue, Phase::Predictor);
        note(queue, {1.0, 1.0, 1.0});
    }
    for (const Phases::Record& record : phases.records()) {
        EXPECT_EQ(record.work.bytes, 0.0);
    }
    EXPECT_EQ(phases.of(Phase::Predictor).seconds, 0.0);
}

TEST(Phases, NamesDiffer) {
    std::set<std::string> names;
    for (int phase = 0; phase < kPhases; ++phase) {
        names.emplace(to_string(static_cast<Phase>(phase)));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(kPhases));
    EXPECT_EQ(to_string(Phase::OperatorFp64), "operator_fp64");
    EXPECT_EQ(to_string(Phase::Waiting), "waiting");
}

}  // namespace
}  // namespace kaname::device::phases_test
