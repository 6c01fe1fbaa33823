// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace kaname::service {

/// How many calls of a kind may be open at a time.
struct Limit {
    const char* name = "";  ///< for messages: "waiting streams"
    int per_principal = 0, per_connection = 0, in_all = 0;
};

/// Streams that wait cost memory alone; files are read by few threads; what is left holds a thread
/// each, of which workers' uploads must always find some (kMaxThreads of server/grpc).
inline constexpr Limit kWaitingStreams{"waiting streams", 1024, 200, 4096};
inline constexpr Limit kDownloads{"downloads", 64, 64, 256};
inline constexpr Limit kUploads{"uploads", 32, 32, 96};
inline constexpr Limit kCalls{"calls", 96, 96, 128};

/// Counts the open calls of everybody, so that nobody takes the places of the others. Safe from
/// any thread.
class Limits {
public:
    /// One open call; ends with its destruction.
    class Place {
    public:
        Place() = default;
        Place(Place&& other) noexcept;
        Place& operator=(Place&& other) noexcept;
        ~Place();

    private:
        friend class Limits;
        Place(Limits& limits, const Limit& limit, std::string principal, std::string connection);
        Limits* limits_ = nullptr;
        const Limit* limit_ = nullptr;
        std::string principal_, connection_;
    };

    /// Throws Exhausted, naming the limit, when one is reached. An empty `connection` is not
    /// counted: those of a unix socket cannot be told apart. `limit` outlives the place.
    [[nodiscard]] Place take(const Limit& limit, const std::string& principal,
                             const std::string& connection);

private:
    struct Counts {
        int all = 0;
        std::map<std::string, int> by_principal, by_connection;
    };
    void give_back(const Limit& limit, const std::string& principal, const std::string& connection);

    std::mutex mutex_;
    std::map<const Limit*, Counts> counts_;
};

}  // namespace kaname::service
