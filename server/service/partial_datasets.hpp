// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "server/service/context.hpp"

namespace kaname::service {

struct PartialLimits {
    std::int64_t bytes = std::int64_t{16} << 30;
    std::chrono::seconds unused{3600};
    /// Who was given one will read it soon; kept for so long whatever the bytes.
    std::chrono::seconds least{600};
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

/// Files of datasets that were made on demand of the sources that were done then. Nothing else
/// refers to them: they are kept for a while after somebody asked, and up to so many bytes in all.
class PartialDatasets {
public:
    explicit PartialDatasets(Context& context, PartialLimits limits = {})
        : context_(context), limits_(std::move(limits)) {}

    /// The hash of the dataset of a job with so many sources done, from `make` unless it is there.
    /// Who wants one that is being made waits for it, all others do not; a caller that has gone
    /// leaves with Unavailable.
    [[nodiscard]] std::string get(const std::string& job_id, std::int64_t n_done,
                                  const std::function<std::string()>& make,
                                  const helpers::Caller& gone);

private:
    struct One {
        std::timed_mutex making;
        std::string sha256;
        std::int64_t bytes = 0;
        std::chrono::steady_clock::time_point asked_at;
    };
    using Key = std::pair<std::string, std::int64_t>;
    void trim();

    Context& context_;
    PartialLimits limits_;
    std::mutex mutex_;
    std::map<Key, std::shared_ptr<One>> all_;
};

}  // namespace kaname::service
