// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <semaphore>

#include "server/helpers/source_readers.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::helpers {

struct ComputeOptions {
    std::filesystem::path program;  ///< kaname-compute
    std::filesystem::path scratch;  ///< emptied at the start: a crashed server may have left files
    int threads = 1;                ///< threads of one helper
    int max_parallel = 2;           ///< 1..64; readers of results are apart
    std::chrono::seconds limit{300};  ///< longest time for one verb
};

class ComputeProcess final : public Compute {
public:
    /// Throws Unavailable when the scratch folder cannot be made.
    explicit ComputeProcess(ComputeOptions options);

    v1::Estimate preflight(const std::string& spec_json) override;
    void gather(const std::string& verb, const std::string& spec_json,
                std::span<const NamedFile> inputs, const std::filesystem::path& dataset) override;
    Block read(const std::string& spec_json, std::span<const NamedFile> inputs,
               std::span<const NamedFile> sources) override;
    Block slice(const std::filesystem::path& dataset, const IndexRange& sources,
                const IndexRange& epochs, const IndexRange& stations) override;

private:
    [[nodiscard]] std::string run(std::vector<std::string> arguments);

    ComputeOptions options_;
    std::counting_semaphore<64> slots_;
    std::atomic<int> n_calls_ = 0;
    SourceReaders readers_;
};

}  // namespace kaname::helpers
