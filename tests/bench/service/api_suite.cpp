// SPDX-License-Identifier: BSD-3-Clause
// Measures the whole server as a caller sees it: streams beside a bare gRPC stream of the same
// messages, submits, and agents that only report.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "proto/kaname/v1/artifacts_service.grpc.pb.h"
#include "proto/kaname/v1/jobs_service.grpc.pb.h"
#include "server/service/jobs/resolved_request.hpp"
#include "server/store/postgres/connection.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "tests/bench/service/bench_server.hpp"
#include "tests/bench/service/rows.hpp"
#include "worker/agent/lease/grpc_client.hpp"
#include "worker/agent/lease/reporter.hpp"

namespace kaname::bench {
namespace {

constexpr std::int64_t kChunk = 256 << 10;

void check(const grpc::Status& status, const char* what) {
    if (!status.ok()) {
        throw Error(ErrorCode::Internal, std::string(what) + ": " + status.error_message());
    }
}

/// A service that writes as many chunks as it is asked for bytes, and does nothing else.
class BareStream final : public v1::Artifacts::Service {
public:
    grpc::Status ReadArtifact(grpc::ServerContext*, const v1::ReadArtifactRequest* request,
                              grpc::ServerWriter<v1::ReadArtifactResponse>* writer) override {
        v1::ReadArtifactResponse part;
        part.set_chunk(std::string(kChunk, 'x'));
        for (std::int64_t sent = 0; sent < request->read_limit(); sent += kChunk) {
            part.set_offset(sent);
            part.set_crc32c(1);
            writer->Write(part);
        }
        return grpc::Status::OK;
    }
};

/// Megabytes per second of a read, by the bytes that came.
double read_rate(v1::Artifacts::Stub& stub, grpc::ClientContext& call,
                 const v1::ReadArtifactRequest& request) {
    const Clock::time_point start = Clock::now();
    const auto reader = stub.ReadArtifact(&call, request);
    v1::ReadArtifactResponse part;
    std::size_t bytes = 0;
    while (reader->Read(&part)) {
        bytes += part.chunk().size();
    }
    check(reader->Finish(), "ReadArtifact");
    return static_cast<double>(bytes) / 1e6 / seconds_since(start);
}

double bare_rate(std::int64_t bytes) {
    BareStream service;
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service);
    const auto server = builder.BuildAndStart();
    v1::Artifacts::Stub stub(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                                 grpc::InsecureChannelCredentials()));
    v1::ReadArtifactRequest request;
    request.set_read_limit(bytes);
    grpc::ClientContext call;
    const double rate = read_rate(stub, call, request);
    server->Shutdown();
    return rate;
}

double served_rate(BenchServer& server, const std::string& sha256) {
    v1::Artifacts::Stub stub(server.connect());
    v1::ReadArtifactRequest request;
    request.set_sha256(sha256);
    grpc::ClientContext call;
    server.authorize(call, auth::Role::User);
    return read_rate(stub, call, request);
}

