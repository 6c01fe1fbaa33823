// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/stage_times.hpp"

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

double StageTimes::seconds(const WorkLeft& left) const {
    const double of_source =
        n_sources > 0 ? pack_s * static_cast<double>(n_packs) / static_cast<double>(n_sources)
                      : 0.0;
    return mesh_s * left.mesh + (left.setup && left.sources > 0.0 ? setup_s : 0.0) +
           of_source * left.sources + package_s * left.package;
}

double StageTimes::total_s() const {
    return seconds({.sources = static_cast<double>(n_sources)});
}

std::string StageTimes::to_text() const {
    v1::StageTimesRecord record;
    record.set_mesh_s(mesh_s);
    record.set_setup_s(setup_s);
    record.set_pack_s(pack_s);
    record.set_package_s(package_s);
    record.set_spread(spread);
    record.set_n_sources(report::count(n_sources));
    record.set_n_packs(report::count(n_packs));
    return report::to_json(record);
}

std::optional<StageTimes> StageTimes::parse(const std::string& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    const auto record = report::parse<v1::StageTimesRecord>(text, "estimate of a job");
    return StageTimes{record.mesh_s(), record.setup_s(),   record.pack_s(), record.package_s(),
                      record.spread(), record.n_sources(), record.n_packs()};
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
    // What failed and is done again makes more of the work than there was.
    begin.left_s = std::max(begin.left_s, left_s);
    const double elapsed_s = std::chrono::duration<double>(now - begin.at).count();
    const double trust_s = kTrust * total_s;
    const double done_s = begin.left_s - left_s + trust_s;
    return done_s > 0.0 ? left_s * (elapsed_s + trust_s) / done_s : 0.0;
}

}  // namespace kaname::service
