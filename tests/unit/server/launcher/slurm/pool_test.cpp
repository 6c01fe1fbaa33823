// SPDX-License-Identifier: BSD-3-Clause
#include "server/launcher/slurm/pool.hpp"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "server/launcher/slurm/slurm.hpp"
#include "solvers/base/files.hpp"

namespace kaname::launcher::pool_test {
namespace {

namespace fs = std::filesystem;

SlurmPool good() {
    SlurmPool pool;
    pool.name = "gpu";
    pool.serves = {"solve"};
    return pool;
}

std::string broken(const SlurmPool& pool) {
    std::string all;
    for (const Violation& violation : check_pool(pool, "pool")) {
        all += violation.field + ": " + violation.message + "\n";
    }
    return all;
}

TEST(SlurmPool, GoodOneIsNotRefused) {
    SlurmPool pool = good();
    pool.options = {"--constraint=a100&nvlink", "--exclusive", "--gres=gpu:h100:2"};
    EXPECT_EQ(broken(pool), "");
}

TEST(SlurmPool, OptionsByWhichAJobWouldBeAnotherAreRefused) {
    for (const char* option : {"--wrap=id", "--uid=root", "--export=ALL", "--chdir=/", "-p x",
                               "--constraint=a;id", "--constraint=$(id)", "--constraint=a b",
                               "--output=/etc/passwd", "--job-name=x", "x.sh", ""}) {
        SlurmPool pool = good();
        pool.options = {option};
        EXPECT_NE(broken(pool).find("pool.options[0]: must be"), std::string::npos) << option;
    }
}

TEST(SlurmPool, EveryBrokenRuleIsToldWithFieldAndValue) {
    SlurmPool pool = good();
    pool.name = "GPU";
    pool.serves = {"disk"};
    pool.partition = "a b";
    pool.nodes = 2;
    pool.time_limit_s = 30;
    pool.device = "tpu";

    const std::string all = broken(pool);

    for (const char* field :
         {"pool.name", "pool.serves[0]", "pool.partition", "pool.ranks", "pool.time_limit_s",
          "pool.leave_before_s", "pool.device", "pool.scratch"}) {
        EXPECT_NE(all.find(field), std::string::npos) << field << "\n" << all;
    }
    EXPECT_NE(all.find("got \"GPU\""), std::string::npos);
}

TEST(SlurmPool, BecomesOptionsOfSbatch) {
    SlurmPool pool = good();
    pool.ranks = 4;
    pool.threads = 8;
    pool.gpus_per_node = 4;
    pool.memory_gb = 64;
    pool.time_limit_s = 3601;
    const std::vector<std::string> argv = sbatch_options(pool);
    for (const char* option : {"--ntasks=4", "--cpus-per-task=8", "--gpus-per-node=4",
                               "--mem=61036M", "--time=61", "--signal=B:TERM@60", "--nodes=1"}) {
        EXPECT_EQ(std::ranges::count(argv, option), 1) << option;
    }
}

/// Runs the script as slurmd would, with a stand-in for the agent.
class WorkerScript : public ::testing::Test {
protected:
    CommandOutcome run(const std::string& agent, double limit_s = 20) {
        const fs::path program = folder_.path() / "the agent's";
        write_file(program, "#!/bin/bash\n" + agent);
        fs::permissions(program, fs::perms::owner_all);
        SlurmSite site;
        site.server = "login:7443";
        site.ca = "-----BEGIN\nit's\n-----END";
        site.agent = program;
        site.folder = folder_.path();
        SlurmPool pool = good();
        pool.scratch = folder_.path() / "scratch";
        fs::create_directories(pool.scratch);
        return run_command(
            {"bash"}, worker_script(site, pool, {"kaname-x", "slurm.gpu.x", "s3'cret"}), limit_s);
    }
    TemporaryFolder folder_;
};

TEST_F(WorkerScript, AgentGetsTokenAndAuthorityInPrivateFilesThatGoWithIt) {
    const CommandOutcome done =
        run("echo \"$@\"; while [ \"$1\" ]; do case $1 in --token-file) t=$2 ;; --ca) c=$2 ;; "
            "esac; shift; "
            "done; cat \"$t\" \"$c\"; stat -c %a \"$t\" \"$(dirname \"$t\")\"; exit 3");

    EXPECT_EQ(done.exit_code, 3) << done.err;
    EXPECT_EQ(done.out.find("s3'cret"), done.out.find('\n') + 1);  // not among the arguments
    EXPECT_NE(done.out.find("it's\n-----END\n600\n700\n"), std::string::npos) << done.out;
    EXPECT_NE(done.out.find("--leave-after-s 3480"), std::string::npos) << done.out;
    EXPECT_EQ(read_file_if_any(folder_.path() / "kaname-x.exit"), "3\n");
    EXPECT_TRUE(fs::is_empty(folder_.path() / "scratch"));
}

TEST_F(WorkerScript, SignalReachesTheAgentWhichEndsInItsOwnTime) {
    const CommandOutcome done = run(
        "trap 'sleep 0.3; echo left; exit 0' TERM; kill -TERM $PPID; sleep 0.1; sleep 10 & wait");

    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.out, "left\n");
    EXPECT_TRUE(fs::is_empty(folder_.path() / "scratch"));
}

}  // namespace
}  // namespace kaname::launcher::pool_test
