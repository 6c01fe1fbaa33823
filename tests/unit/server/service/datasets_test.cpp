// SPDX-License-Identifier: BSD-3-Clause
// Datasets as use cases: found, tagged, pinned, deleted, kept.
#include "server/service/datasets/datasets.hpp"

#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::datasets_test {
namespace {

using auth::Role;
const auth::Principal kAnn{"ann", Role::User};
const auth::Principal kBob{"bob", Role::User};
const auth::Principal kOlga{"olga", Role::Operator};

class DatasetsTest : public ServiceTest {
protected:
    /// A job whose dataset is there.
    std::string make(const std::string& name, const std::vector<std::string>& stations) {
        const std::string id = submit(sketch(name, stations));
        while (state_of(id) == store::JobState::Active) {
            work();
        }
        return id;
    }
    std::vector<std::string> names(const std::string& filter, int page_size = 0) {
        v1::ListDatasetsRequest request;
        request.set_filter(filter);
        request.set_page_size(page_size);
        std::vector<std::string> found;
        do {
            v1::ListDatasetsResponse reply;
            datasets_.list_datasets(request, reply);
            for (const v1::Dataset& dataset : reply.datasets()) {
                found.push_back(dataset.title());
            }
            request.set_page_token(reply.next_page_token());
        } while (!request.page_token().empty());
        return found;
    }
    v1::Dataset change(const std::string& id, const std::vector<std::string>& tags,
                       std::optional<bool> pinned, const auth::Principal& caller = kAnn) {
        v1::UpdateDatasetRequest request;
        request.set_name("datasets/" + id);
        request.mutable_add_tags()->Assign(tags.begin(), tags.end());
        if (pinned) {
            request.set_pinned(*pinned);
        }
        v1::Dataset reply;
        datasets_.update_dataset(request, caller, reply);
        return reply;
    }
    v1::Dataset remove(const std::string& id, bool dry_run = false,
                       const auth::Principal& caller = kAnn) {
        v1::DeleteDatasetRequest request;
        request.set_name("datasets/" + id);
        request.set_dry_run(dry_run);
        v1::Dataset reply;
        datasets_.delete_dataset(request, caller, reply);
        return reply;
    }
    v1::RetainDatasetsResponse retain(std::optional<std::int64_t> keep_bytes, bool dry_run,
                                      double older_than_s = 0) {
        v1::RetainDatasetsRequest request;
        request.set_older_than_s(older_than_s);
        request.set_dry_run(dry_run);
        if (keep_bytes) {
            request.set_keep_bytes(*keep_bytes);
        }
        v1::RetainDatasetsResponse reply;
        datasets_.retain_datasets(request, kOlga, reply);
        return reply;
    }
    static std::string told(const std::function<void()>& call) {
        try {
            call();
        } catch (const std::exception& error) {
            return error.what();
        }
        return "it was taken";
    }
    using Names = std::vector<std::string>;

