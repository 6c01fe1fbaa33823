// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>

namespace kaname::helpers {

/// Who wants something: whose turn it is, and whether it has gone meanwhile. Without an owner it is
/// nobody's, without a question it stays.
class Caller {
public:
    Caller() = default;
    template <std::predicate Gone>
    Caller(Gone gone) : gone_(std::move(gone)) {}  // NOLINT(*-explicit-*)
    Caller(std::string owner, std::function<bool()> gone)
        : owner_(std::move(owner)), gone_(std::move(gone)) {}

    [[nodiscard]] const std::string& owner() const { return owner_; }
    [[nodiscard]] bool gone() const { return gone_ && gone_(); }
    /// Returns this caller with `owner` in place of its owner.
    [[nodiscard]] Caller of(std::string owner) const { return {std::move(owner), gone_}; }

private:
    std::string owner_;
    std::function<bool()> gone_;
};

}  // namespace kaname::helpers
