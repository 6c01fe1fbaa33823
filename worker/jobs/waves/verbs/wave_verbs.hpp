// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "proto/kaname/v1/source_time.pb.h"
#include "proto/kaname/v1/waves.pb.h"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/earth/structure.hpp"
#include "worker/jobs/frame/serve_packs.hpp"
#include "worker/jobs/frame/values_file.hpp"
#include "worker/jobs/frame/waves_report.hpp"
#include "worker/jobs/waves/slip_points.hpp"
#include "worker/jobs/waves/wave_packs.hpp"
#include "worker/run/exit_code.hpp"

/// The verbs of all kinds of waves, and what they have in common.
namespace kaname::compute {

/// The sources' files of a call of `package`: its inputs, without the mesh where there is one, or
/// those of the work folder. Throws InvalidArgument where it has neither or both.
[[nodiscard]] jobs::SourceFiles sources_of(const jobs::WaveRequest& job, const Call& call,
                                           bool has_mesh);

/// Logs a pack's steps, about a hundred lines. `note` is called with packs that were solved from
/// their first step on on processors: GPUs have a speed of their own, which is not estimated.
[[nodiscard]] jobs::PackObserver wave_observer(
    const jobs::SolveSession& session, const Call& call, Runtime& runtime,
    const std::function<void(const jobs::PackOutcome&)>& note);

/// The label of the mesh's task, under which later stages find its file.
inline constexpr const char* kMeshInput = "mesh";

/// WaveVerbs are the verbs of a kind of waves. `Physics` has the types Request (the message), Job
/// and Session; kHasMesh; texts kPreflight, kSetUp and kCollect of progress, and kWhat of each verb
/// in the order of kind(); and static functions job_of(request), preflight(job), open(job, call,
/// comm), package(job, call, files), read(job), speed_key(job), times(job, found, book), which are
/// those of a pack before they are corrected by earlier packs, and predicted_s(job, session,
/// outcome, book) of a pack that was solved; with a mesh also mesh(job, path, progress).
template <class Physics>
struct WaveVerbs {
    using Job = typename Physics::Job;

    static Job load(const Call& call) {
        typename Physics::Request request;
        request::from_json(request::read_text_file(call.request), "file '" + call.request + "'",
                           request);
        locate_stored_files(request, call.request, call.files);
        return Physics::job_of(std::move(request));
    }
    static int preflight(const Call& call, Runtime& runtime) {
        runtime.reporter.progress("preflight", 0.0, Physics::kPreflight);
        const Job job = load(call);
        const auto found = Physics::preflight(job);
        if (!found.violations.empty()) {
            throw ValidationError(found.violations);
        }
        CalibrationCache book = CalibrationCache::of_this_machine();
        Forecast times = Physics::times(job, found, book);
        const CalibrationCache::Past past = book.past("pack-" + Physics::speed_key(job));
        times.pack_s *= past.factor;
        times.spread = past.spread;
        runtime.reporter.result("preflight", estimate_of(found, times));
        return run::kExitOk;
    }
    static int mesh(const Call& call, Runtime& runtime) {
        return make_mesh(
            [&](const jobs::MeshProgress& progress) {
                return Physics::mesh(load(call), call.out, progress);
            },
            call.out, runtime.reporter);
    }
    static int solve(const Call& call, Runtime& runtime) {
        Job job = load(call);
        job.placement = placement_of(call, runtime);
        const auto observe = [&](const jobs::SolveSession& session) {
            return wave_observer(session, call, runtime, [&](const jobs::PackOutcome& outcome) {
                CalibrationCache book = CalibrationCache::of_this_machine();
                const double predicted_s = Physics::predicted_s(
                    job, static_cast<const typename Physics::Session&>(session), outcome, book);
                if (predicted_s >= 1.0) {
                    book.record("pack-" + Physics::speed_key(job), outcome.solve_s / predicted_s);
                }
            });
        };
        return solve_packs({[&] { return Physics::open(job, call, runtime.comm); }, observe,
                            [&] { return jobs::unsolved_waves(job, call.work); }, Physics::kSetUp},
                           call, runtime);
    }
    static int package(const Call& call, Runtime& runtime) {
        runtime.reporter.progress("package", 0.0, Physics::kCollect);
        const Job job = load(call);
        const jobs::PackageSummary summary =
            Physics::package(job, call, sources_of(job, call, Physics::kHasMesh));
        return report_package(summary, "seismograms",
                              std::to_string(summary.stations) + " receivers, " +
                                  std::to_string(summary.epochs) + " samples",
                              call.out, runtime.reporter);
    }
    /// Commands come on standard input until it ends.
    static int read(const Call& call, Runtime& runtime) {
        const Job job = load(call);
        const auto reader = Physics::read(job);
        return read_sources(*reader, std::cin, runtime.reporter);
    }
    [[nodiscard]] static Kind kind() {
        const auto& what = Physics::kWhat;
        const std::vector<std::string> inputs =
            Physics::kHasMesh ? std::vector<std::string>{kMeshInput} : std::vector<std::string>();
        Kind kind{.schemas = {Physics::Request::descriptor()->full_name()},
                  .verbs = {{.name = "preflight", .what = what[0], .once = preflight},
                            {.name = "solve",
                             .what = what[1],
                             .inputs = inputs,
                             .work = Use::Must,
                             .on_ranks = true,
                             .once = solve,
                             .serve = solve},
                            {.name = "package",
                             .what = what[2],
                             .inputs = inputs,
                             .more_inputs = true,
                             .out = Use::Must,
                             .work = Use::May,
                             .once = package},
                            {.name = "read", .what = what[3], .inputs = inputs, .once = read}}};
        if constexpr (Physics::kHasMesh) {
            kind.verbs.insert(
                kind.verbs.begin() + 1,
                {.name = "mesh", .what = "Build the mesh", .out = Use::Must, .once = mesh});
        }
        return kind;
    }
};

/// Parts of messages that all kinds of waves have, in plain numbers.

[[nodiscard]] jobs::WavePlace place_of(const v1::WavePlace& place);
[[nodiscard]] std::array<double, 3> force_of(const v1::PointForce& force);
[[nodiscard]] std::array<double, 6> moment_of(const v1::MomentTensor& moment);
[[nodiscard]] std::vector<jobs::WaveReceiver> receivers_of(
    const google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers);
/// A slip model of its own times, and rectangles whose slip rate goes as `time`.
[[nodiscard]] jobs::RuptureRequest rupture_of(const v1::KinematicRupture& rupture);
[[nodiscard]] jobs::RuptureRequest patches_of(
    const google::protobuf::RepeatedPtrField<v1::SlipRectangle>& patches,
    const source_time::TimeFunction& time);
/// Layers of a structure without volumes.
[[nodiscard]] earth::LayeredStructure layers_of(const v1::Structure& structure);

}  // namespace kaname::compute
