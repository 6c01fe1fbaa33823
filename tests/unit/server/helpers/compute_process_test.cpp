// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/compute_process.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/support/fake_compute.hpp"

namespace kaname::helpers {
namespace {

namespace fs = std::filesystem;

class ComputeProcessTest : public testing::Test {
protected:
    ComputeProcess make(const FakeCompute& fake,
                        std::chrono::seconds limit = std::chrono::seconds(60)) {
        return ComputeProcess({fake.program(), scratch_.path() / "helpers", 1, 2, limit});
    }
    void expect_no_leftovers() const { EXPECT_TRUE(fs::is_empty(scratch_.path() / "helpers")); }

    TemporaryFolder scratch_;
};

TEST_F(ComputeProcessTest, PreflightHandsTheSpecificationOver) {
    const FakeCompute fake(
        R"sh(printf 'lib\nnoise \377\n'; printf '@kaname {"type":"result","verb":"preflight","result":%s}\n' "$(cat "$3")")sh");
    ComputeProcess compute = make(fake);

    EXPECT_EQ(compute.preflight(R"({"dof":7})").dof(), 7U);
    expect_no_leftovers();
}

TEST_F(ComputeProcessTest, AReportThatIsNoneNamesItsVerb) {
    const FakeCompute fake(
        R"(echo '@kaname {"type":"result","verb":"'$1'","result":{"dof":"many","epochs_s":"none"}}')");
    ComputeProcess compute = make(fake);

    const auto message = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Internal);
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message([&] { (void)compute.preflight("{}"); }),
              "kaname-compute preflight: must be a kaname.v1.Estimate in JSON: (dof): invalid "
              "value \"many\" for type TYPE_UINT32");
    EXPECT_TRUE(message([&] {
                    (void)compute.slice("/d.h5", {}, {}, {});
                }).starts_with("kaname-compute slice: must be a kaname.v1.SliceReport in JSON: "));
}

TEST_F(ComputeProcessTest, ViolationsKeepTheirFields) {
    const FakeCompute fake(
        R"(echo '@kaname {"type":"error","code":"InvalidArgument","message":"m","violations":[{"field":"mesh","message":"too fine"}]}'; exit 2)");
    ComputeProcess compute = make(fake);

    try {
        (void)compute.preflight("{}");
        FAIL();
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().at(0).field, "mesh");
    }
    expect_no_leftovers();
}

TEST_F(ComputeProcessTest, ACrashIsAnInternalErrorWithItsLastWords) {
    const FakeCompute fake("echo broken heap >&2; kill -SEGV $$");
    ComputeProcess compute = make(fake);

    try {
        (void)compute.preflight("{}");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Internal);
        EXPECT_NE(std::string(error.what()).find("broken heap"), std::string::npos);
    }
    expect_no_leftovers();
}

TEST_F(ComputeProcessTest, AHangIsStopped) {
    const FakeCompute fake("exec sleep 600");
    ComputeProcess compute = make(fake, std::chrono::seconds(0));

    try {
        (void)compute.preflight("{}");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
        EXPECT_NE(std::string(error.what()).find("preflight"), std::string::npos);
    }
}

TEST_F(ComputeProcessTest, AGathererIsGivenItsInputs) {
    const FakeCompute fake(
        R"([ "$1" = collect ] && cp "$5" "$7"; echo '@kaname {"type":"result","verb":"package","result":{}}'; exit 4)");
    ComputeProcess compute = make(fake);
    const fs::path out = scratch_.path() / "d.h5";
    const std::vector<NamedFile> inputs = {{"mesh", "/mesh"}, {"s01d00/dip_slip", "/b"}};

    compute.gather("collect", "{}", inputs, out);

    EXPECT_EQ(read_file_if_any(out), "mesh\t/mesh\ns01d00/dip_slip\t/b\n");
}

TEST_F(ComputeProcessTest, SliceReadsTheValues) {
    // 1.0 is 0x3ff0000000000000.
    const FakeCompute fake(
        R"(eval out=\${11}; for i in 1 2 3; do printf '\0\0\0\0\0\0\360\077'; done > "$out"
echo '@kaname {"type":"result","verb":"slice","result":{"shape":[1,1,1,3],"source_ids":["'$5'"],"epochs_s":[0.5],"station_ids":["A"],"components":["east","north","up"]}}')");
    ComputeProcess compute = make(fake);

    const Block block = compute.slice("/d.h5", {1, 2, 3}, {}, {});

    EXPECT_EQ(block.source_ids, std::vector<std::string>{"1:2:3"});
    EXPECT_EQ(block.values, std::vector<double>(3, 1.0));
    expect_no_leftovers();
}

TEST_F(ComputeProcessTest, LeftoversOfACrashedServerAreRemoved) {
    fs::create_directories(scratch_.path() / "helpers/17");
    const FakeCompute fake("true");

    const ComputeProcess compute = make(fake);

    expect_no_leftovers();
}

}  // namespace
}  // namespace kaname::helpers
