// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/rules.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proto/reason/reasoned_error.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store {
namespace {

constexpr double kJitter = 0.25;  // of the delay, as in reap_tasks.sql

constexpr int kMaxPage = 1000;
constexpr std::size_t kMaxPayload = 4096;
constexpr std::size_t kMaxVerb = 32;

bool is_sha256(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_verb(const std::string& text) {
    return !text.empty() && text.size() <= kMaxVerb && text[0] >= 'a' && text[0] <= 'z' &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

}  // namespace

// Kahn's order: an item's level is known when those of all that it waits for are.
std::vector<int> levels_of(std::span<const WantedItem> items) {
    std::unordered_map<std::string_view, std::size_t> nodes;  // one of each key
    nodes.reserve(items.size());
    for (const WantedItem& item : items) {
        nodes.emplace(item.content_key, nodes.size());
    }
    std::vector<std::vector<std::size_t>> waiting(nodes.size());  // items, by what they wait for
    std::vector<int> level(nodes.size(), -1);                     // -1: not known yet
    std::vector<std::size_t> open(items.size());
    std::vector<int> levels(items.size(), 0);
    std::vector<std::size_t> ready;
    for (std::size_t k = 0; k < items.size(); ++k) {
        for (const auto* list : {&items[k].needs, &items[k].gathers}) {
            for (const std::string& key : *list) {
                if (const auto found = nodes.find(key); found != nodes.end()) {
                    waiting[found->second].push_back(k);
                    ++open[k];
                }
            }
        }
        if (open[k] == 0) {
            ready.push_back(k);
        }
    }
    while (!ready.empty()) {
        const std::size_t k = ready.back();
        ready.pop_back();
        const std::size_t node = nodes.at(items[k].content_key);
        int& known = level[node];
        const bool first = known < 0;
        known = std::max(known, levels[k]);
        if (!first) {
            continue;  // another item of this key was here before
        }
        for (const std::size_t next : waiting[node]) {
            levels[next] = std::max(levels[next], known + 1);
            if (--open[next] == 0) {
                ready.push_back(next);
            }
        }
    }
    for (std::size_t k = 0; k < items.size(); ++k) {
        levels[k] = open[k] == 0 ? levels[k] : -1;
    }
    return levels;
}

void check_submission(const Submission& submission) {
    std::vector<Violation> broken;
    const auto require = [&](bool holds, std::string field, std::string rule) {
        if (!holds) {
            broken.push_back({std::move(field), std::move(rule)});
        }
    };
    require(!submission.principal.empty(), "principal", "must not be empty");
    require(!submission.request_id.empty(), "request_id", "must not be empty");
    require(!submission.owner.empty(), "owner", "must not be empty");
    require(!submission.items.empty(), "items", "must not be empty");

    std::unordered_map<std::string_view, const WantedItem*> by_key;
    by_key.reserve(submission.items.size());
    for (const WantedItem& item : submission.items) {
        by_key.emplace(item.content_key, &item);
    }
    const std::vector<int> levels = levels_of(submission.items);
    for (std::size_t i = 0; i < submission.items.size(); ++i) {
        const WantedItem& item = submission.items[i];
        // Texts are made for what is broken alone: there may be 100,000 items.
        const auto require_of = [&](bool holds, const char* field, const auto& rule) {
            if (!holds) {
                broken.push_back({"items[" + std::to_string(i) + "]." + field, rule()});
            }
        };
        require_of(is_sha256(item.content_key), "content_key", [&] {
            return "must be 64 hexadecimal digits, got \"" + item.content_key + '"';
        });
        require_of(!item.pool.empty(), "pool", [] { return "must not be empty"; });
        require_of(item.payload.size() <= kMaxPayload, "payload", [&] {
            return "must have at most 4096 bytes, got " + std::to_string(item.payload.size());
        });
        require_of(is_verb(item.verb), "verb", [&] {
            return "must be 1..32 of a-z, 0-9 and -, beginning with a letter, got \"" + item.verb +
                   '"';
        });
        require_of(by_key[item.content_key]->verb == item.verb, "verb",
                   [] { return "must agree with the other items of this content key"; });
        for (const auto& [list, name] :
             {std::pair(&item.needs, "needs"), std::pair(&item.gathers, "gathers")}) {
            for (const std::string& key : *list) {
                const auto found = by_key.find(key);
                require_of(found != by_key.end(), name,
                           [&] { return "must name an item of this job, got \"" + key + '"'; });
                // A gatherer that lacks sources has no artifact.
                require_of(found == by_key.end() || found->second->gathers.empty(), name, [&] {
                    return "must not name an item that gathers, got \"" + key + '"';
                });
            }
        }
        const std::set<std::string_view> needs(item.needs.begin(), item.needs.end());
        for (const std::string& key : item.gathers) {
            require_of(!needs.contains(key), "gathers",
                       [&] { return "must not name what the item needs, got \"" + key + '"'; });
        }
        require_of(levels[i] >= 0, "needs", [] { return "must not come back to the item itself"; });
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

void check_retryable(const Job& job) {
    if (job.n_failed + job.n_cancelled == 0) {
        throw Error(
            ErrorCode::NotReady,
            "job \"" + job.job_id + "\": nothing failed or was cancelled, nothing to retry");
    }
}

void check_deletable(const Job& job, const std::string& etag) {
    if (job.state == JobState::Active) {
        throw rpc::ReasonedError(
            ErrorCode::NotReady, rpc::kJobActive,
            "job \"" + job.job_id + "\" is active: cancel it before deleting it");
    }
    if (!etag.empty() && etag != etag_of(job)) {
        throw rpc::ReasonedError(
            ErrorCode::Aborted, rpc::kEtagMismatch,
            "job \"" + job.job_id + "\" has changed: etag is " + etag_of(job) + ", got " + etag);
    }
}

void throw_worker_lost(const std::string& worker_id) {
    throw rpc::ReasonedError(
        ErrorCode::Conflict, rpc::kWorkerLost,
        "worker \"" + worker_id + "\" was lost: register with a new worker_id");
}

void throw_worker_unknown(const std::string& worker_id) {
    throw Error(ErrorCode::NotFound,
                "worker \"" + worker_id + "\" is unknown or lost: register first");
}

void throw_other_artifact_store(const ArtifactStoreId& known, const ArtifactStoreId& mine) {
    throw Error(ErrorCode::Conflict,
                "the results of this database lie in artifact store " + known.store_id + " at " +
                    known.place + ", but this server has store " + mine.store_id + " at " +
                    mine.place +
                    ": start it with --artifacts naming the folder of the first. If that one is "
                    "lost for good, write its UUID into the file store_id of the second; what is "
                    "missing is then computed again when it is wanted");
}

void throw_claim_of_another(const std::string& claim_id) {
    throw Error(ErrorCode::Conflict, "claim_id \"" + claim_id + "\" is another worker's");
}

void throw_worker_of_another(const std::string& worker_id) {
    throw Error(ErrorCode::PermissionDenied, "worker \"" + worker_id +
                                                 "\" is bound to the token that registered it, "
                                                 "which is not the caller's");
}

void throw_token_of_another(const std::string& worker_id) {
    throw Error(ErrorCode::PermissionDenied,
                "the token is for one worker, and worker \"" + worker_id + "\" lives with it");
}

void throw_gpu_of_another(const std::string& gpu, const std::string& worker_id) {
    throw Error(ErrorCode::Conflict, "GPU \"" + gpu + "\" is that of worker " + worker_id +
                                         ", which lives and has another token; wait until it has "
                                         "left, or revoke its token");
}

void throw_too_many_workers(const StoreOptions& options) {
    throw rpc::ReasonedError(
        ErrorCode::Exhausted, rpc::kLimitExceeded,
        "workers of a token: at most " + std::to_string(options.live_workers_of_token) +
            " may be registered at a time; end some, or give others a token of their own");
}

void throw_no_job(const std::string& job_id) {
    throw rpc::ReasonedError(ErrorCode::NotFound, rpc::kJobUnknown, "no job \"" + job_id + '"');
}

std::string token_id_of(const std::string& sha256) {
    return sha256.substr(0, 12);
}

void check_one_token(const std::string& id_or_name, std::span<const std::string> found) {
    if (found.empty()) {
        throw Error(ErrorCode::NotFound,
                    "no token \"" + id_or_name + "\" that is not revoked already");
    }
    if (found.size() > 1) {
        std::string ids;
        for (const std::string& id : found) {
            ids += ' ' + id;
        }
        throw Error(ErrorCode::InvalidArgument, "token: \"" + id_or_name + "\" names " +
                                                    std::to_string(found.size()) +
                                                    " tokens, give one of their ids:" + ids);
    }
}

void throw_not_cordoned(const std::string& gpu_uuid) {
    throw Error(ErrorCode::NotFound, "GPU \"" + gpu_uuid + "\" is not cordoned");
}

void throw_not_cordoned(const Cordon& cordon) {
    throw Error(ErrorCode::NotFound, resource_of(cordon) + " is not cordoned");
}

std::string outcome_of(const std::string& reason) {
    return reason.empty() ? "ok" : "ok: " + reason;
}

const char* method_of(const Cordon& cordon, bool on) {
    switch (cordon.kind) {
        case CordonKind::Gpu:
            return on ? "CordonGpu" : "UncordonGpu";
        case CordonKind::Host:
            return on ? "CordonHost" : "UncordonHost";
        case CordonKind::Worker:
            break;
    }
    return on ? "CordonWorker" : "UncordonWorker";
}

std::string resource_of(const Cordon& cordon) {
    return (cordon.kind == CordonKind::Gpu    ? "gpus/"
            : cordon.kind == CordonKind::Host ? "hosts/"
                                              : "workers/") +
           cordon.value;
}

std::string cordon_text(const Cordon& cordon) {
    if (cordon.by.empty()) {
        return cordon.reason;
    }
    const char* kind = cordon.kind == CordonKind::Gpu    ? "gpu "
                       : cordon.kind == CordonKind::Host ? "host "
                                                         : "worker ";
    return kind + cordon.value + " is cordoned by " + cordon.by +
           (cordon.reason.empty() ? "" : ": " + cordon.reason);
}

std::string cordon_reason(const StoreOptions& options, const std::string& gpu_uuid, std::int64_t n,
                          const std::string& last) {
    const auto minutes = static_cast<std::int64_t>(options.gpu_fault_memory_s / 60);
    return gpu_uuid + ": " + std::to_string(n) + " faults within " + std::to_string(minutes) +
           " min, the last: " + last;
}

std::string set_aside_reason(const StoreOptions& options) {
    return "set aside: other workers did " + std::to_string(options.set_aside_after) +
           " tasks in a row that failed here; \"kaname worker uncordon\" lifts it";
}

void throw_no_item(const std::string& job_id) {
    throw Error(ErrorCode::NotFound, "job \"" + job_id + "\" has no such item, or is gone");
}

std::string resource_of(const Drain& drain) {
    return (drain.kind == DrainKind::Host ? "hosts/" : "gpus/") + drain.value;
}

void throw_not_drained(const Drain& drain) {
    throw Error(ErrorCode::NotFound, resource_of(drain) + " is not drained");
}

void throw_dispatch_known(const std::string& dispatch_id) {
    throw Error(ErrorCode::Conflict, "dispatch " + dispatch_id + " is there already");
}

std::string quota_text(const OwnerQuota& quota) {
    const auto said = [](const std::optional<std::int64_t>& limit) {
        return limit ? std::to_string(*limit) : std::string("unlimited");
    };
    std::string weight = std::to_string(quota.weight);
    weight.erase(weight.find_last_not_of('0') + 1);
    if (weight.back() == '.') {
        weight.pop_back();
    }
    return "queued " + said(quota.queued) + ", running " + said(quota.running) + ", bytes " +
           said(quota.bytes) + ", weight " + weight;
}

std::string need_failed(const std::string& error) {
    return error.starts_with(kNeedFailed) ? error : kNeedFailed + error;
}

std::string dead_message(const StoreOptions& options) {
    return "dead: its worker was lost " + std::to_string(options.poison) + " times";
}

int clamp_limit(int limit) {
    return std::clamp(limit, 1, kMaxPage);
}

std::string returned_message(const StoreOptions& options) {
    return "given up: its workers gave it back without a result or a reason " +
           std::to_string(options.max_refunds + options.max_attempts) + " times";
}

std::string cut_off_message(const CutOff& cut_off) {
    const std::string limit_s = std::to_string(std::lround(cut_off.time_limit_s));
    return "given up: " + std::to_string(cut_off.n) +
           " workers in a row came to the end of their time (" + limit_s +
           " s) before there was a checkpoint; let workers live longer (time_limit_minutes of the "
           "pool in Slurm) or ask for checkpoints sooner (output.checkpoint_interval_s), and retry "
           "the job";
}

std::string make_token(const std::string& listing, std::int64_t position) {
    return std::to_string(position) + '.' + sha256_hex(listing).substr(0, 16);
}

std::int64_t parse_token(const std::string& listing, const std::string& token, std::int64_t first) {
    if (token.empty()) {
        return first;
    }
    std::int64_t position = 0;
    std::from_chars(token.data(), token.data() + token.size(), position);
    if (make_token(listing, position) != token) {
        throw Error(
            ErrorCode::InvalidArgument,
            "page_token must come from this listing with this filter, got \"" + token + '"');
    }
    return position;
}

std::string listing_name(const JobFilter& filter) {
    return "jobs/" + (filter.state ? std::string(to_string(*filter.state)) : "any") + '/' +
           filter.owner + '/' + filter.name +
           (filter.id_prefix.empty() ? "" : "/id " + filter.id_prefix);
}

double longest_backoff_s(const StoreOptions& options) {
    return options.backoff_max_s * (1 + kJitter);
}

double backoff_s(const StoreOptions& options, int attempt, std::int64_t task_id) {
    const double delay = options.backoff_s * std::exp2(std::clamp(attempt, 1, 30) - 1);
    const double jitter = kJitter * static_cast<double>(task_id * 7919 % 1000) / 1000;
    return std::min(delay, options.backoff_max_s) * (1 + jitter);
}

}  // namespace kaname::store
