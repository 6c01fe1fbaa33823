// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/files.hpp"

#include <gtest/gtest.h>

#include "client/cli/common/output_place.hpp"
#include "client/cli/local/run_folder.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::cli::files_test {
namespace {

namespace fs = std::filesystem;

template <class Action>
ErrorCode code_of(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << "no error was thrown";
    return ErrorCode::Internal;
}

TEST(WriteFile, ReplacesTheWholeFileAndLeavesNoOther) {
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "a.json";

    write_file(file, "a longer text");
    write_file(file, "short");

    EXPECT_EQ(read_file_if_any(file), "short");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteFile, NamesAPathItCannotWrite) {
    EXPECT_EQ(code_of([] { write_file("/proc/no/such/file", "x"); }), ErrorCode::Unavailable);
}

TEST(ReadFileIfAny, IsEmptyWithoutAFile) {
    EXPECT_EQ(read_file_if_any(support::absent("file")), "");
}

TEST(TemporaryFolder, IsGoneAfterwards) {
    fs::path path;
    {
        const TemporaryFolder folder;
        path = folder.path();
        write_file(path / "file", "x");
        EXPECT_TRUE(fs::is_directory(path));
    }

    EXPECT_FALSE(fs::exists(path));
}

TEST(CheckCanWrite, AcceptsFoldersThatCanBeMadeAndMakesNone) {
    const TemporaryFolder folder;

    check_can_write("--output", folder.path() / "a" / "b");

    EXPECT_FALSE(fs::exists(folder.path() / "a"));
}

TEST(CheckCanWrite, RefusesAFileInTheWay) {
    const TemporaryFolder folder;
    write_file(folder.path() / "file", "x");

    EXPECT_EQ(code_of([&] { check_can_write("--output", folder.path() / "file" / "out"); }),
              ErrorCode::Unavailable);
}

TEST(RunFolder, BelongsToOneRunAtATime) {
    const TemporaryFolder folder;
    const fs::path output = folder.path() / "out";
    {
        const RunFolder first(output);
        EXPECT_EQ(code_of([&] { RunFolder second(output); }), ErrorCode::Conflict);
    }

    const RunFolder third(output);

    EXPECT_TRUE(fs::is_directory(output / "work"));
}

TEST(RunFolder, RemoveWorkKeepsTheResults) {
    const TemporaryFolder folder;
    RunFolder run(folder.path());
    write_file(run.summary(), "{}");
    write_file(run.work("mesh.h5"), "mesh");

    run.remove_work();

    EXPECT_TRUE(fs::exists(run.summary()));
    EXPECT_FALSE(fs::exists(folder.path() / "work"));
}

}  // namespace
}  // namespace kaname::cli::files_test
