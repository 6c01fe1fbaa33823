// SPDX-License-Identifier: BSD-3-Clause
#include "server/api/stage_times.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace kaname::api {
namespace {

using nlohmann::json;

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
    return json{{"mesh_s", mesh_s},       {"setup_s", setup_s}, {"pack_s", pack_s},
                {"package_s", package_s}, {"spread", spread},   {"n_sources", n_sources},
                {"n_packs", n_packs}}
        .dump();
}

std::optional<StageTimes> StageTimes::parse(const std::string& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    const json object = json::parse(text);
    return StageTimes{object.at("mesh_s"),    object.at("setup_s"), object.at("pack_s"),
                      object.at("package_s"), object.at("spread"),  object.at("n_sources"),
                      object.at("n_packs")};
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

}  // namespace kaname::api
