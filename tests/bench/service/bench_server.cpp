// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/service/bench_server.hpp"

#include <atomic>

#include "proto/request/greens/load.hpp"
#include "server/run/daemon/state_folder.hpp"
#include "server/web/pages/site.hpp"
#include "tests/support/by_tokens.hpp"
#include "tests/support/postgres/private_postgres.hpp"

namespace kaname::bench {
namespace {

artifacts::StoreOptions roomy() {
    artifacts::StoreOptions options;
    options.min_free_bytes = 0;
    return options;
}

}  // namespace

v1::Estimate QuickHelpers::preflight(const std::string&, const helpers::Caller&,
                                     std::span<const helpers::NamedFile>) {
    v1::Estimate estimate;
    estimate.set_sources(1);
    estimate.set_packs(1);
    estimate.set_surface_stored(true);
    return estimate;
}

void QuickHelpers::gather(const std::string&, const std::string&,
                          std::span<const helpers::NamedFile>, const std::filesystem::path& dataset,
                          const helpers::Caller&) {
    write_file(dataset, "dataset");
}

helpers::Block QuickHelpers::read(const std::string&, std::span<const helpers::NamedFile>,
                                  std::span<const helpers::NamedFile>) {
    throw Error(ErrorCode::Unavailable, "the bench reads no sources");
}

helpers::Slice QuickHelpers::slice(const std::filesystem::path&, const v1::ReadSliceRequest&,
                                   const helpers::Caller&) {
    throw Error(ErrorCode::Unavailable, "the bench reads no datasets");
}

v1::AnswerAxes QuickHelpers::answer_axes(const std::filesystem::path&) {
    throw Error(ErrorCode::Unavailable, "the bench reads no datasets");
}

helpers::AnsweredBlock QuickHelpers::answer(const std::filesystem::path&,
                                            const v1::AnswerCommand&) {
    throw Error(ErrorCode::Unavailable, "the bench reads no datasets");
}

BenchServer::BenchServer(bool tls)
    : database(support::PrivatePostgres::durable().new_database()),
      store(database, {}),
      artifacts(folder.path() / "artifacts", roomy()),
      checkpoints(folder.path() / "artifacts" / "checkpoints", roomy()),
      user(tokens.issue("ann", auth::Role::User)),
      agent(tokens.issue("agent", auth::Role::Worker)) {
    service::ApiOptions options;
    options.logs = folder.path() / "logs";
    options.scratch = folder.path() / "scratch";
    options.version = "bench";
    options.socket = socket_;
    if (tls) {
        const daemon::KeyPair pair = daemon::self_signed(folder.path(), "localhost");
        options.certificate = certificate_ = pair.certificate;
        options.key = pair.key;
    }
    server_ = std::make_unique<rpc::ApiServer>(
        options, service::Backends{store, artifacts, checkpoints, helpers_, tokens, running_});
    pages_ = std::make_unique<http::Server>(
        http::ServerOptions{
            .listen = "127.0.0.1:0", .certificate = options.certificate, .key = options.key},
        pages::all_pages([this] { return server_->metrics(); }, server_->downloads()),
        http::by_tokens(tokens));
}

std::string BenchServer::pages() const {
    return (certificate_.empty() ? "http://127.0.0.1:" : "https://127.0.0.1:") +
           std::to_string(pages_->port());
}

std::filesystem::path BenchServer::certificate_file() const {
    return certificate_.empty() ? "" : folder.path() / "tls" / "certificate.pem";
}

BenchServer::~BenchServer() {
    pages_.reset();
    server_->shutdown(std::chrono::seconds(1));
}

std::string BenchServer::address() const {
    return (certificate_.empty() ? "127.0.0.1:" : "localhost:") + std::to_string(server_->port());
}

std::shared_ptr<grpc::Channel> BenchServer::connect() const {
    static std::atomic<int> n_connections = 0;
    grpc::ChannelArguments arguments;
    arguments.SetInt("kaname.bench.connection", ++n_connections);
    grpc::SslCredentialsOptions trusted;
    trusted.pem_root_certs = certificate_;
    auto channel = grpc::CreateCustomChannel(
        address(),
        certificate_.empty() ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(trusted),
        arguments);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(20))) {
        throw Error(ErrorCode::Unavailable, "no connection to " + address());
    }
    return channel;
}

void BenchServer::authorize(grpc::ClientContext& call, auth::Role role) const {
    call.AddMetadata("authorization", "Bearer " + (role == auth::Role::Worker ? agent : user));
    call.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(5));
}

v1::GreensBatch batch_of(int n, int draw) {
    v1::GreensBatch batch =
        request::load_batch_file(std::string(KANAME_SOURCE_DIR) + "/tests/e2e/data/tiny.yaml")
            .batch;
    batch.mutable_fault()->mutable_plane()->clear_rake_deg();
    for (int k = 0; k < n; ++k) {
        batch.mutable_fault()->mutable_plane()->add_rake_deg(-360.0 + 700.0 * k / n + 1e-4 * draw);
    }
    return batch;
}

}  // namespace kaname::bench
