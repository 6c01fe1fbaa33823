// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "server/helpers/compute.hpp"
#include "server/helpers/helper_sessions.hpp"
#include "server/helpers/scratch.hpp"
#include "server/helpers/session_answer.hpp"

namespace kaname::helpers {

/// Lines of name, tab and path: what --inputs of kaname-compute takes.
[[nodiscard]] std::string list_of(std::span<const NamedFile> files);

/// One `kaname-compute read`: it has opened a specification and its inputs, and reads the results
/// that it is given.
class SourceReader final : public HelperSession {
public:
    struct Start {
        std::filesystem::path program;
        std::filesystem::path folder;  ///< for its files; goes with it
        std::vector<NamedFile> inputs;
        int threads = 1;
        run::ResourceLimits limits = {};
    };
    SourceReader(const Start& start, const std::string& spec_json);

    /// Throws what the program reports, SessionEnded when it crashed, Unavailable after `limit`.
    Block read(std::span<const NamedFile> sources, std::chrono::seconds limit);
    [[nodiscard]] bool usable() const override { return usable_; }
    [[nodiscard]] bool proven() const override { return n_answers_ > 0; }

private:
    /// JSON of the next result.
    std::string answer(const AnswerLimit& limit);

    const ScratchFolder folder_;
    std::optional<run::ComputeSession> session_;
    Block axes_;  ///< without sources; components are there once it is ready
    int n_asked_ = 0, n_answers_ = 0;
    bool usable_ = true;
};

}  // namespace kaname::helpers
