// SPDX-License-Identifier: BSD-3-Clause
// Equal batches share a package: what each of their datasets says of itself.
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::shared_package_test {
namespace {

class SharedPackage : public ApiTest {
protected:
    void fail(const v1::Task& task) {
        v1::FailRequest request;
        request.set_worker_id(worker_);
        *request.mutable_ref() = task.ref();
        request.set_error_class("NotConverged");
        google::protobuf::Empty reply;
        ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Fail, agent_, request, reply).ok());
    }
    v1::Dataset dataset_of(const v1::Job& job) {
        v1::GetDatasetRequest request;
        request.set_name("datasets/" + id_of(job));
        v1::Dataset dataset;
        EXPECT_TRUE(
            call(*datasets_, &v1::Datasets::Stub::GetDataset, viewer_, request, dataset).ok());
        return dataset;
    }
};

TEST_F(SharedPackage, ADatasetIsCompleteWhenItsFileIs) {
    register_worker();
    const v1::Job first = submit();
    ASSERT_TRUE(complete(claim().tasks(0), "mesh").ok());
    const v1::ClaimResponse sources = claim();
    ASSERT_EQ(sources.tasks_size(), 2);
    fail(sources.tasks(0));
    ASSERT_TRUE(complete(sources.tasks(1), "second source").ok());
    const v1::ClaimResponse package = claim();
    ASSERT_EQ(package.inputs_size(), 2) << "mesh and one source";
    const v1::Job twin = submit();  // computes the first source again
    const v1::ClaimResponse again = claim();
    ASSERT_TRUE(complete(again.tasks(0), "first source").ok());

    ASSERT_TRUE(complete(package.tasks(0), "lacks one").ok());
    const v1::ClaimResponse whole = claim();
    ASSERT_EQ(whole.inputs_size(), 3);
    ASSERT_TRUE(complete(whole.tasks(0), "has both").ok());

    EXPECT_EQ(dataset_of(first).sha256(), sha256_hex("lacks one"));
    EXPECT_FALSE(dataset_of(first).complete());
    EXPECT_EQ(dataset_of(first).sources_done(), 1);
    EXPECT_EQ(dataset_of(twin).sha256(), sha256_hex("has both"));
    EXPECT_TRUE(dataset_of(twin).complete());
    EXPECT_EQ(dataset_of(twin).sources_done(), 2);
}

}  // namespace
}  // namespace kaname::service::shared_package_test
