// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/pack.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <thread>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/text.hpp"

namespace kaname::agent {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPiece = 256U << 10U;
constexpr std::size_t kKept = 1U << 20U;  // while the server is away
// The server keeps 4 MiB of an attempt; a program may write more in the second between two sends.
constexpr std::size_t kMostUnsent = 4U << 20U;
constexpr int kAttempts = 10;  // 0.2 s apart: a server that is gone for longer loses the lines

}  // namespace

AttemptLog::AttemptLog(const v1::ClaimResponse& claimed, const std::string& worker, Holder& holder)
    : holder_(holder) {
    // Tasks of one pack may have been tried before, each on its own.
    std::map<int, std::string> labels_of;
    for (const v1::Task& task : claimed.tasks()) {
        std::string& labels = labels_of[task.attempt()];
        labels += (labels.empty() ? "" : ", ") + task.label();
    }
    for (const auto& [attempt, labels] : labels_of) {
        add("== attempt " + std::to_string(attempt) + " of " + labels + ", worker " + worker +
            ", " + utc_now());
    }
    if (!claimed.tasks().empty() && !claimed.tasks(0).traceparent().empty()) {
        add("== job " + claimed.tasks(0).job() + ", trace " +
            trace_id_of(claimed.tasks(0).traceparent()));
    }
}

void AttemptLog::add(const std::string& line) {
    if (text_.size() + line.size() > kMostUnsent) {
        ++n_left_out_;
        return;
    }
    append(line);
}

void AttemptLog::append(const std::string& line) {
    if (n_left_out_ > 0) {
        text_ += "== " + std::to_string(std::exchange(n_left_out_, 0)) + " lines left out\n";
    }
    text_ += to_utf8(line) + "\n";
}

void AttemptLog::send() {
    if (Clock::now() - sent_ >= 1s) {
        send_all(1);
    }
}

void AttemptLog::end(const std::string& how) {
    char took[64];
    std::snprintf(took, sizeof took, " after %.1f s, ",
                  std::chrono::duration<double>(Clock::now() - begun_).count());
    append("== " + how + took + utc_now());
    send_all(kAttempts);
}

void AttemptLog::send_all(int attempts) {
    while (!text_.empty()) {
        const std::string piece = text_.substr(0, kPiece);
        sent_ = Clock::now();
        try {
            holder_.put_log(piece);
            text_.erase(0, piece.size());
        } catch (const Error& error) {
            if (error.code() != ErrorCode::Unavailable) {
                text_.clear();  // the tasks are somebody else's, or nothing the server takes
                return;
            }
            if (--attempts <= 0 || holder_.stopping()) {
                text_.erase(0, text_.size() - std::min(text_.size(), kKept));
                return;
            }
            std::this_thread::sleep_for(200ms);
        }
    }
}

namespace fs = std::filesystem;
namespace {

constexpr int kMany = 400;  // inputs: seconds of fetching

}  // namespace

void lay_inputs(Pack& pack) {
    const fs::path request = pack.holder.fetch("request", pack.claimed.spec_sha256());
    pack.readable = {request};
    for (const v1::Input& file : pack.claimed.files()) {
        pack.readable.push_back(pack.holder.fetch(file.label(), file.sha256()));
    }
    std::string list;
    const int n_inputs = pack.claimed.inputs_size();
    for (int k = 0; k < n_inputs; ++k) {
        const v1::Input& input = pack.claimed.inputs(k);
        if (n_inputs > kMany && k % (kMany / 4) == 0) {
            pack.holder.set_progress(
                0.0, -1.0,
                "fetching inputs, " + std::to_string(k) + " of " + std::to_string(n_inputs));
        }
        const fs::path file = pack.holder.fetch(input.label(), input.sha256());
        pack.readable.push_back(file);
        list.append(input.label()).append("\t").append(file.string()).append("\n");
    }
    const fs::path inputs = pack.folder / "inputs";
    write_file(inputs, list);
    pack.given = {"--spec",   request.string(), "--files", pack.holder.files().string(),
                  "--inputs", inputs.string()};
}

}  // namespace kaname::agent
