// SPDX-License-Identifier: BSD-3-Clause
// Results as they come: axes, then the values of each source once, whatever became of it.
#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::stream_test {
namespace {

class Stream : public ServiceTest {
protected:
    std::vector<v1::GreensResult> stream(
        const std::string& job, const std::string& token,
        const std::function<void(const v1::GreensResult&)>& act = {}) {
        v1::StreamResultsRequest request;
        request.set_job("jobs/" + job);
        request.set_resume_token(token);
        std::vector<v1::GreensResult> results;
        drive<v1::GreensResult>(server_->greens.stream_results(request),
                                [&](const v1::GreensResult& result) {
                                    results.push_back(result);
                                    if (act) {
                                        act(result);
                                    }
                                    return true;
                                });
        return results;
    }
    static std::vector<double> values(const v1::GreensResult& result) {
        return {result.displacement_m().begin(), result.displacement_m().end()};
    }
    /// Returns the values that the helper reads: it counts on over the sources of a block, two
    /// epochs of three components at one station each.
    static std::vector<double> counted(double from) {
        return {from, from + 1, from + 2, from + 3, from + 4, from + 5};
    }
    void run_all() {
        work();
        work();
    }
};

TEST_F(Stream, BeginsWithAxesAndGivesEachSourceWhenItIsDone) {
    const std::string job = submit(sketch("coast", {"a", "b"}));
    const v1::ClaimResponse samples = claim();
    complete(samples.tasks(0));

    const auto results = stream(job, "", [&](const v1::GreensResult& result) {
        if (result.source() == "a") {
            complete(samples.tasks(1));
        } else if (result.source() == "b") {
            work();
        }
    });

    ASSERT_EQ(results.size(), 3U);
    const v1::GreensResult::Axes& axes = results[0].axes();
    EXPECT_EQ(axes.epochs_s_size(), 2);
    ASSERT_EQ(axes.stations_size(), 1);
    EXPECT_EQ(axes.stations(0), "A");
    EXPECT_EQ(axes.components_size(), 3);
    EXPECT_EQ(axes.sources(), 2);
    EXPECT_EQ(results[1].source(), "a");
    EXPECT_EQ(results[1].state(), v1::Item::DONE);
    EXPECT_EQ(values(results[1]), counted(0.0));
    EXPECT_EQ(results[2].source(), "b");
    EXPECT_EQ(values(results[2]), counted(0.0));  // read alone, later
    EXPECT_EQ(state_of(job), store::JobState::Done);
}

TEST_F(Stream, OfADoneJobReadsItsSourcesTogetherAndGoesOnAfterAToken) {
    const std::string job = submit(sketch("coast", {"a", "b", "c"}));
    run_all();

    const auto whole = stream(job, "");
    ASSERT_EQ(whole.size(), 4U);
    EXPECT_EQ(values(whole[1]), counted(0.0));  // alone: nobody knew how large it is
    EXPECT_EQ(values(whole[2]), counted(0.0));
    EXPECT_EQ(values(whole[3]), counted(6.0));

    const auto rest = stream(job, whole[2].resume_token());
    ASSERT_EQ(rest.size(), 2U);
    EXPECT_TRUE(rest[0].has_axes());
    EXPECT_EQ(rest[1].source(), "c");
    EXPECT_EQ(values(rest[1]), counted(0.0));
    EXPECT_TRUE(stream(job, whole[3].resume_token()).empty());
}

TEST_F(Stream, ReadsAMebibyteOfSourcesAtATime) {
    const std::string job = submit(sketch("coast", {"a", "b", "c", "d"}));
    run_all();
    compute_.stations.clear();
    for (int k = 0; k < 10000; ++k) {
        compute_.stations.push_back(std::to_string(k));
    }

    std::vector<double> firsts;
    for (const v1::GreensResult& result : stream(job, "")) {
        if (!result.source().empty()) {
            ASSERT_EQ(result.displacement_m_size(), 60000);
            firsts.push_back(result.displacement_m(0));
        }
    }

    EXPECT_EQ(firsts, (std::vector<double>{0, 0, 60000, 0})) << "a, then b with c, then d";
}

TEST_F(Stream, SaysWhichResultIsLostAndGoesOn) {
    const std::string job = submit(sketch("coast", {"a", "b"}));
    run_all();
    ASSERT_TRUE(artifacts_.remove(sha256_hex("result of a")));

    const auto results = stream(job, "");

    ASSERT_EQ(results.size(), 3U);
    EXPECT_TRUE(results[0].has_axes());
    EXPECT_EQ(results[1].source(), "a");
    EXPECT_EQ(results[1].state(), v1::Item::FAILED);
    EXPECT_EQ(results[1].error(), "its result is lost; submit the batch again");
    EXPECT_TRUE(values(results[1]).empty());
    EXPECT_EQ(results[2].source(), "b");
    EXPECT_EQ(results[2].state(), v1::Item::DONE);
    EXPECT_EQ(values(results[2]), counted(0.0));
}

TEST_F(Stream, SaysWhySourcesFailed) {
    const std::string job = submit(sketch("coast", {"a"}));
    fail(claim().tasks(0), "no convergence");

    const auto results = stream(job, "");

    ASSERT_EQ(results.size(), 1U);  // no values, no axes
    EXPECT_EQ(results[0].source(), "a");
    EXPECT_EQ(results[0].state(), v1::Item::FAILED);
    EXPECT_NE(results[0].error().find("no convergence"), std::string::npos);
    EXPECT_EQ(state_of(job), store::JobState::Failed);
}

TEST_F(Stream, APartialDatasetIsGatheredByTheVerbOfItsKind) {
    const std::string job = submit(sketch("coast", {"a", "b"}));
    complete(claim().tasks(1));

    const v1::Dataset partial = server_->datasets.get(job, true);

    EXPECT_EQ(partial.sources_done(), 1);
    EXPECT_EQ(partial.sha256(), sha256_hex("b\n"));
    EXPECT_THROW((void)server_->datasets.get(job, false), Error);
}

}  // namespace
}  // namespace kaname::service::stream_test
