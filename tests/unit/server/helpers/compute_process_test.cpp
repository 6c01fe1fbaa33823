// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/compute_process.hpp"

#include <atomic>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/fake_compute.hpp"

namespace kaname::helpers::compute_process_test {
namespace {

namespace fs = std::filesystem;

class ComputeProcessTest : public testing::Test {
protected:
    ComputeProcess make(const FakeCompute& fake,
                        std::chrono::seconds limit = std::chrono::seconds(60)) {
        return ComputeProcess(
            {.program = fake.program(), .scratch = scratch_.path() / "helpers", .limit = limit});
    }
    void expect_no_leftovers() const {
        for (const auto& left : fs::directory_iterator(scratch_.path() / "helpers")) {
            EXPECT_EQ(left.path().filename(), "speeds");
        }
    }

    TemporaryFolder scratch_;
};

TEST_F(ComputeProcessTest, PreflightHandsTheSpecificationOver) {
    const FakeCompute fake(
        R"sh(printf 'lib\nnoise \377\n'; printf '@kaname {"type":"result","verb":"preflight","result":%s}\n' "$(cat "$3")")sh");
    ComputeProcess compute = make(fake);

    EXPECT_EQ(compute.preflight(R"({"dof":7})", {}, {}).dof(), 7U);
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
    EXPECT_EQ(message([&] { (void)compute.preflight("{}", {}, {}); }),
              "kaname-compute preflight: must be a kaname.v1.Estimate in JSON: (dof): invalid "
              "value \"many\" for type TYPE_UINT32");
    EXPECT_TRUE(message([&] {
                    (void)compute.slice("/d.h5", {}, {});
                }).starts_with("kaname-compute slice: must be a kaname.v1.SliceReport in JSON: "));
}

TEST_F(ComputeProcessTest, AHelperReadsWhatItMayAndAProgramThatNeedsMoreIsNamed) {
    if (run::landlock_version() == 0) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    const TemporaryFolder results, other;
    write_file(other.path() / "module", "");
    // At its start it reads a file of its own, and then the dataset that it is asked for.
    const FakeCompute fake("cat " + (other.path() / "module").string() + R"sh( >&2 || exit 1
[ "$1" = --version ] && exit 0
cat "$3" >&2 || exit 1
dof=8
[ -e "$KANAME_CACHE/speeds/book" ] || { dof=7; echo >"$KANAME_CACHE/speeds/book" || exit 1; }
echo '@kaname {"type":"result","verb":"preflight","result":{"dof":'$dof'}}')sh");
    ComputeOptions options{.program = fake.program(),
                           .may_read = {results.path()},
                           .may_write = {},
                           .scratch = scratch_.path() / "helpers"};

    EXPECT_NE(why_not_confined(options).find("KANAME_HELPERS_READ"), std::string::npos);
    ::setenv("KANAME_HELPERS_READ", other.path().c_str(), 1);
    EXPECT_EQ(why_not_confined(options), "");
    ComputeProcess compute(options);
    EXPECT_EQ(compute.preflight("{}", {}, {}).dof(), 7U);
    EXPECT_EQ(compute.preflight("{}", {}, {}).dof(), 8U);  // what the first one measured is kept
    write_file(scratch_.path() / "secret", "");
    try {
        (void)compute.slice(scratch_.path() / "secret", {}, {});
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("Permission denied"), std::string::npos)
            << error.what();
    }
    ::unsetenv("KANAME_HELPERS_READ");
}

TEST_F(ComputeProcessTest, SpeedsOutliveAServerAndBeginWithThoseOfItsUser) {
    if (run::landlock_version() == 0) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    const TemporaryFolder cache;
    fs::create_directory(cache.path() / "speeds");
    write_file(cache.path() / "speeds" / "book", "1\n");
    const char* before = std::getenv("KANAME_CACHE");
    const std::string kept = before == nullptr ? "" : before;
    ::setenv("KANAME_CACHE", cache.path().c_str(), 1);
    // Each helper adds one to the count that it finds.
    const FakeCompute fake(R"sh([ "$1" = --version ] && exit 0
read -r n <"$KANAME_CACHE/speeds/book" || n=100
echo $((n + 1)) >"$KANAME_CACHE/speeds/book" || exit 1
echo '@kaname {"type":"result","verb":"preflight","result":{"dof":'$n'}}')sh");
    const ComputeOptions options{.program = fake.program(),
                                 .may_read = {cache.path()},
                                 .may_write = {},
                                 .scratch = scratch_.path() / "helpers"};

    EXPECT_EQ(ComputeProcess(options).preflight("{}", {}, {}).dof(), 1U);
    EXPECT_EQ(fs::status(options.scratch / "speeds" / "book").permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
    write_file(options.scratch / "left", "by a server that was killed");
    EXPECT_EQ(ComputeProcess(options).preflight("{}", {}, {}).dof(), 2U);
    EXPECT_FALSE(fs::exists(options.scratch / "left"));
    EXPECT_EQ(read_file_if_any(cache.path() / "speeds" / "book"),
              "1\n");  // the user's own is not touched
    kept.empty() ? ::unsetenv("KANAME_CACHE") : ::setenv("KANAME_CACHE", kept.c_str(), 1);
}

TEST_F(ComputeProcessTest, AHelperOfOneDatasetReadsNoOther) {
    if (run::landlock_version() == 0) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    const TemporaryFolder results;
    write_file(results.path() / "mine", "mine");
    write_file(results.path() / "other", "canary");
    const FakeCompute fake("[ \"$1\" = --version ] && exit 0; cat " +
                           (results.path() / "mine").string() + ' ' +
                           (results.path() / "other").string() + " >&2; exit 1");
    ComputeProcess compute({.program = fake.program(),
                            .may_read = {results.path()},
                            .may_write = {},
                            .scratch = scratch_.path() / "helpers"});

    try {
        (void)compute.slice(results.path() / "mine", {}, {});
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("mine"), std::string::npos) << text;
        EXPECT_EQ(text.find("canary"), std::string::npos) << text;
    }
}

TEST_F(ComputeProcessTest, ViolationsKeepTheirFields) {
    const FakeCompute fake(
        R"(echo '@kaname {"type":"error","code":"InvalidArgument","message":"m","violations":[{"field":"mesh","message":"too fine"}]}'; exit 2)");
    ComputeProcess compute = make(fake);

    try {
        (void)compute.preflight("{}", {}, {});
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
        (void)compute.preflight("{}", {}, {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Internal);
        EXPECT_NE(std::string(error.what()).find("broken heap"), std::string::npos);
    }
    expect_no_leftovers();
}

TEST_F(ComputeProcessTest, OneThatIsKilledMayBeTriedAgain) {
    const FakeCompute fake("kill -9 $$");
    ComputeProcess compute = make(fake);

    try {
        (void)compute.preflight("{}", {}, {});
        FAIL() << "it was killed";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
        EXPECT_NE(std::string(error.what()).find("signal 9"), std::string::npos) << error.what();
    }
    expect_no_leftovers();
}

TEST_F(ComputeProcessTest, AHangIsStopped) {
    const FakeCompute fake("exec sleep 600");
    ComputeProcess compute = make(fake, std::chrono::seconds(0));

    try {
        (void)compute.preflight("{}", {}, {});
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

    compute.gather("collect", "{}", inputs, out, {});

    EXPECT_EQ(read_file_if_any(out), "mesh\t/mesh\ns01d00/dip_slip\t/b\n");
}

TEST_F(ComputeProcessTest, SliceReadsTheValues) {
    // 1.0 is 0x3ff0000000000000.
    const FakeCompute fake(
        R"(read -r first < "$5"; case "$first" in *'"station_ids":["B \"2\""]'*) id=B;; esac
for i in 1 2 3; do printf '\0\0\0\0\0\0\360\077'; done > "$7"
echo '@kaname {"type":"result","verb":"slice","result":{"shape":[1,1,1,3],"source_ids":["'$id'"],"epochs_s":[0.5],"station_ids":["A"],"components":["east","north","up"]}}')");
    ComputeProcess compute = make(fake);

    v1::ReadSliceRequest wanted;
    wanted.add_station_ids("B \"2\"");
    Slice slice = compute.slice("/d.h5", wanted, {});

    expect_no_leftovers();
    EXPECT_EQ(slice.axes.source_ids, std::vector<std::string>{"B"});
    EXPECT_EQ(slice.values.next(2), std::vector<double>(2, 1.0));
    EXPECT_EQ(slice.values.next(2), std::vector<double>(1, 1.0));
    EXPECT_TRUE(slice.values.next(2).empty());
}

TEST_F(ComputeProcessTest, LeftoversOfACrashedServerAreRemoved) {
    fs::create_directories(scratch_.path() / "helpers/17");
    const FakeCompute fake("true");

    const ComputeProcess compute = make(fake);

    expect_no_leftovers();
}

TEST_F(ComputeProcessTest, AHelperWhoseCallerHasGoneIsEndedWithinTwoSeconds) {
    const FakeCompute fake("trap '' TERM\nsleep 60 & wait\nsleep 60");
    ComputeProcess compute = make(fake);
    const auto begin = std::chrono::steady_clock::now();
    const auto gone = [&] {
        return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(300);
    };

    EXPECT_THROW((void)compute.preflight("{}", gone, {}), Error);

    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2300));
    expect_no_leftovers();
}

