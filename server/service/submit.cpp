// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/submit.hpp"

#include <algorithm>

#include "server/service/stage_times.hpp"
#include "server/service/views.hpp"
#include "solvers/base/sha256.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::service {
namespace {

constexpr int kMaxPriority = 100;
constexpr int kMaxTexts = 100;
constexpr std::size_t kMaxText = 4U << 10U;
constexpr std::int64_t kPack = store::StoreOptions{}.max_pack;
constexpr const char* kCpuPool = "cpu";
constexpr const char* kSolvePool = "solve";

/// Texts for people, with the client's names of files; the first ones, and how many more.
google::protobuf::RepeatedPtrField<std::string> shown(
    const google::protobuf::RepeatedPtrField<std::string>& texts, const FileNames& names,
    const std::string& what) {
    google::protobuf::RepeatedPtrField<std::string> kept;
    for (int k = 0; k < std::min(texts.size(), kMaxTexts); ++k) {
        *kept.Add() = to_utf8(names.shown(texts[k]), kMaxText);
    }
    if (texts.size() > kMaxTexts) {
        *kept.Add() = "and " + std::to_string(texts.size() - kMaxTexts) + " more " + what;
    }
    return kept;
}

/// What `kaname-compute preflight` found.
void report_preflight(const v1::Estimate& found, const FileNames& names, v1::SubmitReport& report) {
    v1::Estimate& estimate = *report.mutable_estimate();
    estimate = found;
    estimate.clear_warnings();
    *report.mutable_warnings() = shown(found.warnings(), names, "warnings");
    *estimate.mutable_notes() = shown(found.notes(), names, "notes");
    estimate.set_spread(std::max(1.0, found.spread()));
}

/// Sources in the order of the dataset, then the mesh, last the package.
std::vector<store::ItemSpec> items_of(const spec::Plan& plan, const std::string& spec_sha256) {
    // Packs never mix specifications: what one asks for another may not know.
    const std::string compat_key = sha256_hex(plan.compat_key + spec_sha256);
    std::vector<store::ItemSpec> items;
    store::ItemSpec package{plan.package_key, store::Kind::Package, "", kCpuPool, {plan.mesh_key},
                            "package",        spec_sha256};
    for (const spec::PlannedSource& source : plan.sources) {
        items.push_back({source.key,
                         store::Kind::Solve,
                         compat_key,
                         kSolvePool,
                         {plan.mesh_key},
                         source.id,
                         spec_sha256});
        package.blocked_by.push_back(source.key);
    }
    items.push_back({plan.mesh_key, store::Kind::Mesh, "", kCpuPool, {}, "mesh", spec_sha256});
    items.push_back(std::move(package));
    return items;
}

/// Estimates the stages that have no result yet: fills the report's totals and returns the times
/// that are kept with the job. A package that is there is all that is wanted.
StageTimes estimate_what_is_left(const std::vector<store::ItemSpec>& items,
                                 const std::vector<std::optional<store::Artifact>>& results,
                                 v1::Estimate& estimate) {
    StageTimes times{.spread = estimate.spread()};
    bool mesh = false, package = false;
    for (std::size_t k = 0; k < items.size(); ++k) {
        const bool needed = !results[k];
        mesh = mesh || (needed && items[k].kind == store::Kind::Mesh);
        package = package || (needed && items[k].kind == store::Kind::Package);
        times.n_sources += needed && items[k].kind == store::Kind::Solve ? 1 : 0;
    }
    times.n_packs = (times.n_sources + kPack - 1) / kPack;
    times.mesh_s = mesh ? estimate.mesh_s() : 0.0;
    times.setup_s = estimate.setup_s();
    times.pack_s = estimate.each_pack_s();
    times.package_s = package ? estimate.package_s() : 0.0;
    estimate.set_total_s(times.total_s());
    estimate.set_low_s(times.total_s() / times.spread);
    estimate.set_high_s(times.total_s() * times.spread);
    return times;
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
    if (std::abs(request.priority) > kMaxPriority) {
        broken.push_back(
            {"priority", "must be within -100..100, got " + std::to_string(request.priority)});
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

void forget_lost_results(Context& context, std::span<const std::string> content_keys) {
    for (const auto& artifact : context.store.find_artifacts(content_keys)) {
        if (artifact && !context.artifacts.exists(artifact->sha256)) {
            context.store.forget_artifact(artifact->content_key);
        }
    }
}

v1::Job Submitter::submit(SubmitRequest request, const auth::Principal& principal) {
    check_request(request);
    const std::string body = stored_json(request.batch);
    const std::string body_sha256 = sha256_hex(body + std::to_string(request.priority));
    const FileNames names = locate_files(context_, request.batch);
    spec::LoadedSpec loaded = names.in_errors([&] { return spec::load_batch(request.batch); });

    v1::SubmitReport report;
    const std::string known = principal.name + '/' + request.request_id + '/' + body_sha256;
    bool accepted = false;
    {
        const std::lock_guard lock(mutex_);
        accepted = accepted_.contains(known);
    }
    if (!accepted || request.validate_only) {
        const v1::Estimate found = names.in_errors(
            [&] { return context_.compute.preflight(spec::to_json(loaded.batch)); });
        report_preflight(found, names, report);
        if (found.has_surface_stored() && !found.surface_stored()) {
            loaded.batch.mutable_output()->set_surface(spec::kSurfaceNone);
        }
    }
    store::Submission submission;
    submission.spec = stored_json(loaded.batch);
    submission.items = items_of(spec::make_plan(loaded), sha256_hex(submission.spec));
    std::vector<std::string> keys;
    for (const store::ItemSpec& item : submission.items) {
        keys.push_back(item.content_key);
    }
    forget_lost_results(context_, keys);
    if (report.has_estimate()) {
        submission.estimate =
            estimate_what_is_left(submission.items, context_.store.find_artifacts(keys),
                                  *report.mutable_estimate())
                .to_text();
    }
    v1::Job message;
    if (request.validate_only) {
        message.set_title(loaded.batch.name());
        *message.mutable_report() = report;
        return message;
    }
    (void)put_text(context_.artifacts, submission.spec);
    submission.principal = submission.owner = principal.name;
    submission.request_id = request.request_id;
    submission.body_sha256 = body_sha256;
    submission.name = loaded.batch.name();
    submission.priority = request.priority;
    store::SubmitResult result;
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
    report.set_replayed(result.replayed);
    report.set_created(result.n_created);
    report.set_joined(result.n_joined);
    report.set_reused(result.n_cached);
    message = full_message(context_, context_.store.get_job(result.job_id));
    *message.mutable_report() = report;
    return message;
}

}  // namespace kaname::service
