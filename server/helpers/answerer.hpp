// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "server/helpers/compute.hpp"
#include "server/helpers/helper_sessions.hpp"
#include "server/helpers/scratch.hpp"
#include "worker/run/compute_session.hpp"

namespace kaname::helpers {

/// One `kaname-compute answers`: it has a dataset open and answers for other rheologies.
class Answerer final : public HelperSession {
public:
    struct Start {
        std::filesystem::path program;
        std::filesystem::path folder;  ///< for its files; goes with it
        std::filesystem::path dataset;
        run::ResourceLimits limits = {};
    };
    explicit Answerer(const Start& start);

    /// The dataset's axes. Throws as answer().
    const v1::AnswerAxes& axes(std::chrono::seconds limit);
    /// Throws what the program reports, SessionEnded when it crashed, Unavailable after `limit`.
    AnsweredBlock answer(v1::AnswerCommand command, std::chrono::seconds limit);
    [[nodiscard]] bool usable() const override { return usable_; }
    [[nodiscard]] bool proven() const override { return axes_.has_value(); }

private:
    using Clock = std::chrono::steady_clock;
    std::string next(Clock::time_point deadline, std::chrono::seconds limit);

    const ScratchFolder folder_;
    std::optional<run::ComputeSession> session_;
    std::optional<v1::AnswerAxes> axes_;
    int n_asked_ = 0;
    bool usable_ = true;
};

}  // namespace kaname::helpers
