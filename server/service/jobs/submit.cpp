// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/submit.hpp"

#include <algorithm>

#include <google/protobuf/util/message_differencer.h>

#include "proto/kaname/v1/greens.pb.h"
#include "server/service/datasets/dataset_keeper.hpp"
#include "server/service/jobs/progress_board.hpp"
#include "server/service/jobs/resolved_request.hpp"
#include "server/service/views.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/text.hpp"

namespace kaname::service {
namespace {

constexpr int kMaxReportTexts = 100;
constexpr std::size_t kMaxReportText = 4U << 10U;
constexpr std::int64_t kPack = store::StoreOptions{}.max_pack;

/// Texts for people, with the client's names of files; the first ones, and how many more.
google::protobuf::RepeatedPtrField<std::string> shown(
    const google::protobuf::RepeatedPtrField<std::string>& texts, const FileNames& names,
    const std::string& what) {
    google::protobuf::RepeatedPtrField<std::string> kept;
    for (int k = 0; k < std::min(texts.size(), kMaxReportTexts); ++k) {
        *kept.Add() = to_utf8(names.shown(texts[k]), kMaxReportText);
    }
    if (texts.size() > kMaxReportTexts) {
        *kept.Add() = "and " + std::to_string(texts.size() - kMaxReportTexts) + " more " + what;
    }
    return kept;
}

/// Copies the findings of `kaname-compute preflight` to the report.
void report_preflight(const v1::Estimate& found, const FileNames& names, v1::SubmitReport& report) {
    v1::Estimate& estimate = *report.mutable_estimate();
    estimate = found;
    estimate.clear_warnings();
    *report.mutable_warnings() = shown(found.warnings(), names, "warnings");
    *estimate.mutable_notes() = shown(found.notes(), names, "notes");
    estimate.set_spread(std::max(1.0, found.spread()));
}

std::vector<store::WantedItem> items_of(const request::TaskGraph& graph, const Payload& payload) {
    const std::string text = payload.to_text();
    std::string last, compat_key;  // the same for neighbours
    std::vector<store::WantedItem> items;
    items.reserve(graph.tasks.size());
    for (const request::Task& task : graph.tasks) {
        // Packs never mix requests: what one asks for another may not know.
        if (task.compat_key != last) {
            last = task.compat_key;
            compat_key = last.empty() ? "" : sha256_hex(last + payload.request_sha256);
        }
        items.push_back({.content_key = task.key,
                         .verb = task.verb,
                         .compat_key = compat_key,
                         .pool = task.pool,
                         .needs = task.needs,
                         .label = task.label,
                         .payload = text,
                         .gathers = task.gathers,
                         .source = task.source});
    }
    return items;
}

/// Estimates the stages that have no result yet: fills the report's totals and returns the times
/// that are kept with the job. A dataset that is there is all that is wanted.
StageTimes estimate_what_is_left(const std::vector<request::VerbTime>& times,
                                 const std::vector<store::WantedItem>& items,
                                 const std::vector<std::optional<store::Artifact>>& results,
                                 v1::Estimate& estimate) {
    StageTimes left{.stages = {}, .spread = estimate.spread()};
    for (const request::VerbTime& time : times) {
        StageTimes::Stage stage{time.verb, time.once_s, time.each_s};
        bool packs = false;
        for (std::size_t k = 0; k < items.size(); ++k) {
            if (!results[k] && items[k].verb == time.verb) {
                ++stage.n_tasks;
                packs = !items[k].compat_key.empty();
            }
        }
        stage.n_packs = packs ? (stage.n_tasks + kPack - 1) / kPack : stage.n_tasks;
        if (stage.n_tasks > 0) {
            left.stages.push_back(stage);
        }
    }
    estimate.set_total_s(left.total_s());
    estimate.set_low_s(left.total_s() / left.spread);
    estimate.set_high_s(left.total_s() * left.spread);
    return left;
}

}  // namespace

void Submitter::check_request(const SubmitRequest& request) const {
    std::vector<Violation> broken;
    if (!request.validate_only) {
        try {
            (void)id_of(request.request_id, "requests", "request_id");
        } catch (const Error&) {
            broken.push_back({"request_id", "must be a UUID, got \"" + request.request_id + '"'});
        }
    }
    if (request.priority < -kMaxPriority || request.priority > kMaxPriority) {  // -2^31 has no abs
        broken.push_back(
            {"priority", "must be within -100..100, got " + std::to_string(request.priority)});
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

std::unique_ptr<google::protobuf::Message> parse_specification(const request::Kinds& kinds,
                                                               const std::string& type,
                                                               const std::string& bytes,
                                                               const std::string& field) {
    const std::string& name = type.empty() ? v1::GreensBatch::descriptor()->full_name() : type;
    std::unique_ptr<google::protobuf::Message> message(
        kinds.of_type(name, field).prototype().New());
    if (!message->ParseFromString(bytes)) {
        refuse(field, "must hold a serialised " + name);
    }
    return message;
}

std::vector<std::optional<store::Artifact>> forget_lost_results(
    Context& context, std::span<const std::string> content_keys) {
    auto results = context.store.find_artifacts(content_keys);
    for (auto& artifact : results) {
        if (artifact && !context.artifacts.exists(artifact->sha256)) {
            context.store.forget_artifact(artifact->content_key);
            artifact.reset();
        }
    }
    return results;
}

v1::Job Submitter::submit(SubmitRequest request, const auth::Principal& principal) {
    check_request(request);
    const auto stop = stop_of_a_call(context_);
    if (!request.memory) {
        request.memory = memory_for(context_, request.gone.of(principal.name),
                                    request.specification->ByteSizeLong());
    }
    const request::Kind& kind = context_.options.kinds->of(*request.specification);
    const FileNames names = locate_files(context_, *request.specification);
    const auto wanted = names.in_errors([&] { return kind.check(*request.specification); });
    // One text is hashed, estimated and stored.
    store::Submission submission;
    submission.request = stored_json(wanted->message());
    const std::string body_sha256 =
        sha256_hex(submission.request + std::to_string(request.priority));

    if (!request.validate_only) {
        check_room(context_, submission.request.size());
    }
    v1::SubmitReport report;
    const std::string known = principal.name + '/' + request.request_id + '/' + body_sha256;
    bool accepted = false;
    {
        const std::lock_guard lock(mutex_);
        accepted = accepted_.contains(known);
    }
    if (!accepted || request.validate_only) {
        const v1::Estimate found = names.in_errors([&] {
            return context_.compute.preflight(submission.request, request.gone.of(principal.name),
                                              local_files(context_, wanted->message()));
        });
        report_preflight(found, names, report);
        const std::unique_ptr<google::protobuf::Message> checked(wanted->message().New());
        checked->CopyFrom(wanted->message());
        wanted->settle(found);
        if (!google::protobuf::util::MessageDifferencer::Equals(*checked, wanted->message())) {
            submission.request = stored_json(wanted->message());
        }
    }
    const auto room_for_tasks =
        memory_for_sources(context_, request.gone.of(principal.name), report.estimate().sources());
    submission.job_id = make_uuid();
    submission.traceparent = parse_traceparent(request.traceparent);
    if (submission.traceparent.empty()) {
        submission.traceparent = new_traceparent();
    }
    submission.items = items_of(wanted->graph(), {sha256_hex(submission.request), submission.job_id,
                                                  submission.traceparent});
    std::vector<std::string> keys;
    for (const store::WantedItem& item : submission.items) {
        keys.push_back(item.content_key);
    }
    const auto results = forget_lost_results(context_, keys);
    if (report.has_estimate()) {
        submission.estimate =
            estimate_what_is_left(wanted->times(report.estimate()), submission.items, results,
                                  *report.mutable_estimate())
                .to_text();
    }
    v1::Job message;
    if (request.validate_only) {
        message.set_title(wanted->name());
        *message.mutable_report() = report;
        return message;
    }
    submission.files = files_of(wanted->message());
    submission.files.push_back(put_text(context_.artifacts, submission.request));
    submission.check_files = [this, &submission] {
        for (const std::string& file : submission.files) {
            if (!context_.artifacts.exists(file)) {
                throw Error(ErrorCode::Unavailable,
                            "file " + file + " was removed meanwhile; upload it and submit again");
            }
        }
    };
    submission.principal = submission.owner = principal.name;
    submission.actor = actor_of(principal);
    submission.request_id = request.request_id;
    submission.body_sha256 = body_sha256;
    submission.name = wanted->name();
    submission.priority = request.priority;
    submission.campaign = request.campaign;
    submission.member = request.member;
    submission.dataset = to_store(wanted->describe());
    // Nobody waits for an answer about a member of a campaign.
    submission.stop = request.campaign.empty() ? stop : [this] { return context_.draining.load(); };
    store::SubmitResult result;
    const auto turn = context_.quotas.check_submission(submission);
    try {
        result = context_.store.submit(submission);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Conflict) {
            throw rpc::ReasonedError(error.code(), rpc::kRequestIdConflict, error.what());
        }
        throw;
    }
    {
        const std::lock_guard lock(mutex_);
        accepted_.insert(known);
    }
    context_.wakeups.notify();
    if (context_.options.log && !result.replayed && submission.campaign.empty()) {
        const LogScope about({.job = result.job_id, .traceparent = submission.traceparent});
        context_.options.log("job " + result.job_id + " of " + principal.name + ": " +
                             std::to_string(result.n_created) + " tasks, " +
                             std::to_string(result.n_joined) + " joined, " +
                             std::to_string(result.n_cached) + " computed before");
    }
    report.set_replayed(result.replayed);
    report.set_created(result.n_created);
    report.set_joined(result.n_joined);
    report.set_reused(result.n_cached);
    // One that was there before has been checked, and may be written otherwise.
    const store::Job job = result.replayed ? context_.store.get_job(result.job_id)
                                           : context_.store.look_at_job(result.job_id);
    message =
        full_message(context_, job, sha256_hex(result.replayed ? job.request : submission.request));
    *message.mutable_report() = report;
    if (result.materialising) {
        bulk_.go_on(result.job_id);
        message.mutable_progress()->set_text("its tasks are being queued");
    }
    return message;
}

}  // namespace kaname::service
