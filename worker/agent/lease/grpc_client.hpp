// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "proto/kaname/v1/workers_service.grpc.pb.h"
#include "proto/status/channel.hpp"
#include "solvers/base/files.hpp"
#include "worker/agent/lease/workers_client.hpp"

namespace kaname::agent {

class GrpcWorkersClient final : public WorkersClient {
public:
    GrpcWorkersClient(rpc::Target server, std::string token);

    v1::RegisterResponse register_worker(const v1::RegisterRequest& request) override;
    void leave(const v1::LeaveRequest& request) override;
    v1::ClaimResponse claim(const v1::ClaimRequest& request,
                            const std::function<bool()>& unwanted) override;
    void look_again() override;
    /// Descriptor for Event::set, which a signal handler may call in place of look_again.
    [[nodiscard]] int look_again_fd() const { return look_again_.fd(); }
    v1::HeartbeatResponse heartbeat(const v1::HeartbeatRequest& request) override;
    v1::CompleteResponse complete(const v1::CompleteRequest& request) override;
    void fail(const v1::FailRequest& request) override;
    void return_tasks(const v1::ReturnTasksRequest& request) override;
    void put_log(const v1::PutLogRequest& request) override;
    void get_input(const std::string& sha256, const std::filesystem::path& part,
                   bool verify) override;
    void put_result(const StoredFile& stored, const std::filesystem::path& file) override;
    void put_results(std::span<const ResultFile> results) override;
    void put_checkpoint(const v1::PutCheckpointRequest::Header& header,
                        const std::filesystem::path& file) override;

private:
    /// Returns the id of the last registration; files are put and fetched under it.
    [[nodiscard]] std::string worker_id() const;
    enum class Place { Results, Checkpoints };
    v1::Upload look_up(Place place, const std::string& sha256, std::int64_t bytes);

    class Call;

    rpc::Target server_;
    std::unique_ptr<v1::Workers::Stub> stub_;
    std::string authorization_;
    mutable std::mutex mutex_;
    std::string worker_id_;
    Event look_again_;
    std::atomic<bool> one_by_one_ = false;  ///< the server is of a version without PutResults
};

}  // namespace kaname::agent