TEST_F(ComputeProcessTest, TheirQueueIsBoundedAndWhoHasGoneLeavesIt) {
    const FakeCompute fake("sleep 60");
    ComputeProcess compute({.program = fake.program(),
                            .scratch = scratch_.path() / "helpers",
                            .max_parallel = 1,
                            .max_waiting = 2});
    std::atomic<bool> leave = false;
    std::atomic<int> n_refused = 0, n_left = 0;
    const auto call = [&] {
        try {
            (void)compute.preflight("{}", [&] { return leave.load(); }, {});
        } catch (const Error& error) {
            (error.code() == ErrorCode::Exhausted ? n_refused : n_left)++;
        }
    };
    std::vector<std::jthread> callers;
    for (int k = 0; k < 5; ++k) {
        callers.emplace_back(call);
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (n_refused < 2 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    leave = true;
    callers.clear();

    EXPECT_EQ(n_refused, 2);  // one runs, two wait
    EXPECT_EQ(n_left, 3);
}

TEST_F(ComputeProcessTest, AHelperHasLimitsOfItsOwn) {
    const FakeCompute fake(
        R"sh(printf '@kaname {"type":"error","code":"Internal","message":"v %s f %s t %s"}\n' "$(ulimit -v)" "$(ulimit -f)" "$(ulimit -t)"; exit 1)sh");
    ComputeProcess compute({.program = fake.program(),
                            .scratch = scratch_.path() / "helpers",
                            .threads = 3,
                            .limit = std::chrono::seconds(50),
                            .memory_bytes = 1U << 30U,
                            .file_bytes = 1U << 20U});

    try {
        (void)compute.preflight("{}", {}, {});
        FAIL() << "must throw what it reports";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "v 1048576 f 2048 t 150");  // KiB, blocks of 512 bytes, seconds
    }
}

}  // namespace
}  // namespace kaname::helpers::compute_process_test
