// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/campaigns/campaign_plan.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "client/cli/common/progress.hpp"
#include "client/cli/common/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/pack.hpp"

namespace kaname::cli {
namespace {

/// Question holds what members with one estimate have in common.
struct Question {
    std::size_t member = 0;  ///< that it is asked for
    std::string mesh;
    bool wanted = false;
    v1::Estimate estimate;
    std::vector<Violation> violations;
};

/// Returns the content key of what is made first, from nothing: for Green's functions the mesh.
std::string root_key(const request::TaskGraph& graph) {
    for (const request::Task& task : graph.tasks) {
        if (!task.source && task.needs.empty() && task.gathers.empty()) {
            return task.key;
        }
    }
    return graph.tasks.back().key;
}

/// Marks the questions of each mesh that are to be asked: the first, the last, and some evenly
/// between them.
void choose(std::vector<Question>& questions) {
    std::map<std::string, std::vector<std::size_t>> by_mesh;
    for (std::size_t k = 0; k < questions.size(); ++k) {
        by_mesh[questions[k].mesh].push_back(k);
    }
    for (const auto& [mesh, all] : by_mesh) {
        const std::size_t n = std::min(all.size(), kPreflightsPerMesh);
        for (std::size_t k = 0; k < n; ++k) {
            questions[all[n == 1 ? 0 : k * (all.size() - 1) / (n - 1)]].wanted = true;
        }
    }
}

/// The asked question of the same mesh that stands nearest to `from`.
std::size_t nearest(const std::vector<Question>& questions, std::size_t from) {
    for (std::size_t away = 0; away < questions.size(); ++away) {
        for (const std::size_t at : {from - away, from + away}) {
            if (at < questions.size() && questions[at].wanted &&
                questions[at].mesh == questions[from].mesh) {
                return at;
            }
        }
    }
    throw Error(ErrorCode::Internal, "no estimate was asked for a mesh");
}

void ask_all(std::vector<Question>& questions, const request::Expansion& expansion, int at_once,
             const Ask& ask,
             const std::function<void(std::size_t done, std::size_t all)>& on_estimate) {
    std::vector<Question*> wanted;
    for (Question& question : questions) {
        if (question.wanted) {
            wanted.push_back(&question);
        }
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t next = 0, done = 0;
    std::exception_ptr failed;
    const auto work = [&] {
        while (true) {
            Question* mine = nullptr;
            {
                const std::lock_guard lock(mutex);
                if (failed || next == wanted.size()) {
                    return;
                }
                mine = wanted[next++];
            }
            std::exception_ptr thrown;
            try {
                mine->estimate = ask(expansion.members[mine->member].request->message());
            } catch (const ValidationError& error) {
                mine->violations = error.violations();
            } catch (...) {
                thrown = std::current_exception();
            }
            const std::lock_guard lock(mutex);
            ++done;
            failed = failed ? failed : thrown;
            changed.notify_one();
        }
    };
    std::vector<std::jthread> threads;
    for (int k = 0; k < std::max(1, at_once); ++k) {
        threads.emplace_back(work);
    }
    std::unique_lock lock(mutex);
    for (std::size_t told = 0; !failed && told < wanted.size();) {
        changed.wait(lock, [&] { return failed || done > told; });
        told = done;
        if (on_estimate && !failed) {
            lock.unlock();
            on_estimate(told, wanted.size());
            lock.lock();
        }
    }
    lock.unlock();
    threads.clear();
    if (failed) {
        std::rethrow_exception(failed);
    }
}

/// Hours of the tasks that no member before had; `seen` learns them.
double new_core_hours(const request::Request& request, const request::TaskGraph& graph,
                      const v1::Estimate& estimate, std::set<std::string>& seen,
                      v1::CampaignCost& cost) {
    std::map<std::string, std::int64_t> fresh, together;
    for (const request::Task& task : graph.tasks) {
        if (seen.insert(task.key).second) {
            ++(task.compat_key.empty() ? fresh : together)[task.verb];
            cost.set_stages(cost.stages() + 1);
        } else {
            cost.set_shared_stages(cost.shared_stages() + 1);
        }
    }
    double seconds = 0.0;
    for (const request::VerbTime& time : request.times(estimate)) {
        const std::int64_t packs = (together[time.verb] + kSourcesPerPack - 1) / kSourcesPerPack;
        const std::int64_t runs = fresh[time.verb] + packs;
        seconds += runs > 0 ? time.once_s + static_cast<double>(runs) * time.each_s : 0.0;
    }
    return seconds * std::max(1.0, static_cast<double>(estimate.threads())) / 3600.0;
}

void keep_warnings(const v1::Estimate& estimate, std::vector<std::string>& warnings) {
    for (const std::string& warning : estimate.warnings()) {
        if (std::ranges::find(warnings, warning) == warnings.end()) {
            warnings.push_back(warning);
        }
    }
}

}  // namespace

CampaignPlan plan_campaign(
    request::Expansion& expansion, bool skip_bad, int at_once, const Ask& ask,
    const std::function<void(std::size_t done, std::size_t all)>& on_estimate) {
    std::vector<request::TaskGraph> graphs;
    std::vector<Question> questions;
    std::vector<std::size_t> question_of;
    std::map<std::string, std::size_t> by_key;
    for (std::size_t k = 0; k < expansion.members.size(); ++k) {
        const request::Request& request = *expansion.members[k].request;
        graphs.push_back(request.graph());
        const auto [at, fresh] = by_key.try_emplace(request.estimate_key(), questions.size());
        if (fresh) {
            questions.push_back({k, root_key(graphs.back()), false, {}, {}});
        }
        question_of.push_back(at->second);
    }
    choose(questions);
    ask_all(questions, expansion, at_once, ask, on_estimate);

    CampaignPlan plan;
    std::set<std::string> seen;
    std::vector<request::Member> kept;
    std::vector<request::BadMember> bad;
    const std::size_t all = expansion.members.size();
    for (std::size_t k = 0; k < all; ++k) {
        request::Member& member = expansion.members[k];
        const std::size_t own = question_of[k];
        const Question& question = questions[nearest(questions, own)];
        if (!question.violations.empty()) {
            bad.push_back({member.label, question.violations});
            continue;
        }
        const v1::Estimate& estimate = question.estimate;
        CampaignPlan::Of of;
        const bool new_dataset = !seen.contains(graphs[k].tasks.back().key);
        of.sources = static_cast<std::int64_t>(graphs[k].n_sources());
        of.dof = estimate.dof();
        of.bytes = estimate.dataset_bytes();
        of.core_hours = new_core_hours(*member.request, graphs[k], estimate, seen, plan.cost);
        of.asked = questions[own].wanted;
        plan.least_dof = plan.members.empty() ? of.dof : std::min(plan.least_dof, of.dof);
        plan.gpu_bytes = std::max(plan.gpu_bytes, estimate.gpu_bytes());
        plan.solve_bytes = std::max(plan.solve_bytes, estimate.solve_bytes());
        keep_warnings(estimate, plan.warnings);
        v1::CampaignCost& cost = plan.cost;
        cost.set_jobs(cost.jobs() + 1);
        cost.set_sources(cost.sources() + of.sources);
        cost.set_largest_dof(std::max(cost.largest_dof(), of.dof));
        cost.set_core_hours(cost.core_hours() + of.core_hours);
        cost.set_bytes(cost.bytes() + (new_dataset ? of.bytes : 0.0));
        plan.members.push_back(of);
        kept.push_back(std::move(member));
    }
    plan.preflights = static_cast<std::size_t>(
        std::ranges::count_if(questions, [](const Question& each) { return each.wanted; }));
    if (!bad.empty() && (!skip_bad || kept.empty())) {
        throw ValidationError(request::by_member(bad, all));
    }
    expansion.members = std::move(kept);
    std::ranges::move(bad, std::back_inserter(expansion.skipped));
    return plan;
}

void check_limits(const v1::CampaignLimits& limits, const v1::CampaignCost& cost) {
    std::vector<Violation> broken;
    if (limits.hours() > 0.0 && cost.core_hours() > limits.hours()) {
        broken.push_back({"limits.hours", "must hold the plan, which takes " +
                                              format_number(cost.core_hours()) +
                                              " core-hours, got " + format_number(limits.hours())});
    }
    if (limits.bytes() > 0.0 && cost.bytes() > limits.bytes()) {
        broken.push_back({"limits.bytes", "must hold the plan, whose datasets take " +
                                              format_bytes(cost.bytes()) + ", got " +
                                              format_bytes(limits.bytes())});
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

}  // namespace kaname::cli
