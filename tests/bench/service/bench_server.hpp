// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>

#include "proto/kaname/v1/greens.pb.h"
#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "server/grpc/api_server.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/web/http/server.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/token_list.hpp"

namespace kaname::bench {

/// Helpers that cost nothing.
class QuickHelpers final : public helpers::Compute {
public:
    v1::Estimate preflight(const std::string&, const helpers::Caller&,
                           std::span<const helpers::NamedFile>) override;
    void gather(const std::string&, const std::string&, std::span<const helpers::NamedFile>,
                const std::filesystem::path& dataset, const helpers::Caller&) override;
    /// These throw Unavailable: nothing here reads datasets.
    helpers::Block read(const std::string&, std::span<const helpers::NamedFile>,
                        std::span<const helpers::NamedFile>) override;
    helpers::Slice slice(const std::filesystem::path&, const v1::ReadSliceRequest&,
                         const helpers::Caller&) override;
    v1::AnswerAxes answer_axes(const std::filesystem::path&) override;
    helpers::AnsweredBlock answer(const std::filesystem::path&, const v1::AnswerCommand&) override;
};

/// The whole server in this process, with a database of its own and helpers that answer at once.
class BenchServer {
public:
    /// Throws Unavailable without a PostgreSQL.
    explicit BenchServer(bool tls = false);
    ~BenchServer();
    BenchServer(const BenchServer&) = delete;
    BenchServer& operator=(const BenchServer&) = delete;

    /// A connection that shares nothing with others.
    [[nodiscard]] std::shared_ptr<grpc::Channel> connect() const;
    [[nodiscard]] std::string address() const;
    /// Where its pages are over HTTP, and the file of the certificate if they are encrypted.
    [[nodiscard]] std::string pages() const;
    [[nodiscard]] std::filesystem::path certificate_file() const;
    /// As agents of this machine reach it.
    [[nodiscard]] std::string socket() const { return "unix:" + socket_.string(); }
    /// Adds a token of the role to a call.
    void authorize(grpc::ClientContext& call, auth::Role role) const;

    TemporaryFolder folder;
    const std::string database;
    store::PostgresStore store;
    artifacts::FilesystemStore artifacts, checkpoints;
    auth::TokenList tokens;
    const std::string user, agent;  ///< secrets of it

private:
    QuickHelpers helpers_;
    scheduler::FairShare share_;
    scheduler::RunningTasks running_{share_};
    const std::filesystem::path socket_ = folder.path() / "socket";
    std::string certificate_;
    std::unique_ptr<rpc::ApiServer> server_;
    std::unique_ptr<http::Server> pages_;
};

/// The tiny batch of the tests with `n` directions of slip on its one patch: so many sources that
/// no other `draw` has.
[[nodiscard]] v1::GreensBatch batch_of(int n, int draw);

}  // namespace kaname::bench
