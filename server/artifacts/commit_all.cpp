// SPDX-License-Identifier: BSD-3-Clause
#include "server/artifacts/commit_all.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace kaname::artifacts {
namespace {

constexpr std::size_t kAtOnce = 8;

}  // namespace

void commit_all(std::span<const std::unique_ptr<Upload>> uploads) {
    std::vector<std::exception_ptr> errors(uploads.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t at = next++; at < uploads.size(); at = next++) {
            try {
                uploads[at]->commit();
            } catch (...) {
                errors[at] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t n = 1; n < std::min(kAtOnce, uploads.size()); ++n) {
            others.emplace_back(work);
        }
        work();
    }
    for (const std::exception_ptr& error : errors) {
        if (error) {
            std::rethrow_exception(error);
        }
    }
}

}  // namespace kaname::artifacts
