// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <csignal>

#include <gtest/gtest.h>

#include "server/helpers/source_reader.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/fake_compute.hpp"

namespace kaname::helpers::source_readers_test {
namespace {

namespace fs = std::filesystem;

/// Notes its start; answers each command with the value 1.0 of one source named "r".
/// Where a command has "fail", "die" or "die now" for a file, it does that.
const std::string kReader = R"sh(
here=$(dirname "$0"); echo $$ >> "$here/starts"
echo '@kaname {"type":"result","verb":"ready","result":{"epochs_s":[0.5],"station_ids":["A"],"components":["up"]}}'
while read -r line; do
  id=$(echo "$line" | sed 's/.*"id":"\([0-9]*\)","out".*/\1/')
  out=$(echo "$line" | sed 's/.*"out":"\([^"]*\)".*/\1/')
  case "$line" in
    *'"fail"'*) echo '@kaname {"type":"error","code":"DataLoss","message":"torn"}'; continue;;
    *'"die once"'*) if [ ! -e "$here/died" ]; then touch "$here/died"; kill -SEGV $$; fi;;
    *'"die"'*) echo last words >&2; kill -SEGV $$;;
    *'"hang"'*) sleep 600;;
  esac
  printf '\0\0\0\0\0\0\360\077' > "$out"
  echo '@kaname {"type":"result","verb":"block","result":{"id":"'$id'","source_ids":["r"]}}'
done
)sh";

class SourceReadersTest : public testing::Test {
protected:
    void open(int most = 4, std::chrono::milliseconds idle = std::chrono::minutes(1),
              std::chrono::seconds limit = std::chrono::seconds(60)) {
        readers.emplace(SourceReadersOptions{.program = fake.program(),
                                             .scratch = scratch.path() / "readers",
                                             .most = most,
                                             .idle = idle,
                                             .limit = limit});
    }
    Block read(const std::string& job, const std::string& file = "x") {
        const std::vector<NamedFile> sources = {{"r", file}};
        const std::vector<NamedFile> inputs = {{"mesh", "/" + job}};
        return readers->read("{}", inputs, sources);
    }
    std::string message_of(const std::string& job, const std::string& file, ErrorCode code) {
        try {
            (void)read(job, file);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code);
            return error.what();
        }
        ADD_FAILURE() << "no error";
        return "";
    }
    [[nodiscard]] std::size_t count(const char* what) const {
        const std::string text = read_file_if_any(fake.file(what));
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }

    FakeCompute fake{kReader};
    TemporaryFolder scratch;
    std::optional<SourceReaders> readers;
};

TEST_F(SourceReadersTest, OneReaderAnswersEveryCallOfAJob) {
    open();
    for (int k = 0; k < 5; ++k) {
        const Block block = read("job");
        EXPECT_EQ(block.source_ids, std::vector<std::string>{"r"});
        EXPECT_EQ(block.epochs_s, std::vector<double>{0.5});
        EXPECT_EQ(block.components, std::vector<std::string>{"up"});
        EXPECT_EQ(block.values, std::vector<double>{1.0});
    }

    EXPECT_EQ(count("starts"), 1U);
    readers.reset();
    EXPECT_TRUE(fs::is_empty(scratch.path() / "readers"));
}

TEST_F(SourceReadersTest, CallersOfOneJobShareItsReaderAndNoneDiesWithItsCaller) {
    open();
    std::vector<std::thread> callers;
    for (int k = 0; k < 6; ++k) {
        callers.emplace_back([&] { EXPECT_EQ(read("job").values.size(), 1U); });
    }
    for (std::thread& caller : callers) {
        caller.join();
    }
    (void)read("job");

    EXPECT_EQ(count("starts"), 1U);
}

TEST_F(SourceReadersTest, IdleReadersMakePlaceForOtherJobs) {
    open(2);
    for (const char* job : {"one", "two", "three", "two", "three", "one"}) {
        (void)read(job);
    }

    EXPECT_EQ(count("starts"), 4U);  // one, two, three, and one again
}

TEST_F(SourceReadersTest, AnIdleReaderIsClosed) {
    open(4, std::chrono::milliseconds(20));
    (void)read("job");
    const pid_t reader = std::stoi(read_file_if_any(fake.file("starts")));
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (::kill(reader, 0) == 0 && std::chrono::steady_clock::now() < patience) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }

    EXPECT_NE(::kill(reader, 0), 0);
    EXPECT_EQ(read("job").values.size(), 1U);
}

TEST_F(SourceReadersTest, AFileThatCannotBeReadEndsNoReader) {
    open();
    EXPECT_EQ(message_of("job", "fail", ErrorCode::DataLoss), "torn");
    EXPECT_EQ(read("job").values.size(), 1U);

    EXPECT_EQ(count("starts"), 1U);
}

TEST_F(SourceReadersTest, ACrashEndsTheReaderAndAnotherIsAskedOnce) {
    open();
    (void)read("job");
    EXPECT_EQ(read("job", "die once").values.size(), 1U);
    EXPECT_EQ(count("starts"), 2U);

    const std::string message = message_of("job", "die", ErrorCode::Internal);
    EXPECT_NE(message.find("kaname-compute read ended with signal 11"), std::string::npos)
        << message;
    EXPECT_NE(message.find("last words"), std::string::npos) << message;
    EXPECT_EQ(count("starts"), 3U);
    EXPECT_EQ(read("job").values.size(), 1U);
}

TEST_F(SourceReadersTest, AHangIsStopped) {
    open(4, std::chrono::minutes(1), std::chrono::seconds(1));
    const std::string message = message_of("job", "hang", ErrorCode::Unavailable);

    EXPECT_NE(message.find("kaname-compute read took longer than 1 s"), std::string::npos);
    EXPECT_EQ(read("job").values.size(), 1U);
}

TEST_F(SourceReadersTest, AProgramThatIsNotThereIsNamed) {
    readers.emplace(SourceReadersOptions{
        .program = "/no/kaname-compute", .scratch = scratch.path() / "readers", .most = 1});
    for (int k = 0; k < 3; ++k) {  // and its place is given up each time
        EXPECT_NE(message_of("job" + std::to_string(k), "x", ErrorCode::NotFound)
                      .find("/no/kaname-compute"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace kaname::helpers::source_readers_test