/// A file of noise in the server's store.
std::string store_file(BenchServer& server, std::int64_t bytes) {
    std::string text(static_cast<std::size_t>(bytes), '\0');
    std::uint64_t state = 1;
    for (std::size_t k = 0; k < text.size(); k += 8) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        std::copy_n(reinterpret_cast<const char*>(&state),
                    std::min<std::size_t>(8, text.size() - k),
                    text.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return service::put_text(server.artifacts, text);
}

/// The best of three of each, in turn.
void streams(const Bench& bench, std::int64_t bytes) {
    BenchServer plain, secret(true);
    const std::string file = store_file(plain, bytes);
    (void)store_file(secret, bytes);
    double bare = 0, served = 0, over_tls = 0;
    for (int turn = 0; turn < 3; ++turn) {
        bare = std::max(bare, bare_rate(bytes));
        served = std::max(served, served_rate(plain, file));
        over_tls = std::max(over_tls, served_rate(secret, file));
    }
    bench.add("bare", "stream_mb_s", "MB/s", bare);
    bench.add("served", "stream_mb_s", "MB/s", served);
    bench.add("served", "stream_tls_mb_s", "MB/s", over_tls);
    bench.add("served", "stream_ratio_to_bare_grpc", "", served / bare);
}

/// Megabytes per second of a download by curl, as curl counts them.
double http_rate(BenchServer& server, const std::string& sha256, std::int64_t bytes) {
    const std::filesystem::path ca = server.certificate_file();
    const std::string command =
        "curl --silent --noproxy '*' -o /dev/null -w '%{size_download} %{speed_download}' -H "
        "'Authorization: Bearer " +
        server.user + "' " + (ca.empty() ? "" : "--cacert '" + ca.string() + "' ") +
        server.pages() + "/v1/artifacts/" + sha256;
    std::array<char, 128> said{};
    FILE* const out = ::popen(command.c_str(), "r");
    const bool any = out != nullptr && std::fgets(said.data(), said.size(), out) != nullptr;
    const bool ended = out != nullptr && ::pclose(out) == 0;
    char* rest = nullptr;
    const auto size = std::strtoll(said.data(), &rest, 10);
    if (!any || !ended || size != bytes) {
        throw Error(ErrorCode::Unavailable, std::string("curl got ") + said.data());
    }
    return std::strtod(rest, nullptr) / 1e6;
}

void downloads(const Bench& bench, std::int64_t bytes) {
    BenchServer plain, secret(true);
    const std::string file = store_file(plain, bytes);
    (void)store_file(secret, bytes);
    double open = 0, over_tls = 0;
    for (int turn = 0; turn < 3; ++turn) {
        open = std::max(open, http_rate(plain, file, bytes));
        over_tls = std::max(over_tls, http_rate(secret, file, bytes));
    }
    bench.add("served", "http_mb_s", "MB/s", open);
    bench.add("served", "http_tls_mb_s", "MB/s", over_tls);
}

v1::Job submit(BenchServer& server, v1::Jobs::Stub& jobs, const v1::GreensBatch& batch) {
    v1::CreateJobRequest request;
    *request.mutable_batch() = batch;
    request.set_request_id(store::make_uuid());
    grpc::ClientContext call;
    server.authorize(call, auth::Role::User);
    v1::Job job;
    check(jobs.CreateJob(&call, request, &job), "CreateJob");
    return job;
}

/// An agent without a computation: every task's result is a file of its own, which an agent's
/// reporter uploads while the next pack is claimed.
class Reporting {
public:
    explicit Reporting(BenchServer& server)
        : folder_(server.folder.path() / id_),
          client_({server.socket()}, server.agent),
          cache_(folder_ / "cache", std::uint64_t{1} << 30U, client_),
          reporter_(
              client_, cache_, held_, [this] { return id_; },
              [](const std::string& trouble) { std::fprintf(stderr, "%s\n", trouble.c_str()); }) {
        v1::RegisterRequest request;
        request.set_worker_id(id_);
        request.set_name("bench");
        request.set_ranks(1);
        request.set_threads(1);
        client_.register_worker(request);
    }
    v1::ClaimResponse claim(double wait_s) {
        v1::ClaimRequest request;
        request.set_worker_id(id_);
        request.set_claim_id(store::make_uuid());
        request.add_pools("cpu");
        request.add_pools("solve");
        request.set_wait_s(wait_s);
        request.set_in_pages(true);
        request.set_first_time(true);
        return client_.claim(request, {});
    }
    void report(const v1::ClaimResponse& pack) {
        held_.add(pack);
        std::vector<agent::Finished> finished;
        for (const v1::Task& task : pack.tasks()) {
            const auto file = folder_ / std::to_string(task.ref().task_id());
            std::ofstream(file) << "result of " << task.content_key();
            finished.push_back({task.ref(), file});
        }
        reporter_.complete(std::move(finished));
    }
    void complete(const v1::ClaimResponse& pack) {
        report(pack);
        reporter_.flush();
    }
    void flush() { reporter_.flush(); }
    void beat() {
        v1::HeartbeatRequest request;
        request.set_worker_id(id_);
        client_.heartbeat(request);
    }

private:
    const std::string id_ = store::make_uuid();
    std::filesystem::path folder_;
    agent::GrpcWorkersClient client_;
    agent::InputCache cache_;
    agent::HeldTasks held_;
    agent::Reporter reporter_;
};

/// `workers` threads, each an agent, run `loop` until it returns false.
void with_agents(BenchServer& server, int workers, const std::function<bool(Reporting&)>& loop) {
    std::vector<std::jthread> threads;
    for (int number = 0; number < workers; ++number) {
        threads.emplace_back([&] {
            Reporting agent(server);
            while (loop(agent)) {
            }
            agent.flush();
        });
    }
}

void end_to_end(const Bench& bench, int sources, int workers) {
    BenchServer server;
    v1::Jobs::Stub jobs(server.connect());
    Clock::time_point start = Clock::now();
    double durable = 0;
    std::jthread looker([&] {
        while (server.store.list_jobs({}, 1, "").rows.empty()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        durable = seconds_since(start);
    });
    (void)submit(server, jobs, batch_of(sources, 0));
    bench.add("api", "submit_seconds", "s", seconds_since(start));
    looker.join();
    bench.add("api", "submit_durable_seconds", "s", durable);
    {
        Reporting mesher(server);
        mesher.complete(mesher.claim(5));
    }
    std::atomic<int> n_tasks = 0;
    start = Clock::now();
    with_agents(server, workers, [&](Reporting& agent) {
        const v1::ClaimResponse pack = agent.claim(0.5);
        if (pack.tasks_size() == 0) {
            return false;
        }
        agent.report(pack);
        n_tasks += pack.tasks_size();
        return n_tasks < sources;
    });
    const double seconds = seconds_since(start);
    if (server.store.list_jobs({}, 1, "").rows.at(0).n_sources_done != sources) {
        throw Error(ErrorCode::Internal, "a result was lost");
    }
    bench.add("agents-" + std::to_string(workers), "end_to_end_tasks_per_s", "1/s",
              sources / seconds);
}

/// From the call that submits a source to the answer of the claim of an agent that waits for it.
void pick_up(const Bench& bench, int n) {
    BenchServer server;
    v1::Jobs::Stub jobs(server.connect());
    Reporting agent(server);
    (void)submit(server, jobs, batch_of(1, 0));
    agent.complete(agent.claim(5));  // the mesh, which the others share
    std::vector<double> seconds;
    for (int turn = 1; turn <= n; ++turn) {
        for (v1::ClaimResponse left = agent.claim(0); left.tasks_size() > 0;
             left = agent.claim(0)) {
            agent.complete(left);
        }
        Clock::time_point came;
        v1::ClaimResponse pack;
        std::jthread waiting([&] {
            pack = agent.claim(10);
            came = Clock::now();
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        const Clock::time_point start = Clock::now();
        (void)submit(server, jobs, batch_of(1, turn));
        waiting.join();
        seconds.push_back(std::chrono::duration<double>(came - start).count());
        agent.complete(pack);
    }
    bench.add("idle-agent", "pickup_p50_ms", "ms", 1e3 * quantile(seconds, 0.5));
    bench.add("idle-agent", "pickup_p99_ms", "ms", 1e3 * quantile(seconds, 0.99));
}

std::int64_t n_commits(const std::string& database) {
    // A backend tells its figures a second after it has become idle.
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    store::Connection connection(database);
    return connection
        .run("select xact_commit from pg_stat_database where datname = current_database()")
        .number(0, 0);
}

double commits_per_s(const std::string& database, double seconds) {
    const std::int64_t before = n_commits(database);
    const Clock::time_point counted = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const std::int64_t after = n_commits(database);
    return static_cast<double>(after - before) / seconds_since(counted);
}

/// Measures the load of idle workers on the database, beside that of the server by itself.
void idle(const Bench& bench, int workers, double seconds) {
    BenchServer server;
    const double alone = commits_per_s(server.database, seconds);
    std::atomic<bool> ending = false;
    std::jthread agents([&] {
        with_agents(server, workers, [&](Reporting& agent) {
            // As an agent does: claims that wait for ten seconds, a sign of life every five.
            std::jthread beats([&] {
                for (int k = 0; k < 20 && !ending; ++k) {
                    if (k % 10 == 0) {
                        agent.beat();
                    }
                    std::this_thread::sleep_for(std::chrono::milliseconds(500));
                }
            });
            (void)agent.claim(10);
            return !ending;
        });
    });
    std::this_thread::sleep_for(std::chrono::seconds(3));  // all have registered
    const double beside = commits_per_s(server.database, seconds);
    bench.add("idle-server", "idle_commits_per_s", "1/s", alone);
    bench.add("idle-agents-" + std::to_string(workers), "idle_commits_per_s_per_worker", "1/s",
              (beside - alone) / workers);
    ending = true;
}

}  // namespace

void run_api(const Bench& bench, int scale) {
    const auto agents = [&] { end_to_end(bench, scale == 1 ? 10000 : 100000, 8); };
    if (bench.options.part == "agents") {
        agents();
        return;
    }
    streams(bench, (scale == 1 ? std::int64_t{128} : std::int64_t{512}) << 20);
    downloads(bench, (scale == 1 ? std::int64_t{256} : std::int64_t{1024}) << 20);
    pick_up(bench, scale == 1 ? 50 : 200);
    idle(bench, 8, scale == 1 ? 5 : 20);
    agents();
}

}  // namespace kaname::bench
