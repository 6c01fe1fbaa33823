// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/pack_holder.hpp"

#include <chrono>
#include <thread>

#include "solvers/base/error.hpp"
#include "worker/agent/lease/backoff.hpp"
#include "worker/agent/stages/watch.hpp"

namespace kaname::agent {
namespace {

constexpr int kFetchAttempts = 10;  // half a minute

}  // namespace

std::filesystem::path PackHolder::fetch(const std::string& label, const std::string& sha256) {
    Backoff backoff;
    for (int attempt = 1;; ++attempt) {
        try {
            return parts_.cache.get(sha256);
        } catch (const Error& error) {
            const bool away = is_retryable(error.code());
            if (!away || attempt == kFetchAttempts) {
                throw InputMissing("input " + label + " (" + sha256 +
                                       ") cannot be had from the server: " + coded_text(error),
                                   away);
            }
        }
        const auto until = std::chrono::steady_clock::now() + backoff.next();
        while (!stopping() && std::chrono::steady_clock::now() < until) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        if (stopping()) {
            throw Stopped();
        }
        if (!wanted()) {
            throw Dropped();
        }
    }
}

void PackHolder::set_progress(double fraction, double eta_s, const std::string& text) {
    parts_.lease.held().set_progress(tasks_, fraction, eta_s, text);
}

void PackHolder::put_log(const std::string& piece) {
    v1::PutLogRequest request;
    request.set_worker_id(parts_.lease.worker_id());
    for (const v1::Task& task : tasks_) {
        *request.add_refs() = task.ref();
    }
    request.set_data(piece);
    parts_.client.put_log(request);
}

void PackHolder::put_checkpoint(const std::filesystem::path& file, int step) {
    CheckpointFile checkpoint{{}, file, step};
    for (const v1::Task& task : tasks_) {
        checkpoint.refs.push_back(task.ref());
    }
    parts_.reporter.checkpoint(std::move(checkpoint));
}

}  // namespace kaname::agent
