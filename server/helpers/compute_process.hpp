// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <map>

#include "server/helpers/compute.hpp"
#include "server/helpers/source_reader.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::helpers {

struct ComputeOptions {
    std::filesystem::path program;  ///< kaname-compute
    /// `may_read` and `may_write` list the paths that helpers may read (results, files) and write,
    /// besides folders of their own in `scratch`. A helper that is given its files reads no others.
    /// All also read what a start needs and the paths in KANAME_HELPERS_READ
    /// (run::needed_to_start). Empty: not confined.
    std::vector<std::filesystem::path> may_read, may_write;
    std::filesystem::path scratch;  ///< emptied at the start: a crashed server may have left files
    int threads = 1;                ///< threads of one helper
    int max_parallel = 2;           ///< 1..64; readers of results are apart
    int max_waiting = 64;           ///< callers of one owner that may wait for one of these
    std::chrono::seconds limit{300};  ///< longest time for one verb
    std::uint64_t memory_bytes = 0;   ///< address space of one helper; 0: no limit
    std::uint64_t file_bytes = 0;     ///< of a file that it writes; 0: no limit
};

/// Why helpers cannot be confined as these options ask; empty: they can. It starts one.
[[nodiscard]] std::string why_not_confined(const ComputeOptions& options);

class ComputeProcess final : public Compute, public Describer {
public:
    /// Throws Unavailable when the scratch folder cannot be made.
    explicit ComputeProcess(ComputeOptions options);

    v1::Estimate preflight(const std::string& request_json, const Caller& caller,
                           std::span<const NamedFile> files) override;
    void gather(const std::string& verb, const std::string& request_json,
                std::span<const NamedFile> inputs, const std::filesystem::path& dataset,
                const Caller& caller) override;
    Block read(const std::string& request_json, std::span<const NamedFile> inputs,
               std::span<const NamedFile> sources) override;
    Slice slice(const std::filesystem::path& dataset, const v1::ReadSliceRequest& wanted,
                const Caller& caller) override;
    v1::AnswerAxes answer_axes(const std::filesystem::path& dataset) override;
    AnsweredBlock answer(const std::filesystem::path& dataset,
                         const v1::AnswerCommand& command) override;
    std::string describe(const std::vector<std::string>& arguments, const Caller& caller) override;

private:
    void with_answerer(const std::filesystem::path& dataset,
                       const std::function<void(AnswerSession&)>& use);
    /// A helper that ends with its standard input.
    [[nodiscard]] std::string run(std::vector<std::string> arguments, run::ResourceLimits limits,
                                  const Caller& caller,
                                  const std::map<std::string, std::string>& env = {});
    /// Returns the limits of a helper that writes to `folder` and may read, of the paths open to
    /// helpers, these files alone. Without `files` it may read all of these paths.
    [[nodiscard]] run::ResourceLimits limits(const std::filesystem::path& folder,
                                             std::span<const std::filesystem::path> files = {});

    /// One of max_parallel, waited for while its caller is there.
    [[nodiscard]] std::unique_ptr<ShareQueue::Share> take_place(const std::string& verb,
                                                                const Caller& caller);

    const ComputeOptions options_;
    const std::vector<std::filesystem::path> needed_;  ///< to start; empty: not confined
    ShareQueue places_;  ///< where there are several, one is left to others than whoever has most
    std::atomic<int> n_calls_ = 0;
    SourceReaders readers_;
    HelperSessions answerers_;
};

}  // namespace kaname::helpers
