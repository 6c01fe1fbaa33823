// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"

namespace kaname::agent {

inline constexpr std::size_t kMaxHeartbeatText = 1U << 10U;  ///< bytes of each text of a heartbeat

struct StoredFile {
    std::string sha256;
    std::int64_t bytes = 0;
};

struct ResultFile {
    StoredFile stored;
    std::filesystem::path file;
};

/// The server as an agent sees it. Every call may be repeated. Throws Error: Unavailable when the
/// server cannot be reached, NotFound for a worker it does not know, Aborted for a lost lease.
class WorkersClient {
public:
    virtual ~WorkersClient() = default;

    virtual v1::RegisterResponse register_worker(const v1::RegisterRequest& request) = 0;
    virtual void leave(const v1::LeaveRequest& request) = 0;
    /// Waits as long as the request says; from when `unwanted` is true (empty: never) no longer,
    /// and then returns what had come until then. Looks at it when look_again() says so, and rarely
    /// by itself.
    virtual v1::ClaimResponse claim(const v1::ClaimRequest& request,
                                    const std::function<bool()>& unwanted) = 0;
    /// Asks a claim that waits to look at once whether it is unwanted.
    virtual void look_again() {}
    virtual v1::HeartbeatResponse heartbeat(const v1::HeartbeatRequest& request) = 0;
    virtual v1::CompleteResponse complete(const v1::CompleteRequest& request) = 0;
    virtual void fail(const v1::FailRequest& request) = 0;
    virtual void return_tasks(const v1::ReturnTasksRequest& request) = 0;
    virtual void put_log(const v1::PutLogRequest& request) = 0;
    /// Appends what `part` lacks of the artifact; every chunk is checked. With `verify` the server
    /// checks its file first and throws DataLoss where that is damaged.
    virtual void get_input(const std::string& sha256, const std::filesystem::path& part,
                           bool verify) = 0;
    /// Uploads what the server lacks of the file.
    virtual void put_result(const StoredFile& stored, const std::filesystem::path& file) = 0;
    /// Uploads what the server lacks of several: small ones travel together. When it throws, some
    /// may be there.
    virtual void put_results(std::span<const ResultFile> results) {
        for (const ResultFile& result : results) {
            put_result(result.stored, result.file);
        }
    }
    /// Uploads what the next attempts of the tasks go on from.
    virtual void put_checkpoint(const v1::PutCheckpointRequest::Header& header,
                                const std::filesystem::path& file) = 0;
};

}  // namespace kaname::agent
