// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/stage_times.hpp"

#include <algorithm>

#include "proto/kaname/v1/record.pb.h"
#include "proto/report/report.hpp"

namespace kaname::service {
namespace {

// The prediction weighs as much as the first quarter of the work.
constexpr double kTrust = 0.25;
// Nobody has asked for so long: the job has ended, or will begin anew here.
constexpr std::chrono::hours kForgotten{1};

}  // namespace

double StageTimes::seconds(const WorkLeftByVerb& left) const {
    double sum_s = 0.0;
    for (const Stage& stage : stages) {
        const auto found = left.find(stage.verb);
        if (found == left.end() || found->second.tasks <= 0.0) {
            continue;
        }
        const double of_task_s = stage.n_tasks > 0
                                     ? stage.each_s * static_cast<double>(stage.n_packs) /
                                           static_cast<double>(stage.n_tasks)
                                     : 0.0;
        sum_s += (found->second.set_up ? 0.0 : stage.once_s) + of_task_s * found->second.tasks;
    }
    return sum_s;
}

double StageTimes::total_s() const {
    WorkLeftByVerb all;
    for (const Stage& stage : stages) {
        all[stage.verb] = {static_cast<double>(stage.n_tasks)};
    }
    return seconds(all);
}

std::string StageTimes::to_text() const {
    v1::StageTimesRecord record;
    for (const Stage& stage : stages) {
        v1::StageTimesRecord::Stage& kept = *record.add_stages();
        kept.set_verb(stage.verb);
        kept.set_once_s(stage.once_s);
        kept.set_each_s(stage.each_s);
        kept.set_n_tasks(report::count(stage.n_tasks));
        kept.set_n_packs(report::count(stage.n_packs));
    }
    record.set_spread(spread);
    return report::to_json(record);
}

std::optional<StageTimes> StageTimes::parse(const std::string& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    const auto record = report::parse<v1::StageTimesRecord>(text, "estimate of a job");
    StageTimes times{{}, record.spread()};
    for (const v1::StageTimesRecord::Stage& stage : record.stages()) {
        times.stages.push_back(
            {stage.verb(), stage.once_s(), stage.each_s(), stage.n_tasks(), stage.n_packs()});
    }
    if (record.stages().empty()) {  // stored before migration 010
        times.stages = {
            {"mesh", 0.0, record.mesh_s(), 1, 1},
            {"solve", record.setup_s(), record.pack_s(), record.n_sources(), record.n_packs()},
            {"package", 0.0, record.package_s(), 1, 1}};
    }
    return times;
}

double PaceBoard::eta_s(const std::string& job_id, double left_s, double total_s, bool begun,
                        Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(begins_,
                  [&](const auto& entry) { return now - entry.second.asked > kForgotten; });
    if (!begun) {
        begins_.erase(job_id);
        return left_s;
    }
    Begin& begin = begins_.try_emplace(job_id, Begin{now, now, left_s}).first->second;
    begin.asked = now;
    // A failed task that runs again makes more work than there was.
    begin.left_s = std::max(begin.left_s, left_s);
    const double elapsed_s = std::chrono::duration<double>(now - begin.at).count();
    const double trust_s = kTrust * total_s;
    const double done_s = begin.left_s - left_s + trust_s;
    return done_s > 0.0 ? left_s * (elapsed_s + trust_s) / done_s : 0.0;
}

}  // namespace kaname::service