    DatasetKeeper keeper_{server_->context};
    Datasets datasets_{server_->context, server_->datasets, keeper_};
};

TEST_F(DatasetsTest, AreFoundByWhatTheirSpecificationSays) {
    (void)make("one", {"A", "B"});
    (void)make("other", {"B", "C"});
    (void)submit(sketch("waiting", {"B", "D"}));

    EXPECT_EQ(names(""), (Names{"other", "one"}));
    EXPECT_EQ(names("", 1), (Names{"other", "one"}));
    EXPECT_EQ(names("station = \"B\" AND physics = \"sketch\""), (Names{"other", "one"}));
    EXPECT_EQ(names("station = \"A\" AND station = \"B\""), Names{"one"});
    EXPECT_EQ(names("station = \"A\" AND station = \"C\""), Names{});
    EXPECT_EQ(names("name = \"o*\" AND owner = \"ann\""), (Names{"other", "one"}));
    EXPECT_EQ(names("name = \"o\""), Names{});
    EXPECT_EQ(names("owner = \"bob\""), Names{});
    EXPECT_EQ(names("physics = \"elastic\""), Names{});
}

TEST_F(DatasetsTest, APageTokenIsOfItsFilter) {
    (void)make("one", {"A"});
    (void)make("other", {"A", "B"});
    v1::ListDatasetsRequest request;
    request.set_page_size(1);
    v1::ListDatasetsResponse reply;
    datasets_.list_datasets(request, reply);
    request.set_page_token(reply.next_page_token());
    request.set_filter("station = \"A\"");
    EXPECT_NE(told([&] { datasets_.list_datasets(request, reply); }).find("this filter"),
              std::string::npos);
}

TEST_F(DatasetsTest, ItsOwnerTagsAndPinsIt) {
    const std::string id = make("one", {"A"});
    EXPECT_NE(told([&] { (void)change(id, {"mine"}, {}, kBob); }).find("belongs to \"ann\""),
              std::string::npos);
    EXPECT_NE(told([&] {
                  (void)change(id, {"fine", "not fine"}, {});
              }).find("add_tags[1]"),
              std::string::npos);
    EXPECT_EQ(names("tag = \"fine\""), Names{});

    const v1::Dataset changed = change(id, {"paper", "draft"}, true);

    EXPECT_EQ(changed.tags_size(), 2);
    EXPECT_TRUE(changed.pinned());
    EXPECT_EQ(names("tag = \"draft\" AND pinned = true"), Names{"one"});
    EXPECT_EQ(names("pinned = false"), Names{});
    EXPECT_FALSE(change(id, {}, false, kOlga).pinned());
    const auto audit = store_.list_audit(10, "").rows;
    EXPECT_EQ(audit[0].principal, "olga");
    EXPECT_EQ(audit[1].method, "UpdateDataset");
    EXPECT_EQ(audit[1].outcome, "ok, +paper +draft pinned");
}

TEST_F(DatasetsTest, IsDeletedWithItsJobUnlessSomethingNeedsIt) {
    const std::string id = make("one", {"A"});
    const std::string waiting = submit(sketch("waiting", {"A", "B"}));
    EXPECT_NE(told([&] { (void)remove(waiting); }).find("active"), std::string::npos);
    (void)change(id, {}, true);
    EXPECT_NE(told([&] { (void)remove(id); }).find("pinned"), std::string::npos);
    EXPECT_NE(told([&] { store_.delete_job(id, ""); }).find("pinned"), std::string::npos);
    (void)change(id, {}, false);
    EXPECT_NE(told([&] { (void)remove(id, true, kBob); }).find("belongs to"), std::string::npos);

    EXPECT_EQ(remove(id, true).title(), "one");
    EXPECT_EQ(names(""), Names{"one"});
    EXPECT_EQ(remove(id).title(), "one");

    EXPECT_EQ(names(""), Names{});
    EXPECT_THROW((void)store_.get_job(id), Error);
}

TEST_F(DatasetsTest, TheOldestGoAndADryRunSaysWhich) {
    (void)make("first", {"A"});
    const std::string pinned = make("pinned", {"A", "B"});
    (void)make("last", {"A", "C"});
    (void)change(pinned, {}, true);
    const std::int64_t bytes = store_.get_dataset(pinned).bytes;
    ASSERT_GT(bytes, 0);

    EXPECT_NE(told([&] { (void)retain({}, true); }).find("keep_bytes is not given"),
              std::string::npos);
    EXPECT_EQ(retain(1000000, true).datasets_size(), 0);
    const auto dry = retain(0, true);
    ASSERT_EQ(dry.datasets_size(), 2);
    EXPECT_EQ(dry.datasets(0).title(), "first");
    EXPECT_EQ(dry.datasets(1).title(), "last");
    EXPECT_EQ(names("").size(), 3U) << "a dry run deletes nothing";

    const auto done = retain(0, false);

    EXPECT_EQ(done.datasets_size(), 2);
    EXPECT_EQ(done.more(), 0);
    EXPECT_EQ(names(""), Names{"pinned"});
    const auto audit = store_.list_audit(2, "").rows;
    EXPECT_EQ(audit[0].method, "RetainDatasets");
    EXPECT_EQ(audit[0].principal, "olga");
}

TEST_F(DatasetsTest, AServerKeepsWhatItsConfigurationSays) {
    (void)make("one", {"A"});
    keeper_.keep({}, [] { return false; });
    EXPECT_EQ(names(""), Names{"one"});
    keeper_.keep({0, 0}, [] { return true; });
    EXPECT_EQ(names(""), Names{"one"}) << "it stops when it is told";
    keeper_.keep({0, 0}, [] { return false; });
    EXPECT_EQ(names(""), Names{});
    EXPECT_EQ(store_.list_audit(1, "").rows[0].principal, "server");
}

TEST_F(DatasetsTest, ThoseOfEarlierVersionsAreDescribedAfterwards) {
    const std::string id = make("old", {"A", "B"});
    store_.forget_description(id);
    EXPECT_EQ(names("station = \"A\""), Names{});

    keeper_.describe_old(10);

    EXPECT_EQ(names("station = \"A\" AND physics = \"sketch\""), Names{"old"});
    EXPECT_TRUE(store_.undescribed_datasets(10).empty());
}

}  // namespace
}  // namespace kaname::service::datasets_test
